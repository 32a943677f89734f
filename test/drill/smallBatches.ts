/**
 * A tenant that has ten customers screened now and then, while others have theirs by the hundred:
 * how long each of its batches waits for its start, and for its end.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from './cluster.ts';

const ROWS = 10;
const LOOK_MS = 250;
const START_MS_MAX = 5_000;
const END_MS_MAX = 20_000;
const PATIENCE_MS = 120_000;

interface Seen {
  readonly batch_id?: string;
  readonly screening_id?: string;
  readonly status: string;
}

export class SmallBatches {
  /** Milliseconds from the answer of 202. */
  readonly startedMs: number[] = [];
  readonly endedMs: number[] = [];
  /** What else came of one. */
  readonly failures: string[] = [];
  #sent = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(origin: string, customer: Customer, everyMs: number) {
    this.#running = this.#run(origin, customer, everyMs);
  }

  get sent(): number {
    return this.#sent;
  }

  /** All of them ended well. */
  get isWhole(): boolean {
    return this.#sent > 0 && this.endedMs.length === this.#sent;
  }

  get isInTime(): boolean {
    const most = (values: readonly number[]) => Math.max(0, ...values);
    return most(this.startedMs) <= START_MS_MAX && most(this.endedMs) <= END_MS_MAX;
  }

  get words(): string {
    const longest = (values: readonly number[]) =>
      `${(Math.max(0, ...values) / 1_000).toFixed(1)} s`;
    const told = `${this.endedMs.length} of ${this.#sent} batches ended`;
    const failed = this.failures.length === 0 ? '' : `; ${this.failures.join(', ')}`;
    const begun = longest(this.startedMs);
    return `${told}; longest to its start ${begun}, to its end ${longest(this.endedMs)}${failed}`;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(origin: string, customer: Customer, everyMs: number): Promise<void> {
    do {
      const nextMs = performance.now() + everyMs;
      this.#sent += 1;
      await this.#one(origin, customer).catch((error: unknown) => {
        this.failures.push(error instanceof Error ? error.message : String(error));
      });
      while (!this.#isOver && performance.now() < nextMs) await delay(LOOK_MS);
    } while (!this.#isOver);
  }

  async #one(origin: string, { apiKey }: Customer): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const subjects = Array.from({ length: ROWS }, (_, at) => ({
      external_id: `q-${this.#sent}-${at}`,
      full_name: `Anna Berg ${at}`,
    }));
    const answer = await fetch(`${origin}/v1/aml/batches`, {
      body: JSON.stringify({ name: `small ${this.#sent}`, subjects }),
      headers: { ...headers, 'idempotency-key': randomUUID() },
      method: 'POST',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status !== 202) throw new Error(`${answer.status} at its order`);
    const { batch_id: id } = (await answer.json()) as Seen;
    const sentAt = performance.now();
    let isBegun = false;
    while (performance.now() - sentAt < PATIENCE_MS) {
      const { status } = await look(`${origin}/v1/aml/batches/${id}`, headers);
      const tookMs = performance.now() - sentAt;
      if (!isBegun && status !== 'queued') this.startedMs.push(tookMs);
      isBegun ||= status !== 'queued';
      if (status === 'completed') {
        this.endedMs.push(tookMs);
        return;
      }
      if (status === 'failed' || status === 'canceled') throw new Error(status);
      await delay(LOOK_MS);
    }
    throw new Error('not ended after two minutes');
  }
}

async function look(url: string, headers: Readonly<Record<string, string>>): Promise<Seen> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  // A look that is refused or late is none: the next one says more.
  return answer.status === 200 ? ((await answer.json()) as Seen) : { status: 'queued' };
}
