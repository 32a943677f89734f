/**
 * Entities that have a name with a phonetic code and another without. By re-ranker 1.1 the name
 * without one has no such component, so it may match where the bounds for coded entities say no.
 * Worked out once per list and thread; a handful on real lists.
 */
import { ENTITY_CODED, FORM_CODED, type Snapshot } from './snapshotFormat.ts';

const known = new WeakMap<Snapshot, Uint32Array>();

/** Their numbers, ascending. */
export function partlyUncoded(list: Snapshot): Uint32Array {
  const before = known.get(list);
  if (before !== undefined) return before;
  const numbers: number[] = [];
  list.entityFlags.forEach((flags, entity) => {
    if ((flags & ENTITY_CODED) !== 0 && hasUncoded(list, entity)) numbers.push(entity);
  });
  const found = Uint32Array.from(numbers);
  known.set(list, found);
  return found;
}

function hasUncoded({ entityFirstForm, formFlags, formName }: Snapshot, entity: number): boolean {
  const end = entityFirstForm[entity + 1] ?? 0;
  let form = entityFirstForm[entity] ?? 0;
  while (form < end) {
    const name = formName[form];
    let isCoded = false;
    for (; form < end && formName[form] === name; form++) {
      if (((formFlags[form] ?? 0) & FORM_CODED) !== 0) isCoded = true;
    }
    if (!isCoded) return true;
  }
  return false;
}
