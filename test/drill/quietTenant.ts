/**
 * A customer who asks five times a second and expects an answer: at its time, whether or not the
 * former one was answered, so that waiting is seen as waiting. Every fifth name is a listed one:
 * its answer has hits, and waits for what the list says of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { customersOf } from '../../bench/batchRun.ts';
import type { Customer } from './cluster.ts';

const PER_SECOND = 5;
const PATIENCE_MS = 10_000;
const CUSTOMERS = 100_000;
const LISTED_EVERY = 5;

export class QuietTenant {
  /** Milliseconds of each answer of 200. */
  readonly tookMs: number[] = [];
  /** What else came of requests: status, or that nothing came. */
  readonly failures = new Map<string, number>();
  #sent = 0;
  readonly #listed: readonly string[];
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(origins: readonly string[], customer: Customer, listed: readonly string[] = []) {
    this.#listed = listed;
    this.#running = this.#run(origins, customer);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Share of the requests that had their answer. */
  get answered(): number {
    return this.tookMs.length / Math.max(1, this.#sent);
  }

  percentile(share: number): number {
    const sorted = this.tookMs.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(origins: readonly string[], customer: Customer): Promise<void> {
    const names = customersOf(CUSTOMERS);
    const running = new Set<Promise<void>>();
    for (let nextMs = performance.now(); !this.#isOver; nextMs += 1_000 / PER_SECOND) {
      await delay(Math.max(0, nextMs - performance.now()));
      const { value } = names.next();
      const origin = origins[this.#sent % origins.length] ?? '';
      const hit = this.#listed[Math.floor(this.#sent / LISTED_EVERY) % this.#listed.length];
      const isHit = hit !== undefined && this.#sent % LISTED_EVERY === 0;
      this.#sent += 1;
      const asked = this.#ask(origin, customer, isHit ? hit : (value?.name ?? 'Anna Berg'));
      running.add(asked);
      void asked.finally(() => running.delete(asked));
    }
    await Promise.all(running);
  }

  async #ask(origin: string, { apiKey }: Customer, name: string): Promise<void> {
    const startedAt = performance.now();
    const outcome = await fetch(`${origin}/v1/sanctions/screen`, {
      body: JSON.stringify({ name }),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'x-api-key': apiKey,
      },
      method: 'POST',
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).then(
      async (response) => {
        const text = await response.text();
        if (response.status === 200) return 'answered';
        const code = /"code":"([a-z-]+)"/.exec(text)?.[1] ?? '';
        return `${response.status} ${code}`;
      },
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    );
    if (outcome === 'answered') this.tookMs.push(performance.now() - startedAt);
    else this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1);
  }
}
