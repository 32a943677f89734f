/**
 * Entities that changed since a snapshot → an overlay (overlayFormat.ts): milliseconds for one per
 * cent of a million, where building the snapshot again takes seconds. Ids are found in the base by
 * binary search, since its entities are ordered by id.
 */
import { ListText } from './answer.ts';
import { buildSnapshot } from './buildSnapshot.ts';
import { isRemoved, openOverlay, writeOverlay } from './overlayFormat.ts';
import type { IndexEntity } from './ports.ts';
import { checkSnapshot, openSnapshot, type Snapshot } from './snapshotFormat.ts';

/**
 * The change that an overlay is built from: all of it since the base, never since another overlay.
 */
export interface OverlayChange {
  /** A whole snapshot, never one with an overlay. */
  readonly base: SharedArrayBuffer;
  /** Ids of the base that are no longer listed. */
  readonly removed: Iterable<string>;
  /** New and different entities, ascending by id like all that is indexed. */
  readonly changed: Iterable<IndexEntity>;
}

/** Ids in an overlay, ascending by code units. */
export interface OverlayIds {
  /** No longer listed. */
  readonly removed: readonly string[];
  /** New, or different from the base. */
  readonly changed: readonly string[];
}

/** Number of the entity with this id; -1 where it is not listed. */
function placeOf(list: Snapshot, text: ListText, id: string): number {
  let low = 0;
  let high = list.entitySchema.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (text.id(middle) < id) low = middle + 1;
    else high = middle;
  }
  return low < list.entitySchema.length && text.id(low) === id ? low : -1;
}

/** Count of an entity's published names; those of one entity are neighbours. */
function nameCountOf(list: Snapshot, entity: number): number {
  const first = list.entityFirstForm[entity] ?? 0;
  const end = list.entityFirstForm[entity + 1] ?? 0;
  if (first === end) return 0;
  return (list.formName[end - 1] ?? 0) - (list.formName[first] ?? 0) + 1;
}

/** Entities of the base that an overlay hides, as a bitmap and as counts. */
class Removals {
  readonly bitmap: Uint8Array;
  entities = 0;
  names = 0;
  readonly #list: Snapshot;

  constructor(list: Snapshot) {
    this.#list = list;
    this.bitmap = new Uint8Array(Math.ceil(list.entitySchema.length / 8));
  }

  /** Hides an entity; returns whether it was visible before. */
  add(entity: number): boolean {
    if (isRemoved(this.bitmap, entity)) return false;
    this.bitmap[entity >> 3] = (this.bitmap[entity >> 3] ?? 0) | (1 << (entity & 7));
    this.entities += 1;
    this.names += nameCountOf(this.#list, entity);
    return true;
  }
}

/**
 * Builds an overlay; the same change gives the same bytes. Throws an Error where the base is
 * damaged, where a removed id is unknown, removed twice or also changed, and where the changed
 * entities' ids are not ascending and unique.
 */
export function buildOverlay({ base, removed, changed }: OverlayChange): SharedArrayBuffer {
  checkSnapshot(base);
  const list = openSnapshot(base);
  const text = new ListText(list);
  const removals = new Removals(list);
  for (const id of removed) {
    const entity = placeOf(list, text, id);
    if (entity < 0) throw new Error(`overlay: expected removed ids of the base, got '${id}'`);
    if (!removals.add(entity)) throw new Error(`overlay: '${id}' is removed twice`);
  }
  const removedAlone = removals.bitmap.slice();
  function* hiding(): Generator<IndexEntity> {
    for (const entity of changed) {
      const place = placeOf(list, text, entity.id);
      if (isRemoved(removedAlone, place)) {
        throw new Error(`overlay: '${entity.id}' is removed and changed`);
      }
      if (place >= 0) removals.add(place);
      yield entity;
    }
  }
  const snapshot = buildSnapshot(hiding());
  return writeOverlay(base, {
    removed: removals.bitmap,
    removedEntities: removals.entities,
    removedNames: removals.names,
    baseEntities: list.entitySchema.length,
    snapshot,
  });
}

/**
 * Ids that an overlay changes; with them and a later change the next overlay of the base is built.
 * Throws an Error where the overlay is damaged or made for another base.
 */
export function readOverlayIds(base: SharedArrayBuffer, overlay: SharedArrayBuffer): OverlayIds {
  const parts = openOverlay(overlay, base);
  checkSnapshot(parts.snapshot);
  const small = openSnapshot(parts.snapshot);
  const smallText = new ListText(small);
  const changed = Array.from(small.entitySchema, (_, entity) => smallText.id(entity));
  const isChanged = new Set(changed);
  const text = new ListText(openSnapshot(base));
  const removed: string[] = [];
  for (let entity = 0; entity < parts.baseEntities; entity++) {
    if (!isRemoved(parts.removed, entity)) continue;
    const id = text.id(entity);
    if (!isChanged.has(id)) removed.push(id);
  }
  return { removed, changed };
}
