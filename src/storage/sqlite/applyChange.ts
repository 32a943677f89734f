/**
 * Applies one state change of a slice by compare-and-set: `versionExpected` 0 means that the record
 * must not exist. False: it did not hold. Runs inside the group's transaction, so a change sees
 * the ones before it.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { AnyChange } from '#core/kernel';
import { assertKnownChange } from '../knownChange.ts';
import { runChanges } from './runStore.ts';

export function applyChange(database: DatabaseSync): (change: AnyChange) => boolean {
  const runs = runChanges(database);
  return (change) => {
    assertKnownChange(change);
    return runs(change);
  };
}
