/** Lists in force with nothing replaced: real imports, store, blobs and engine. */
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, isLaterFormat, type LoadedIndex } from '#engine';
import { loadConfig } from '#platform/config';
import { IndexRebuild, importList } from '#slices/ingestion';
import { type ListVersion, signedVersions } from '#slices/lists';
import { resolvedListStore } from '#slices/resolution';
import { LoadedLists, type ScreeningSettings } from '#slices/screening';
import screening from '../../../config/screening.json' with { type: 'json' };
import { openInstallation } from '../../../src/app/installation.ts';
import { listFormatReader } from '../../../src/sources/listFormat.ts';
import { importPorts } from '../ingestion/runParts.ts';
import { setFormat } from '../lists/setFormat.ts';

const DAY_MS = 24 * 3_600_000;

export interface Published {
  readonly source: string;
  readonly names: readonly string[];
}

export type RealLists = Awaited<ReturnType<typeof openRealLists>>;

/** `env`: where the records are, if not in the embedded store. */
export async function openRealLists(env: Readonly<Record<string, string>> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'real-lists-'));
  const installation = await openInstallation({
    config: loadConfig({ ...env, DATA_DIR: dataDir }),
    onWarning: () => undefined,
    processName: 'test',
  });
  const engine = createEngine({ queueMax: 10, threads: 1 });
  let day = Date.UTC(2026, 0, 1);
  const blobPath = ({ snapshotBlob: address }: ListVersion): string =>
    join(dataDir, 'blobs', 'sha256', address.slice(0, 2), address.slice(2));

  return {
    installation,

    /** Lists as a process that starts now has them, and what it was told meanwhile. */
    start() {
      const swapped: string[] = [];
      const failed: (string | undefined)[] = [];
      const signed = signedVersions({ ...installation, audit: installation.storage.audit });
      const lists = new LoadedLists<LoadedIndex>({
        blobs: installation.blobs,
        lists: resolvedListStore(installation.storage.tables),
        allocate: (bytes) => engine.allocate(bytes),
        load: (base, overlay) => engine.loadInSteps(base, overlay),
        onFailed: (version) => failed.push(version?.sourceId),
        onSwapped: (version) => swapped.push(`${version.sourceId} ${version.listVersion}`),
        signed,
      });
      return { failed, lists, swapped };
    },

    /** Each release is of the day after the one before it. */
    async publish({ names, source }: Published): Promise<ListVersion> {
      day += DAY_MS;
      const release_date = new Date(day).toISOString().slice(0, 10);
      const header = { entity_count: names.length, release_date, source };
      const schema = 'urn:compliance-platform:list-format:v1';
      const entities = names.map((primary_name, number) => ({
        categories: ['SAN'],
        ftm_id: `${source}-${number}`,
        primary_name,
        schema: 'Person',
      }));
      const lines = [{ $schema: schema, ...header }, ...entities].map((line) =>
        JSON.stringify(line),
      );
      const { version } = await importList({
        actor: 'cli:test',
        ports: importPorts(installation),
        read: (async function* () {
          yield Buffer.from(`${lines.join('\n')}\n`);
        })(),
        reader: listFormatReader,
        sourceId: source,
      });
      return version;
    },

    /** Best name for a query among these indexes. */
    async find(name: string, indexes: readonly LoadedIndex[]): Promise<string | undefined> {
      const { reranker_version: version, missing_attributes, phonetic_names, top_n } = screening;
      const { candidates } = await engine.screen({
        deadlineMs: 10_000,
        indexes,
        query: { name, transliterations: [] },
        settings: {
          boosts: screening.boosts,
          directScoreMin: 0.7,
          missingAttributes: missing_attributes as ScreeningSettings['missingAttributes'],
          phoneticNames: phonetic_names as ScreeningSettings['phoneticNames'],
          topN: top_n,
          version,
          weights: screening.weights,
        },
      });
      return candidates.find((candidate) => candidate.directScore > 0.92)?.matchedName;
    },

    /** As if the disk had lost it. */
    hide: (version: ListVersion) => rename(blobPath(version), `${blobPath(version)}.hidden`),
    restore: (version: ListVersion) => rename(`${blobPath(version)}.hidden`, blobPath(version)),

    /** One byte of it turned. */
    async damage(version: ListVersion): Promise<void> {
      const bytes = await readFile(blobPath(version));
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      await chmod(blobPath(version), 0o600);
      await writeFile(blobPath(version), bytes);
    },

    setFormat: (version: ListVersion, format: number) => setFormat(installation, version, format),

    rebuild(): Promise<number> {
      return new IndexRebuild({
        ...importPorts(installation),
        isLaterFormat: async (bytes) => isLaterFormat(bytes),
        lists: resolvedListStore(installation.storage.tables),
        onBeyondRepair: (_, error) => {
          throw error;
        },
        onRebuilt: () => undefined,
        signed: signedVersions({ ...installation, audit: installation.storage.audit }),
      }).run();
    },

    async closeStore(): Promise<void> {
      await installation.close();
    },

    async close(): Promise<void> {
      await engine.close();
      await installation.close();
      await rm(dataDir, { force: true, recursive: true });
    },
  };
}
