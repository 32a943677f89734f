/**
 * Counts of an index, without laying it out for threads. A caller that has just built an index, or
 * checks whether a stored one is whole, needs no second copy of it.
 */
import { bytesAskedFor } from './listMemory.ts';
import { openOverlay } from './overlayFormat.ts';
import { checkSnapshot, openSnapshot } from './snapshotFormat.ts';

/**
 * The counts of an index as LoadedIndex (ports.ts) has them: entities and published names, an
 * overlay's changes included.
 */
export interface IndexCounts {
  readonly entityCount: number;
  readonly nameCount: number;
}

/**
 * Checks and counts an index. Throws as `Engine.load` does: foreign, another version, truncated,
 * damaged, or an overlay of another base. `isBaseChecked` skips the snapshot's checksum, for a
 * snapshot that `buildOverlay` has just passed.
 */
export function inspectIndex(
  snapshot: SharedArrayBuffer,
  overlay?: SharedArrayBuffer,
  { isBaseChecked = false }: { readonly isBaseChecked?: boolean } = {},
): IndexCounts {
  if (!isBaseChecked) checkSnapshot(snapshot, bytesAskedFor(snapshot));
  const base = countsOf(snapshot);
  if (overlay === undefined) return base;
  const parts = openOverlay(overlay, snapshot);
  checkSnapshot(parts.snapshot);
  const added = countsOf(parts.snapshot);
  return {
    entityCount: base.entityCount + added.entityCount - parts.removedEntities,
    nameCount: base.nameCount + added.nameCount - parts.removedNames,
  };
}

function countsOf(snapshot: SharedArrayBuffer): IndexCounts {
  const { entitySchema, nameStart } = openSnapshot(snapshot);
  return { entityCount: entitySchema.length, nameCount: nameStart.length - 1 };
}
