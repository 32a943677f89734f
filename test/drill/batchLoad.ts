/** A batch as its tenant sends and watches it through kills: sent again under its key, counted. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { customersOf } from '../../bench/batchRun.ts';
import { type Cluster, type Customer, until } from './cluster.ts';
import type { Findings } from './row.ts';

const AGAIN_MS = 200;
const END_MS_MAX = 900_000;

interface Seen {
  readonly batch_id: string;
  readonly status: string;
  readonly subjects_processed: number;
  readonly subjects_total: number;
}

export class BatchLoad {
  readonly subjects: number;
  /** The longest time for which no subject was done, while some were left, since `faultBegins`. */
  longestStillMs = 0;
  readonly #cluster: Cluster;
  readonly #customer: Customer;
  #seen: Seen | undefined;
  #movedAtMs = performance.now();

  constructor(cluster: Cluster, customer: Customer, subjects: number) {
    this.#cluster = cluster;
    this.#customer = customer;
    this.subjects = subjects;
  }

  get processed(): number {
    return this.#seen?.subjects_processed ?? 0;
  }

  get isEnded(): boolean {
    return !['queued', 'running'].includes(this.#seen?.status ?? 'queued');
  }

  async submit(): Promise<void> {
    const rows = ['external_id,full_name'];
    for (const { id, name } of customersOf(this.subjects)) rows.push(`${id},${name}`);
    const csv = new Blob([`${rows.join('\n')}\n`]);
    const key = randomUUID();
    await until('the batch is taken', async () => {
      const form = new FormData();
      form.set('name', 'drill');
      form.set('file', csv, 'customers.csv');
      const response = await this.#ask('/csv', {
        body: form,
        headers: this.#headers(key),
        method: 'POST',
      });
      if (response?.status === 202) this.#seen = (await response.json()) as Seen;
      else await delay(AGAIN_MS);
      return response?.status === 202;
    });
    this.#movedAtMs = performance.now();
  }

  /** Looks at it until it has ended. */
  async watch(): Promise<void> {
    await until(
      'the batch ends',
      async () => {
        await this.#look();
        await delay(AGAIN_MS);
        return this.isEnded;
      },
      END_MS_MAX,
    );
  }

  /** What it stands still for from now on is the fault's, and not the reading of its file. */
  faultBegins(): void {
    this.#movedAtMs = performance.now();
    this.longestStillMs = 0;
  }

  async judge(findings: Findings): Promise<void> {
    const seen = this.#seen;
    const told = `${seen?.status}: ${seen?.subjects_processed} of ${this.subjects} subjects`;
    findings.judge(
      'the batch is completed',
      told,
      seen?.status === 'completed' && this.processed === this.subjects,
    );
    const response = await this.#ask(`/${seen?.batch_id}/report?format=csv`, {
      headers: this.#headers(),
    });
    const [head = '', ...rows] = ((await response?.text()) ?? '').trimEnd().split('\r\n');
    const at = head.replace('\uFEFF', '').split(',').indexOf('external_id');
    const ids = new Set(rows.map((row) => row.split(',')[at]));
    // A row for each hit, and one for each subject without any.
    const isWhole = ids.size === this.subjects && new Set(rows).size === rows.length;
    findings.judge(
      'each subject is in its report once',
      `${rows.length} rows, ${ids.size} subjects`,
      isWhole,
    );
  }

  async #look(): Promise<void> {
    const response = await this.#ask(`/${this.#seen?.batch_id}`, { headers: this.#headers() });
    if (response?.status !== 200) return;
    const seen = (await response.json()) as Seen;
    const nowMs = performance.now();
    const isMoved = seen.subjects_processed !== this.processed;
    if (isMoved || seen.subjects_processed === seen.subjects_total) this.#movedAtMs = nowMs;
    this.longestStillMs = Math.max(this.longestStillMs, nowMs - this.#movedAtMs);
    this.#seen = seen;
  }

  #headers(key: string = randomUUID()): Record<string, string> {
    return { 'idempotency-key': key, 'x-api-key': this.#customer.apiKey };
  }

  /** Undefined where the line was cut. */
  async #ask(path: string, init: RequestInit): Promise<Response | undefined> {
    const gateway = this.#cluster.gateways.find(({ isRunning }) => isRunning);
    return fetch(`${gateway?.origin}/v1/aml/batches${path}`, init).catch(() => undefined);
  }
}
