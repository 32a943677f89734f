/**
 * The kinds of change that the stores apply by hand, of slices that have not declared their tables
 * yet. The list is closed, so that an unknown one fails before anything is written.
 */
import assert from 'node:assert/strict';
import type { AnyChange } from '#core/kernel';
import type { RunChange } from '#slices/ingestion';

export type KnownChange = RunChange;

const KINDS: ReadonlySet<string> = new Set<KnownChange['kind']>(['list.run.put']);

/** A broken change is a mistake of the slice that made it, not something a caller can act on. */
export function assertKnownChange(change: AnyChange): asserts change is KnownChange {
  assert(KINDS.has(change.kind ?? ''), `unknown change ${change.kind}`);
  const { kind, run, versionExpected } = change as KnownChange;
  assert(Number.isSafeInteger(versionExpected) && versionExpected >= 0);
  assert(
    run.version > versionExpected,
    `${kind}: version ${run.version} must be over ${versionExpected}`,
  );
}

/** For a record that is saved outside a group, as `assertKnownChange` for one inside. */
export function assertNewer({ version }: { version: number }, versionExpected: number): void {
  assert(versionExpected >= 1, 'what is saved has begun by a change of a group');
  assert(version > versionExpected, `version ${version} must be over ${versionExpected}`);
}
