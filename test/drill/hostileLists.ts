/**
 * A publisher whose files ask for more than any list, each through a run as an operator starts it:
 * each is refused, and a good list comes into force meanwhile.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SourceId } from '#core/kernel';
import {
  openAt,
  openPublisher,
  type Publisher,
  pointSource,
} from '../slices/ingestion/listPublisher.ts';
import { pdfOfPieces, sheetOfCells, sheetOfOneText } from '../sources/national/hostileFiles.ts';
import type { Cluster, Customer } from './cluster.ts';
import { ROOT } from './member.ts';

const NATIONAL = 'BCT_TN' as SourceId;
const DEMO = 'DEMO' as SourceId;
/** The list that is imported beside the hostile ones. */
export const GOOD = 'the shipped list';
/** A file's own bound is a minute. */
const RUN_MS_MAX = 150_000;
/** Well under the operator's own limits. */
const POLL_MS = 500;
const BETWEEN_MS = 5_000;
const CUT = 'cut';

const FILES: readonly (readonly [name: string, make: () => Buffer])[] = [
  ['PDF of pieces', pdfOfPieces],
  ['sheet of cells', () => sheetOfCells(600_000)],
  ['shared text', sheetOfOneText],
];

const isUnderWay = (status: string): boolean => status === 'running' || status === 'queued';

/** The shipped list is for sandboxes, and published ones are a live tenant's to fetch. */
export interface Operators {
  readonly live: Customer;
  readonly sandbox: Customer;
}

interface Run {
  readonly run_id: string;
  readonly status: string;
}

export interface ListOutcome {
  readonly file: string;
  readonly status: string;
  readonly tookMs: number;
}

export class HostileLists {
  readonly outcomes: ListOutcome[] = [];
  readonly #origin: string;
  readonly #operators: Operators;
  readonly #publisher: Publisher;
  /** By the path under which they are published. */
  readonly #files = new Map<string, Buffer>();
  /** Made beforehand: who makes one does nothing else for seconds, and must not be measuring. */
  readonly #hostile = FILES.map(([name, make]) => [name, make()] as const);

  private constructor(origin: string, operators: Operators, publisher: Publisher) {
    this.#origin = origin;
    this.#operators = operators;
    this.#publisher = publisher;
    publisher.answer = ({ url = '' }, response) => void response.end(this.#files.get(url));
  }

  /** The cluster must allow 127.0.0.1 as a publisher's host. */
  static async open(cluster: Cluster, operators: Operators): Promise<HostileLists> {
    const publisher = await openPublisher();
    const store = await openAt(cluster.dataDir, 'drill', cluster.env);
    for (const source of [NATIONAL, DEMO]) {
      await pointSource(store, { url: `${publisher.origin}/${source}` }, source);
    }
    await store.close();
    const lists = new HostileLists(cluster.gateways[0]?.origin ?? '', operators, publisher);
    // Its files took seconds: connections that ended meanwhile are seen to have ended.
    await delay(POLL_MS);
    return lists;
  }

  /** All files in turns until told to stop, and a good list all the while. */
  async run(isOver: () => boolean): Promise<void> {
    let isPressing = true;
    const good = async (): Promise<void> => {
      while (isPressing) {
        await this.#import(GOOD, DEMO, this.#next());
        await delay(BETWEEN_MS);
      }
    };
    const hostile = async (): Promise<void> => {
      do {
        for (const [name, bytes] of this.#hostile) {
          await this.#import(name, NATIONAL, bytes);
          if (isOver()) break;
        }
      } while (!isOver());
      isPressing = false;
    };
    await Promise.all([good(), hostile()]);
  }

  close(): Promise<void> {
    return this.#publisher.close();
  }

  /** The shipped list in a new edition. */
  #next(): Buffer {
    const text = readFileSync(join(ROOT, 'config/demo/entities.jsonl'), 'utf8');
    return Buffer.from(text.replace('Velmorani', `Velmorani ${this.outcomes.length}`));
  }

  async #import(file: string, source: SourceId, bytes: Buffer): Promise<void> {
    this.#files.set(`/${source}`, bytes);
    const startedAt = performance.now();
    const trigger = `/v1/sanctions/etl/sources/${source}/trigger?kind=full`;
    let { run_id, status } = await this.#ask(source, trigger, 'POST');
    if (status === CUT) ({ run_id, status } = await this.#ask(source, trigger, 'POST'));
    while (isUnderWay(status) && performance.now() - startedAt < RUN_MS_MAX) {
      await delay(POLL_MS);
      const seen = await this.#ask(source, `/v1/sanctions/etl/runs/${run_id}`, 'GET');
      if (seen.status !== CUT) ({ run_id, status } = seen);
    }
    this.outcomes.push({ file, status, tookMs: performance.now() - startedAt });
  }

  async #ask(source: SourceId, path: string, method: 'GET' | 'POST'): Promise<Run> {
    const operator = this.#operators[source === DEMO ? 'sandbox' : 'live'];
    return fetch(this.#origin + path, {
      headers: {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        'x-api-key': operator.apiKey,
      },
      method,
      ...(method === 'POST' && { body: '{}' }),
    }).then(
      async (response) => (await response.json()) as Run,
      () => ({ run_id: '', status: CUT }), // the line was cut: asked again
    );
  }
}
