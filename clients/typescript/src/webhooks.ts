/** Beyond this a call is refused as too old, or from the future: somebody kept it. */
const AGE_S_MAX = 300;
const SIGNATURES_MAX = 8;

export interface WebhookCall {
  /** As it came: parsing and writing it anew makes other bytes. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface WebhookEvent {
  readonly data: Readonly<Record<string, unknown>>;
  readonly event: string;
  /** The same however often it is sent: what was seen already is left out by it. */
  readonly event_id: string;
  readonly timestamp: string;
}

export class ForgedWebhook extends Error {
  override readonly name = 'ForgedWebhook';
}

/**
 * The event of a call that one of the secrets has signed (X-Service-Signature, docs/webhooks.md):
 * during a rotation give both. @throws ForgedWebhook for every other call.
 */
export async function verifyWebhook(
  { body, headers }: WebhookCall,
  secrets: readonly string[],
  nowS = Date.now() / 1000,
): Promise<WebhookEvent> {
  const [time = '', ...signatures] = headerOf(headers, 'x-service-signature').split(',');
  if (!/^t=\d{1,12}$/.test(time)) throw new ForgedWebhook('no time in X-Service-Signature');
  const signedAt = time.slice(2);
  if (Math.abs(nowS - Number(signedAt)) > AGE_S_MAX) throw new ForgedWebhook('out of its time');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${signedAt}.`), bytes);
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const signature of signatures.slice(0, SIGNATURES_MAX)) {
      const mac = macOf(signature);
      // The comparison of WebCrypto takes the same time for every wrong one.
      if (mac === undefined || !(await crypto.subtle.verify('HMAC', key, mac, signed))) continue;
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as WebhookEvent;
    }
  }
  throw new ForgedWebhook('signed by none of the secrets');
}

function headerOf(headers: WebhookCall['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.join(',') ?? '');
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const text = atob(secret.replace(/^whsec_/, ''));
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  return crypto.subtle.importKey('raw', bytes, { hash: 'SHA-256', name: 'HMAC' }, false, [
    'verify',
  ]);
}

function macOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const [, hex] = /^v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (hex === undefined) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function joined(
  head: Uint8Array<ArrayBuffer>,
  rest: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(head.length + rest.length);
  both.set(head);
  both.set(rest, head.length);
  return both;
}
