/**
 * The engine's index of a version: a snapshot of all of it, or, where little has changed since an
 * earlier version's snapshot, an overlay on that. Either is made from the bundle as the blob store
 * has it, read again and verified: what is screened is what was signed.
 */
import type { PutBlob } from '#core/blobs';
import { DomainError } from '#core/kernel';
import {
  blobSeal,
  chosenEntities,
  type EntitiesOf,
  type EntityChange,
  type IndexableEntity,
  type IndexBytes,
  isLoadable,
  type ListChanges,
  type ListVersion,
  OVERLAY_CHANGES_MAX,
  readChanges,
  readIndex,
  SealedPut,
  type SealPorts,
  type StoredSeal,
  sharedBytes,
  versionEntities,
} from '#slices/lists';
import { isPublished } from './formerVersion.ts';
import type { ImportPorts } from './importPorts.ts';

/** Share of the base's entities that an overlay may change. */
export const OVERLAY_SHARE_MAX = 0.1;
/** Changes of all versions since the base together, however often they are of the same entities. */
export const STACKED_CHANGES_MAX = 2 * OVERLAY_CHANGES_MAX;

/** Ports to build and inspect an index. */
export type IndexPorts = Pick<
  ImportPorts,
  'blobs' | 'buildSnapshot' | 'inspectSnapshot' | 'buildOverlay'
> &
  // Without them nothing is sealed, and sealed blobs are verified by their address; an index is
  // never an overlay.
  Partial<SealPorts & Pick<ImportPorts, 'signed'>>;

/** Not verified yet. */
export interface WrittenIndex {
  readonly snapshotBlob: string;
  /** Seal of a snapshot that was put. */
  readonly snapshotSeal?: StoredSeal;
  readonly overlayBlob?: string;
  /** The written index, to be inspected; for an overlay, with its base. */
  readonly snapshot: SharedArrayBuffer;
  readonly overlay?: SharedArrayBuffer;
  /** The one that was put: the overlay, or without one the snapshot. */
  readonly put: PutBlob;
}

export interface IndexInput extends EntitiesOf {
  readonly changes: ListChanges;
  /** Latest first; the first one is in force. */
  readonly published: readonly ListVersion[];
}

export async function writeIndex(ports: IndexPorts, input: IndexInput): Promise<WrittenIndex> {
  const plan = await planOverlay(ports, input);
  const overlay = plan && (await writeOverlay(ports, input, plan));
  return overlay ?? writeSnapshot(ports, input);
}

async function writeSnapshot(ports: IndexPorts, input: IndexInput): Promise<WrittenIndex> {
  const entities = versionEntities(input.bundle, ports.blobs, input.put);
  const built = sharedBytes(await ports.buildSnapshot(entities));
  const { random, signer } = ports;
  const sealed = random && signer && new SealedPut({ random, signer });
  const put = await ports.blobs.put(new Uint8Array(built), sealed && { sealKey: sealed.key });
  const snapshotSeal = sealed?.stored(put);
  return {
    put,
    snapshot: built,
    snapshotBlob: put.address,
    ...(snapshotSeal !== undefined && { snapshotSeal }),
  };
}

interface OverlayPlan {
  readonly base: ListVersion;
  readonly snapshot: SharedArrayBuffer;
  readonly removed: readonly string[];
  readonly changed: ReadonlySet<string>;
}

/** Undefined where the base is of a format that this release does not read. */
async function writeOverlay(
  ports: IndexPorts,
  input: IndexInput,
  plan: OverlayPlan,
): Promise<WrittenIndex | undefined> {
  const { base, snapshot } = plan;
  const changed: IndexableEntity[] = [];
  const entities = chosenEntities(ports, input, plan.changed);
  for await (const batch of entities) changed.push(...batch);
  const built = await overlayOf(ports, plan, changed);
  if (built === undefined) return undefined;
  const overlay = sharedBytes(built);
  const put = await ports.blobs.put(new Uint8Array(overlay));
  return { overlay, overlayBlob: put.address, put, snapshot, snapshotBlob: base.snapshotBlob };
}

async function overlayOf(
  ports: IndexPorts,
  { base, removed, snapshot }: OverlayPlan,
  changed: readonly IndexableEntity[],
): Promise<IndexBytes | undefined> {
  try {
    return await ports.buildOverlay?.({ base: snapshot, changed, removed });
  } catch (error) {
    // Checked only now: it reads the whole base, as the building has done.
    if (await isLoadable(base, { overlay: undefined, snapshot }, ports)) throw error;
    return undefined;
  }
}

/** Undefined where a snapshot is the better choice, or the only one. */
async function planOverlay(ports: IndexPorts, input: IndexInput): Promise<OverlayPlan | undefined> {
  const { published } = input;
  const [last] = published;
  const { signed } = ports;
  if (!ports.buildOverlay || !signed || !last || !input.changes.touched) return undefined;
  const { snapshotBlob } = last;
  const baseAt = published.findIndex(
    (version) => version.snapshotBlob === snapshotBlob && version.overlayBlob === undefined,
  );
  const base = published[baseAt];
  if (!base || !(await isPublished({ signed }, base))) return undefined;
  const touchedMax = base.entityCount * OVERLAY_SHARE_MAX;
  if (input.changes.touched.length > touchedMax) return undefined;
  const addresses = await signed.changesSince({ from: base, to: last });
  const since = addresses && (await changesSince(ports, addresses));
  if (since === undefined) return undefined;
  const { changed, removed } = summed([...since, input.changes.touched]);
  if (changed.size + removed.length > touchedMax) return undefined;
  const seal = ports.signer && base.snapshotSeal && blobSeal(base.snapshotSeal, ports.signer);
  const { snapshot } = await readIndex(base, ports.blobs, seal);
  return snapshot && { base, changed, removed, snapshot };
}

/** Oldest first; undefined where one is not known any more, and where they are too many. */
async function changesSince(
  ports: IndexPorts,
  addresses: readonly (string | undefined)[],
): Promise<readonly (readonly EntityChange[])[] | undefined> {
  const all: (readonly EntityChange[])[] = [];
  let count = 0;
  for (const address of addresses) {
    const changes = address && (await readChanges(ports.blobs, address));
    if (!changes) return undefined;
    all.push(changes);
    count += changes.length;
    if (count > STACKED_CHANGES_MAX) return undefined;
  }
  return all;
}

/** Against the base: what came after it and went again is no change. */
function summed(
  all: readonly (readonly EntityChange[])[],
): Pick<OverlayPlan, 'changed' | 'removed'> {
  const inBase = new Map<string, boolean>();
  const changed = new Set<string>();
  for (const { ftm_id, op } of all.flat()) {
    if (!inBase.has(ftm_id)) inBase.set(ftm_id, op !== 'added');
    if (op === 'removed') changed.delete(ftm_id);
    else changed.add(ftm_id);
  }
  const removed = [...inBase].filter(([id, isInBase]) => isInBase && !changed.has(id));
  return { changed, removed: removed.map(([id]) => id).sort() };
}

/** Verifies the index as the store returns it; answers how many names are indexed. */
export async function verifyIndex(
  { blobs, inspectSnapshot }: IndexPorts,
  { overlay, put, snapshot }: WrittenIndex,
  expected: number,
): Promise<number> {
  const written = await blobs.open(put.address, put);
  let bytes = 0;
  for await (const piece of written ?? []) bytes += piece.length;
  const isWhole = bytes === (overlay ?? snapshot).byteLength;
  // The overlay's base was verified when the overlay was built.
  const inIndex = overlay
    ? await inspectSnapshot(snapshot, overlay, { isBaseChecked: true })
    : await inspectSnapshot(snapshot);
  if (isWhole && inIndex.entityCount === expected) return inIndex.nameCount;
  throw new DomainError('blob-damaged', {
    detail: `index: expected ${expected} entities, got ${inIndex.entityCount} (${bytes} bytes)`,
  });
}
