/** Which entities a search may look at: those of the query's schema that it has not scored yet. */
import { get32, getU8, setU8 } from './machine.ts';
import { ATTRIBUTES } from './scratch.ts';
import { entitySchema, scoredSet, scratch } from './sections.ts';

/** Whether the entity is of the schema that the query asks for, if it asks for one. */
export function isSought(entity: i32): bool {
  const schema = get32(scratch + ATTRIBUTES);
  return schema === 0 || getU8(entitySchema + entity) === schema;
}

/** Whether the entity was scored before, or is hidden by an overlay. */
export function isScored(entity: i32): bool {
  return (getU8(scoredSet + (entity >> 3)) & (1 << (entity & 7))) !== 0;
}

/** Whether the entity was not scored before; marks it as scored. */
export function addScored(entity: i32): bool {
  const at = scoredSet + (entity >> 3);
  const before = getU8(at);
  const bit = 1 << (entity & 7);
  if ((before & bit) !== 0) return false;
  setU8(at, before | bit);
  return true;
}
