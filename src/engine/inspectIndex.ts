/**
 * What an index holds, without laying it out for threads: whoever has just built one, or wants to
 * know whether a stored one is whole, needs its counts and no second copy of it.
 */
import { bytesAskedFor } from './listMemory.ts';
import { openOverlay } from './overlayFormat.ts';
import { checkSnapshot, openSnapshot } from './snapshotFormat.ts';

/** As of a loaded index (ports.ts). */
export interface IndexCounts {
  readonly entityCount: number;
  readonly nameCount: number;
}

/**
 * Throws as `Engine.load` does: foreign, another version, truncated, damaged, of another base. With
 * `isBaseChecked` the snapshot is not summed up: for one that `buildOverlay` has just passed.
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
