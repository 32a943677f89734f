/** What a commit brings beside its evidence: changes of records, and events that go out. */
import type { BusEvent } from './events.ts';
import type { Change } from './table.ts';

/** The part of a commit that stores keep as records and hand on as events. */
export interface Effects {
  readonly bus: readonly BusEvent[];
  readonly changes: readonly Change[];
}

/** Characters as they are stored, about: evidence is counted by its own bodies. */
export function effectsSize({ bus, changes }: Effects): number {
  const stored = [...bus.map(({ payload }) => payload), ...changes];
  return stored.reduce((sum, effect) => sum + JSON.stringify(effect).length, 0);
}

/** Appended rows never are: no other writer is first. */
export function isNeverStale({ changes }: Pick<Effects, 'changes'>): boolean {
  return changes.every(({ op }) => op === 'append');
}
