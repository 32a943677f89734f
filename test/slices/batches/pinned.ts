/** Lists that change, and batches that pin them: real imports, store, blobs and engine. */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatchId, TenantId } from '#core/kernel';
import { createEngine, type LoadedIndex } from '#engine';
import type { EpochMs } from '#platform/clock';
import { loadConfig } from '#platform/config';
import {
  type Batch,
  type BatchHit,
  type BatchMode,
  type PinnedList,
  PinnedLists,
  type PinnedListsOptions,
  pinLists,
} from '#slices/batches';
import { importList } from '#slices/ingestion';
import { type ListVersion, signedVersions } from '#slices/lists';
import { resolvedListStore } from '#slices/resolution';
import { screeningSettings } from '#slices/screening';
import { openInstallation } from '../../../src/app/installation.ts';
import { PinnedClusters } from '../../../src/slices/batches/pinnedClusters.ts';
import { screenChunk } from '../../../src/slices/batches/screenChunk.ts';
import { listFormatReader } from '../../../src/sources/listFormat.ts';
import { importPorts } from '../ingestion/runParts.ts';

const DAY_MS = 24 * 3_600_000;
const FORMAT = 'urn:compliance-platform:list-format:v1';

/** Name by id. */
export type Entities = Readonly<Record<string, string>>;
export type Lists = Awaited<ReturnType<typeof openLists>>;

type Ask = Partial<Pick<Batch, 'lists' | 'since' | 'baseBatchId' | 'kind'>>;
type Options = Partial<PinnedListsOptions<LoadedIndex>>;

export async function openLists() {
  const dataDir = await mkdtemp(join(tmpdir(), 'pinned-lists-'));
  const installation = await openInstallation({
    config: loadConfig({ DATA_DIR: dataDir }),
    onWarning: () => undefined,
    processName: 'test',
  });
  const engine = createEngine({ queueMax: 10, threads: 0 });
  const ports = importPorts(installation);
  const signed = signedVersions({ ...installation, audit: installation.storage.audit });
  const batches = new Map<string, Batch>();
  let day = Date.UTC(2026, 0, 1);
  const loads: (LoadedIndex | undefined)[] = [];
  const open = (options: Options = {}) =>
    new PinnedLists<LoadedIndex>({
      blobs: installation.blobs,
      buildSnapshot: ports.buildSnapshot,
      lists: resolvedListStore(installation.storage.tables),
      load: async (base, overlay) => {
        const index = await engine.loadInSteps(base, overlay);
        loads.push(index);
        return index;
      },
      signed,
      ...options,
    });
  const pinned = open();

  return {
    installation,
    signed,
    /** Every index that was loaded, in order. */
    loads,
    open,

    /** Each release is of the day after the one before it. */
    async publish(source: string, entities: Entities): Promise<ListVersion> {
      day += DAY_MS;
      const release_date = new Date(day).toISOString().slice(0, 10);
      const lines = Object.entries(entities).map(([ftm_id, primary_name]) => ({
        categories: ['SAN'],
        ftm_id,
        primary_name,
        schema: 'Person',
      }));
      const header = { $schema: FORMAT, entity_count: lines.length, release_date, source };
      const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
      const { version } = await importList({
        actor: 'cli:test',
        allow: { shrink: true },
        ports,
        read: (async function* () {
          yield Buffer.from(text);
        })(),
        reader: listFormatReader,
        sourceId: source,
      });
      return version;
    },

    /** A batch that has started now; one that goes on from it sees it as completed. */
    async start(mode: BatchMode, ask: Ask = {}): Promise<Batch> {
      const batch = {
        batchId: `batch-${batches.size}` as BatchId,
        chunkSubjects: 1_000,
        includeAdverseMedia: true,
        includePep: true,
        kind: 'aml',
        lists: [],
        mode,
        name: 'portfolio',
        sandbox: true,
        secret: Buffer.alloc(32, 7).toString('base64'),
        settings: installation.settings.defaults.of(screeningSettings),
        tenantId: 'tenant' as TenantId,
        thresholds: { autoClear: 0.92, autoMatch: 0.95, review: 0.93 },
        ...ask,
      } as unknown as Batch;
      const set = await pinLists(
        {
          batches: { findBatch: async ({ batchId }) => batches.get(batchId) },
          lists: resolvedListStore(installation.storage.tables),
          results: { checkCompleted: async () => undefined },
          signed,
        },
        batch,
      );
      const started = { ...batch, ...set };
      batches.set(batch.batchId, started);
      return started;
    },

    /** `source/id` of every entity that one of these names finds. */
    async found(batch: Batch, names: readonly string[], lists = pinned): Promise<string[]> {
      const held = await lists.acquire(batch);
      try {
        const subjects = names.map((full_name, place) => ({
          line: place + 1,
          subject: { external_id: `c-${place}`, full_name },
        }));
        const { resolution } = held;
        const ask = { batch, chunkNo: 0, lists: held.lists, subjects };
        const clusters = resolution && new PinnedClusters().of(resolution);
        const hits: BatchHit[] = [];
        for await (const result of screenChunk(engine, { ...ask, clusters })) {
          hits.push(...result.hits);
        }
        const found = new Set(
          hits.map(({ list_source, record_id }) => `${list_source}/${record_id}`),
        );
        return [...found].sort();
      } finally {
        held.release();
      }
    },

    /** As if the disk had lost it. */
    async lose(address: string): Promise<void> {
      const path = join(dataDir, 'blobs', 'sha256', address.slice(0, 2), address.slice(2));
      await rename(path, `${path}.lost`);
    },

    async close(): Promise<void> {
      pinned.close();
      await engine.close();
      await installation.close();
      await rm(dataDir, { force: true, recursive: true });
    },
  };
}

export const labels = ({ listsPinned = [] }: Batch): readonly string[] =>
  listsPinned.map(
    ({ list_version, since, source }: PinnedList) =>
      `${source} ${list_version}${since ? ` since ${since.list_version}` : ''}`,
  );

export const at = (version: ListVersion, plusMs = 0): EpochMs =>
  (version.publishedAt + plusMs) as EpochMs;
