/**
 * The rule for a read by unique values, in every store: each plain member has a value. A derived
 * member needs none, since records for which it does not hold are not in the index.
 */
import assert from 'node:assert/strict';
import type { PlainTable, Scalar } from '#core/kernel';

/** Members of the unique declaration; throws where the values do not name one record. */
export function uniqueMembers(
  { name, spec }: PlainTable,
  unique: string,
  values: Readonly<Record<string, Scalar>>,
): readonly string[] {
  const members = spec.unique?.[unique];
  assert(members !== undefined, `table ${name}: no unique ${unique}`);
  for (const member of members) {
    const value = values[member];
    const isHeld = member in (spec.derived ?? {});
    const isAsked = isHeld ? value === undefined || value === true : value !== undefined;
    assert(isAsked, `table ${name}: ${unique} is of ${members.join()}, got ${member}: ${value}`);
  }
  return members;
}
