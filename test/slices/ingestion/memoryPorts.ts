/** Ports of an import in memory: what storage promises, without storage. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Commit } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Clock, EpochMs } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import type { ImportPorts } from '#slices/ingestion';
import { type IndexableEntity, listStore, sourceTable, versionTable } from '#slices/lists';
import { resolutionTable } from '#slices/resolution';
import { modelHouse } from '../../storage/modelHouse.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';

/** Blobs, and a model of the tables that an import writes. */
export class MemoryStore {
  readonly blobs = new Map<string, Uint8Array>();
  readonly house = modelHouse([resolutionTable, sourceTable, versionTable]);

  get commits(): readonly Commit[] {
    return this.house.commits.map(({ commit }) => commit);
  }
}

export const testSigner = signerFromSeed(new Uint8Array(32).fill(7));

export function memoryPorts(store: MemoryStore, replaced: Partial<ImportPorts> = {}): ImportPorts {
  let now = Date.parse('2026-02-03T04:05:06.789Z');
  const clock: Clock = { now: () => now++ as EpochMs, monotonicMs: () => now++ };
  let drawn = 0;
  return {
    lists: listStore(store.house.tables),
    blobs: memoryBlobs(store.blobs),
    commit: store.house.commit,
    signer: testSigner,
    clock,
    random: { bytes: (count) => new Uint8Array(count).fill(++drawn) },
    buildSnapshot: async (batches) => snapshotOf(await allOf(batches)),
    inspectSnapshot: async (snapshot, overlay) => {
      const entities = entitiesIn(snapshot, overlay);
      const nameCount = entities.reduce((sum, entity) => sum + entity.names.length, 0);
      return { entityCount: entities.length, nameCount };
    },
    signed: { ...TRUSTED, changesSince: (of) => changesSince(store, of) },
    spoolDirectory: join(tmpdir(), 'compliance-test-spool'),
    ...replaced,
  };
}

/** As entries tell them, which tell the same as these records. */
async function changesSince(
  store: MemoryStore,
  { from, to }: Parameters<ImportPorts['signed']['changesSince']>[0],
): Promise<readonly (string | undefined)[]> {
  const versions = await allOf(
    (async function* () {
      for await (const version of listStore(store.house.tables).everyVersion(to.sourceId)) {
        yield [version];
      }
    })(),
  );
  const labels = versions.map(({ listVersion }) => listVersion).reverse();
  const addresses = versions.map(({ changesBlob }) => changesBlob).reverse();
  return addresses.slice(labels.indexOf(from.listVersion) + 1, labels.indexOf(to.listVersion) + 1);
}

export async function allOf<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

const parsed = (bytes: SharedArrayBuffer): unknown =>
  JSON.parse(Buffer.from(new Uint8Array(bytes)).toString());

interface Overlay {
  readonly removed: readonly string[];
  readonly changed: readonly IndexableEntity[];
}

/** As the engine's, of readable snapshots: what is removed has to be there. */
export const buildOverlay: NonNullable<ImportPorts['buildOverlay']> = async (of) => {
  const ids = new Set((parsed(of.base) as IndexableEntity[]).map(({ id }) => id));
  const absent = of.removed.find((id) => !ids.has(id));
  if (absent !== undefined) throw new Error(`overlay: ${absent} is not in the base`);
  const { changed, removed } = of;
  return Buffer.from(JSON.stringify({ changed: [...changed], removed: [...removed] }));
};

/** Entities in a snapshot, or in a snapshot and its overlay. */
export function entitiesIn(
  snapshot: SharedArrayBuffer,
  overlay: SharedArrayBuffer | undefined,
): IndexableEntity[] {
  const base = parsed(snapshot) as IndexableEntity[];
  if (!overlay) return base;
  const { changed, removed } = parsed(overlay) as Overlay;
  const hidden = new Set([...removed, ...changed.map(({ id }) => id)]);
  return [...base.filter(({ id }) => !hidden.has(id)), ...changed].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}

/** Readable instead of fast. */
export function snapshotOf(entities: Iterable<IndexableEntity>): Uint8Array {
  return Buffer.from(JSON.stringify([...entities]));
}

const PUT_AT = Date.parse('2026-02-01T00:00:00.000Z') as EpochMs;

/** Pieces of odd sizes, so that lines cross their borders. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 997) yield bytes.subarray(at, at + 997);
}

export function memoryBlobs(blobs: Map<string, Uint8Array>): BlobStore {
  const get = (address: string) => blobs.get(address);
  return {
    put: async (bytes) => {
      const parts: Uint8Array[] = [];
      if (bytes instanceof Uint8Array) parts.push(bytes);
      else for await (const part of bytes) parts.push(part);
      const whole = new Uint8Array(Buffer.concat(parts));
      const address = createHash('sha256').update(whole).digest('hex');
      blobs.set(address, whole);
      return { address, bytes: whole.length };
    },
    get: async (address) => get(address),
    getShared: async (address) => {
      const bytes = get(address);
      if (!bytes) return undefined;
      const shared = new SharedArrayBuffer(bytes.length);
      new Uint8Array(shared).set(bytes);
      return shared;
    },
    open: async (address) => {
      const bytes = get(address);
      return bytes && piecesOf(bytes);
    },
    openRanges: async (address) => {
      const bytes = get(address);
      return (
        bytes && {
          close: async () => {},
          read: async (start, length) => bytes.subarray(start, start + length),
        }
      );
    },
    has: async (address) => blobs.has(address),
    size: async (address) => get(address)?.length,
    async *list() {
      for (const [address, { length }] of blobs) yield { address, bytes: length, putAt: PUT_AT };
    },
    remove: async (address, { putBefore }) => putBefore > PUT_AT && blobs.delete(address),
  };
}
