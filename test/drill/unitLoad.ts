/**
 * Clients of one tenant that never give up: what is cut off or refused is sent again under its key,
 * to whichever gateway is there, so that in the end every request has one answer and one event.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, Customer } from './cluster.ts';
import type { Findings } from './row.ts';

const AGAIN_MS = 50;
/** Behind a killed gateway a request may hang until its host is known to be gone. */
const PATIENCE_MS = 30_000;
const GIVE_UP_MS = 120_000;

interface Acknowledged {
  readonly hash: string;
  readonly seq: number;
}

export interface LoadOptions {
  readonly clients: number;
  /** Milliseconds that a client rests after an answer. */
  readonly pauseMs?: number;
}

export class UnitLoad {
  readonly acknowledged: Acknowledged[] = [];
  /** Milliseconds of each request that was answered by 200, its own wait alone. */
  readonly tookMs: number[] = [];
  /** The same from the first try on. */
  readonly untilAnsweredMs: number[] = [];
  readonly refusals = new Map<string, number>();
  /** Requests that were given up: no answer within two minutes. */
  lost = 0;
  cut = 0;
  readonly #cluster: Cluster;
  readonly #customer: Customer;
  readonly #clients: Promise<void>[];
  #isOver = false;

  constructor(cluster: Cluster, customer: Customer, { clients, pauseMs = 0 }: LoadOptions) {
    this.#cluster = cluster;
    this.#customer = customer;
    this.#clients = Array.from({ length: clients }, (_, number) => this.#client(number, pauseMs));
  }

  refused(status: number): number {
    return [...this.refusals]
      .filter(([what]) => what.startsWith(`${status}`))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  refusalWords(): string {
    const words = [...this.refusals].map(([what, count]) => `${count} × ${what}`);
    return [...words, `${this.cut} cut off`].join('; ');
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #client(number: number, pauseMs: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      await this.#untilAnswered(`Ilvana Dostrekova ${number}.${turn}`);
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  async #untilAnswered(name: string): Promise<void> {
    const key = randomUUID();
    const startedAt = performance.now();
    while (performance.now() - startedAt < GIVE_UP_MS) {
      const sentAt = performance.now();
      const answer = await this.#ask(name, key);
      if (typeof answer === 'object') {
        this.acknowledged.push(answer);
        this.tookMs.push(performance.now() - sentAt);
        this.untilAnsweredMs.push(performance.now() - startedAt);
        return;
      }
      if (answer === 'cut') this.cut += 1;
      else this.refusals.set(answer, (this.refusals.get(answer) ?? 0) + 1);
      await delay(AGAIN_MS);
    }
    this.lost += 1;
  }

  async #ask(name: string, key: string): Promise<Acknowledged | string> {
    const running = this.#cluster.gateways.filter(({ isRunning }) => isRunning);
    const gateway = running[Math.floor(Math.random() * running.length)];
    if (gateway === undefined) return 'cut';
    return fetch(`${gateway.origin}/v1/sanctions/screen`, {
      body: JSON.stringify({ name }),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        'x-api-key': this.#customer.apiKey,
      },
      method: 'POST',
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).then(
      async (response) => {
        const text = await response.text();
        if (response.status !== 200) {
          const { code, detail } = JSON.parse(text) as { code?: string; detail?: string };
          return `${response.status} ${code} (${detail})`;
        }
        return (JSON.parse(text) as { audit: Acknowledged }).audit;
      },
      () => 'cut',
    );
  }
}

export const longest = (times: readonly number[]): number =>
  times.reduce((a, b) => Math.max(a, b), 0);

/** The chain verifies; what was acknowledged is in it, once; what is in it was asked for once. */
export async function judgeEvidence(
  findings: Findings,
  {
    cluster,
    customer,
    load,
  }: {
    readonly cluster: Cluster;
    readonly customer: Customer;
    readonly load: UnitLoad;
  },
): Promise<void> {
  const { file, report } = await cluster.verified(customer.tenantId);
  findings.judge('the chain verifies', report, report.startsWith('good'));
  const screenings = new Map<number, string>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { event } = JSON.parse(line) as {
      event?: { readonly type: string; readonly seq: number; readonly hash: string };
    };
    if (event?.type === 'screening') screenings.set(event.seq, event.hash);
  }
  const missing = load.acknowledged.filter(({ hash, seq }) => screenings.get(seq) !== hash);
  const places = new Set(load.acknowledged.map(({ seq }) => seq)).size;
  const answers = `${load.acknowledged.length} answers, ${screenings.size} events`;
  const told = `${answers}, ${load.lost} given up`;
  const isWhole = missing.length === 0 && places === load.acknowledged.length;
  findings.judge('nothing acknowledged is lost', told, isWhole && load.lost === 0);
  const extra = screenings.size - load.acknowledged.length;
  findings.judge('nothing is done twice', `${extra} events without an answer`, extra === 0);
}
