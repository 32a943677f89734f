/** One store, a list, batches of any size, and worker processes that may die. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type BusEvent, chainOf, type TenantId } from '#core/kernel';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import {
  type Batch,
  type BatchKind,
  type BatchStore,
  batchStore,
  batchTable,
  chunkTable,
  cohortPlace,
  createBatch,
  readFindings,
  rootOfLines,
  type SignedResults,
  signedResults,
} from '#slices/batches';
import { importList, type ListReader } from '#slices/ingestion';
import { receiveCsv } from '#slices/intake';
import { type ListVersion, listStore } from '#slices/lists';
import { screeningSettings } from '#slices/screening';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import { listFormatReader } from '../../../src/sources/listFormat.ts';
import { type Forger, forgerOf } from '../../storage/forger.ts';
import { DEMO, openAt } from '../ingestion/listPublisher.ts';
import { importPorts } from '../ingestion/runParts.ts';
import { csvOf, externalId, LISTED } from './inventedCohort.ts';

export { LISTED } from './inventedCohort.ts';

const WORKER = join(import.meta.dirname, 'batchWorkerProcess.ts');
const FORMAT = 'urn:compliance-platform:list-format:v1';
const DAY_MS = 24 * 3_600_000;
const SHIPPED_THRESHOLDS = { autoClear: 0.6, autoMatch: 0.95, review: 0.85 };
/** The tests' own bounds are shorter. */
export const UNTIL = { interval: 20, timeout: 3_600_000 };

export interface Submitted {
  readonly subjects: number;
  /** Instead of invented ones. */
  readonly csv?: AsyncIterable<Uint8Array>;
  /** All that are in force where absent. */
  readonly lists?: readonly string[];
  /** Instead of the thresholds that are shipped. */
  readonly thresholds?: Batch['thresholds'];
  readonly tenantId?: TenantId;
  readonly kind?: BatchKind;
  readonly mode?: Batch['mode'];
}

export class BatchHouse {
  readonly installation: OpenInstallation;
  readonly batches: BatchStore;
  readonly results: SignedResults;
  /** Whoever can write its database. */
  readonly forger: Forger;
  readonly #folder: string;
  readonly #workers: ChildProcess[] = [];
  readonly #published: BusEvent[] = [];
  #day = Date.UTC(2026, 0, 1);

  private constructor(installation: OpenInstallation, folder: string) {
    this.installation = installation;
    this.batches = batchStore(installation.storage.tables);
    this.results = signedResults({ ...installation, audit: installation.storage.audit });
    this.forger = forgerOf(installation.config);
    this.#folder = folder;
  }

  /** `env`: where its records are, if not in the embedded store. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<BatchHouse> {
    const folder = mkdtempSync(join(tmpdir(), 'batches-'));
    mkdirSync(join(folder, 'spool'), { recursive: true });
    const house = new BatchHouse(await openAt(folder, 'test', env), folder);
    await house.publish(LISTED);
    return house;
  }

  async publish(names: readonly string[]): Promise<ListVersion> {
    this.#day += DAY_MS;
    const release_date = new Date(this.#day).toISOString().slice(0, 10);
    const header = { $schema: FORMAT, entity_count: names.length, release_date, source: DEMO };
    const people = names.map((primary_name, place) => ({
      categories: ['SAN'],
      ftm_id: `p-${place}`,
      primary_name,
      schema: 'Person',
    }));
    const text = [header, ...people].map((line) => `${JSON.stringify(line)}\n`).join('');
    const read = (async function* () {
      yield Buffer.from(text);
    })();
    return this.import(DEMO, listFormatReader, read);
  }

  async import(
    sourceId: string,
    reader: ListReader,
    read: AsyncIterable<Uint8Array>,
  ): Promise<ListVersion> {
    const { version } = await importList({
      actor: 'cli:test',
      allow: { shrink: true },
      ports: importPorts(this.installation),
      read,
      reader,
      sourceId,
    });
    return version;
  }

  /** As if the disk had lost its index and its text. */
  async lose({ bundleBlob, snapshotBlob }: ListVersion): Promise<void> {
    for (const address of [bundleBlob, snapshotBlob]) {
      await rm(join(this.#folder, 'blobs', 'sha256', address.slice(0, 2), address.slice(2)));
    }
  }

  async submit(of: Submitted): Promise<Batch> {
    const { csv, kind = 'aml', lists = [], mode = 'full', subjects, tenantId } = of;
    const { thresholds = SHIPPED_THRESHOLDS } = of;
    const { audit, clock, dataKeys, random, settings, storage } = this.installation;
    const place = cohortPlace(this.installation);
    const received = await receiveCsv(csv ?? csvOf(subjects), { blobs: place.blobs });
    return createBatch(
      {
        batches: this.batches,
        clock,
        commit: (chainId, commit) => audit.commit(chainId, commit),
        dataKeys,
        lists: listStore(storage.tables),
        random,
      },
      {
        actor: 'cli:test',
        baseUrl: 'http://127.0.0.1/v1',
        ...(received.rows > 0 && {
          cohort: place.cohortOf(received, { format: 'csv', type: 'csv' }),
        }),
        includeAdverseMedia: true,
        includePep: true,
        kind,
        lists,
        mode,
        name: 'portfolio',
        requestedBy: 'key-1',
        sandbox: true,
        settings: settings.defaults.of(screeningSettings),
        tenantId: tenantId ?? (randomUUID() as TenantId),
        thresholds,
      },
    );
  }

  /** Resolves once it looks for work. */
  async worker(env: Record<string, string> = {}): Promise<ChildProcess> {
    const command = ['--disable-warning=ExperimentalWarning', WORKER];
    const child = spawn(process.execPath, command, {
      env: { ...process.env, DATA_DIR: this.#folder, ENGINE_THREADS: '1', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#workers.push(child);
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    return child;
  }

  async find({ batchId, tenantId }: Batch): Promise<Batch> {
    const found = await this.batches.findBatch({ batchId, tenantId });
    assert(found !== undefined);
    return found;
  }

  /** The batch once `isReached`; it must only move forward on the way. */
  async until(batch: Batch, isReached: (seen: Batch) => boolean): Promise<Batch> {
    let seen = await this.find(batch);
    await vi.waitUntil(async () => {
      const next = await this.find(batch);
      expectForward(seen, next);
      seen = next;
      return isReached(seen);
    }, UNTIL);
    return seen;
  }

  async completed(batch: Batch): Promise<Batch> {
    const ended = await this.until(
      batch,
      ({ status }) => status !== 'queued' && status !== 'running',
    );
    expect([ended.status, ended.failure]).toEqual(['completed', undefined]);
    return ended;
  }

  /** Everyone once, counted as they are found, and all of it in the chain and on the bus once. */
  async expectWhole(batch: Batch, subjects: number): Promise<void> {
    const { batches, results } = this;
    const seen = new Set<string>();
    const counts = { hits: 0, subjects: 0, subjectsWithHits: 0 };
    const decisions = { auto_clear: 0, match: 0, review: 0 };
    const roots: string[] = [];
    for await (const { chunk, lines, parse } of readFindings({ batches, results }, batch)) {
      expect(rootOfLines(lines)).toBe(chunk.result.merkleRoot);
      roots.push(chunk.result.merkleRoot);
      for (const line of lines) {
        const { decision, external_id, hits, ordinal } = parse(line);
        expect(external_id).toBe(externalId(ordinal));
        seen.add(external_id);
        counts.subjects++;
        counts.hits += hits.length;
        decisions[decision]++;
        if (hits.length > 0) counts.subjectsWithHits++;
      }
    }
    expect([seen.size, counts.subjects]).toEqual([subjects, subjects]);
    expect(counts.subjectsWithHits).toBe(Math.ceil(subjects / 10));
    expect(batch.counts).toMatchObject({ ...counts, byDecision: decisions, chunks: roots.length });
    expect(batch).toMatchObject({ chunksTotal: roots.length, subjectsTotal: subjects });
    const leaves = roots.map((root) => leafHash(Buffer.from(root, 'hex')));
    expect(batch.resultsRoot).toBe(merkleRoot(leaves).toString('hex'));
    await this.#expectEvidence(batch, roots);
  }

  async #expectEvidence(batch: Batch, roots: readonly string[]): Promise<void> {
    const entries = await this.entries(batch);
    const screened = entries.filter(({ action }) => action === 'aml.batch.chunk.screened');
    const rootOf = new Map(screened.map(({ chunk_no, merkle_root }) => [chunk_no, merkle_root]));
    expect(screened.length).toBe(roots.length);
    expect(roots.map((_, chunkNo) => rootOf.get(chunkNo))).toEqual(roots);
    for (const action of ['aml.batch.created', 'aml.batch.started', 'aml.batch.completed']) {
      expect(entries.filter((entry) => entry.action === action)).toHaveLength(1);
    }
    expect(await this.completions(batch)).toBe(1);
  }

  /** Entries of the batch, in its tenant's chain. */
  async entries({ batchId, tenantId }: Batch): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (let fromSeq = 1; ; ) {
      const ask = { chainId: chainOf(tenantId), fromSeq, limit: 1_000 };
      const events = await this.installation.storage.audit.readEvents(ask);
      for (const { body } of events) entries.push(JSON.parse(body) as Entry);
      const last = events.at(-1);
      if (last === undefined) return entries.filter(({ target }) => target === batchId);
      fromSeq = last.seq + 1;
    }
  }

  /** How often the bus was told that it is completed: no relay runs here. */
  async completions({ batchId }: Batch): Promise<number> {
    const { outbox } = this.installation.storage;
    for (let page = await outbox.readFor('bus', 1_000); page; ) {
      this.#published.push(...page.events);
      await outbox.markDone('bus', page.token);
      page = await outbox.readFor('bus', 1_000);
    }
    const told = this.#published.filter(({ topic }) => topic === 'aml.batch.completed');
    return told.filter(({ payload }) => payload.batch_id === batchId).length;
  }

  /** Milliseconds until nothing of the batch waits for a process that has died. */
  async takenOver(batch: Batch, dead: ChildProcess): Promise<number> {
    const since = performance.now();
    const isFree = async () => !(await this.isHeldBy(batch, dead));
    await vi.waitUntil(isFree, { ...UNTIL, interval: 200 });
    return performance.now() - since;
  }

  async isHeldBy(batch: Batch, { pid }: ChildProcess): Promise<boolean> {
    return (await this.#holders(batch)).has(pid ?? 0);
  }

  /** Pids of those who have a chunk of it in hand, or it as a whole. */
  async #holders({ batchId }: Batch): Promise<ReadonlySet<number>> {
    const { tables } = this.installation.storage;
    const held = [
      ...(await tables.held(batchTable, { limit: 1_000 })),
      ...(await tables.held(chunkTable, { limit: 1_000 })),
    ];
    const own = held.filter(({ record }) => record.batchId === batchId);
    return new Set(own.map(({ lease }) => pidOf(lease.holder)));
  }

  async close(): Promise<void> {
    for (const child of this.#workers) if (isRunning(child)) child.kill('SIGKILL');
    await this.installation.close();
    rmSync(this.#folder, { force: true, recursive: true });
  }
}

interface Entry {
  readonly action: string;
  readonly target: string;
  readonly chunk_no?: number;
  readonly merkle_root?: string;
}

/** The pid in `<host>/<process>/<pid>/<instance>`. */
const pidOf = (holder: string): number => Number(holder.split('/')[2]);

export const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

function expectForward(before: Batch, after: Batch): void {
  expect(after.version).toBeGreaterThanOrEqual(before.version);
  for (const name of ['chunks', 'hits', 'subjects', 'subjectsWithHits'] as const) {
    expect(after.counts[name]).toBeGreaterThanOrEqual(before.counts[name]);
  }
}

/** The installation with the tenant that has the batch, as an administrator made it. */
export function administered({ installation }: BatchHouse, { tenantId }: Pick<Batch, 'tenantId'>) {
  const { audit, tables } = installation.storage;
  const tenants = { records: [{ id: tenantId }] };
  const page: typeof tables.page = async (table, ask) =>
    table.name === 'tenant' ? (tenants as never) : tables.page(table, ask);
  return {
    ...installation,
    storage: { ...installation.storage, audit, tables: { ...tables, page } },
  };
}
