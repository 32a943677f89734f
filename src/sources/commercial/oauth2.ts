/**
 * OAuth 2.0 client credentials (RFC 6749, 4.4) for a feed that requires a bearer token.
 *
 * - One token is requested at a time and kept until shortly before it expires.
 * - It is sent to the one origin that the configuration names beside the secret: neither a redirect
 * nor a changed address of the source takes it elsewhere.
 * - Neither secret nor token ever stands in an error or a log. The answer of a failed endpoint may
 * repeat what it was sent, so its body is not reported either.
 */
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';

const TOKEN_ANSWER_BYTES_MAX = 64 * 1024;
/**
 * Milliseconds before its end at which a token is renewed, or a tenth of its life where that is
 * less.
 */
const LEEWAY_MS = 60_000;
/** Life of a token that does not say it: RFC 6749 only recommends `expires_in`. */
const DEFAULT_LIFE_S = 300;
const LIFE_S_MAX = 86_400;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

export interface OAuthClient {
  /** https, or http to this machine. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** From a file or the environment, by the configuration; read for every token. */
  readonly clientSecret: () => string | Promise<string>;
  readonly scope?: string;
  readonly audience?: string;
  /** How client id and secret are sent; RFC 6749 requires every server to accept `basic`. */
  readonly method?: 'basic' | 'post';
  /** The only origin that the token is sent to. */
  readonly feedOrigin: string;
}

/** The fetcher's: one POST, no redirects, body at most `bytesMax`. */
export type SendForm = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytesMax: number;
}) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

export interface Authorizer {
  readonly origin: string;
  /** Headers for a request; none for another origin than the feed's. */
  authorize(request: { readonly url: string }): Promise<Readonly<Record<string, string>>>;
  /** To be called after a 401: the next request gets a new token. */
  forget(): void;
}

/** Throws DomainError `setting-invalid` where a URL would send secrets in the clear. */
export function oauth2Authorizer(
  client: OAuthClient,
  ports: { readonly send: SendForm; readonly clock: Clock },
): Authorizer {
  refuseInsecure('tokenUrl', client.tokenUrl);
  refuseInsecure('feedOrigin', client.feedOrigin);
  const { origin } = new URL(client.feedOrigin);
  let held: { readonly token: string; readonly untilMs: number } | undefined;
  let asking: Promise<string> | undefined;
  let generation = 0;

  const ask = async (): Promise<string> => {
    const asked = generation;
    const startedMs = ports.clock.monotonicMs();
    const { lifeMs, token } = await oauth2Token(client, ports.send);
    const leewayMs = Math.min(LEEWAY_MS, lifeMs / 10);
    // Forgotten meanwhile: the waiting caller may use it, later ones may not.
    if (asked === generation) held = { token, untilMs: startedMs + lifeMs - leewayMs };
    return token;
  };
  return {
    authorize: async ({ url }) => {
      if (new URL(url).origin !== origin) return {};
      if (held && ports.clock.monotonicMs() < held.untilMs) return bearer(held.token);
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return bearer(await asking);
    },
    forget: () => {
      held = undefined;
      asking = undefined;
      generation++;
    },
    origin,
  };
}

const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
});

/** One token. Throws DomainError `list-unavailable` where the endpoint gives none. */
export async function oauth2Token(
  client: OAuthClient,
  send: SendForm,
): Promise<{ readonly token: string; readonly lifeMs: number }> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (client.scope !== undefined) form.set('scope', client.scope);
  if (client.audience !== undefined) form.set('audience', client.audience);
  const clientSecret = await client.clientSecret();
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (client.method === 'post') {
    form.set('client_id', client.clientId);
    form.set('client_secret', clientSecret);
  } else headers.authorization = basic(client.clientId, clientSecret);
  const answer = await send({
    body: form.toString(),
    bytesMax: TOKEN_ANSWER_BYTES_MAX,
    headers,
    url: client.tokenUrl,
  });
  if (answer.status !== 200) throw refused(`the token endpoint answered ${answer.status}`);
  return readToken(answer.body);
}

/** RFC 6749, 2.3.1: both are form-encoded before they are joined. */
function basic(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  const pair = `${encode(clientId)}:${encode(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function readToken(body: Uint8Array): { token: string; lifeMs: number } {
  const answer = parse(body);
  const { access_token: token, expires_in: expiresIn, token_type: type } = answer;
  if (typeof token !== 'string' || !TOKEN.test(token)) throw refused('no access_token was given');
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    throw refused('token_type: expected bearer');
  }
  const life = Number(expiresIn ?? DEFAULT_LIFE_S);
  const lifeS = life > 0 ? Math.min(life, LIFE_S_MAX) : DEFAULT_LIFE_S;
  return { lifeMs: lifeS * 1_000, token };
}

function parse(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The error is no cause here: its message quotes what may be a token.
    throw refused('the token endpoint answered no JSON');
  }
  throw refused('the token endpoint answered no JSON object');
}

const refused = (detail: string): DomainError => new DomainError('list-unavailable', { detail });

function refuseInsecure(name: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return;
  throw new DomainError('setting-invalid', { detail: `${name}: expected an https URL` });
}
