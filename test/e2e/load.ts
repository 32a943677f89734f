/** Screenings sent side by side, each under a key of its own, with what became of every one. */
import type { FirstRun } from './product.ts';

export const RAISED = [
  'burst',
  'requests_per_second',
  'screening_per_second',
  'screening_per_minute_per_user',
].map((name) => `limits.${name}=1000000`);

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

export interface Sent {
  readonly key: string;
  readonly name: string;
  /** Absent: cut off, or not answered yet. */
  reply?: Reply;
}

/** Undefined where no whole answer came. */
export async function send(
  { api_key, base_url }: FirstRun,
  { key, name }: Pick<Sent, 'key' | 'name'>,
): Promise<Reply | undefined> {
  try {
    const response = await fetch(`${base_url}/sanctions/screen`, {
      body: JSON.stringify({ name }),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        'X-API-Key': api_key,
      },
      method: 'POST',
    });
    const isReplay = response.headers.get('idempotent-replayed') === 'true';
    return { isReplay, status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

export async function readiness({ origin }: FirstRun): Promise<number | undefined> {
  try {
    const response = await fetch(`${origin}/readyz`);
    await response.text();
    return response.status;
  } catch {
    return undefined; // nobody listens
  }
}

export class Load {
  readonly sent: Sent[] = [];
  readonly #clients: Promise<void>[];
  #isOver = false;

  /** A client that is cut off once has nobody to talk to any more, and ends. */
  constructor(first: FirstRun, clients: number) {
    const client = async (number: number): Promise<void> => {
      for (let turn = 0; !this.#isOver; turn += 1) {
        const one: Sent = { key: crypto.randomUUID(), name: `Ilvana Dostrekova ${number}.${turn}` };
        this.sent.push(one);
        const reply = await send(first, one);
        if (reply === undefined) return;
        one.reply = reply;
      }
    };
    this.#clients = Array.from({ length: clients }, (_, number) => client(number));
  }

  answered(): Sent[] {
    return this.sent.filter(({ reply }) => reply !== undefined);
  }

  /** What was sent and has no answer so far. */
  open(): Sent[] {
    return this.sent.filter(({ reply }) => reply === undefined);
  }

  /** No client sends another one; resolves when the last has its answer, or was cut off. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }
}

/** What the answer of a screening names its event by. */
export function eventOf({ text }: Reply): { screeningId: string; hash: string } {
  const body = JSON.parse(text) as { screening_id: string; audit: { hash: string } };
  return { hash: body.audit.hash, screeningId: body.screening_id };
}
