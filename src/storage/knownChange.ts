/**
 * The kinds of change that the stores know how to apply. A slice that adds a kind adds it here and
 * to both adapters; the list is closed, so that an unknown one fails before anything is written.
 */
import assert from 'node:assert/strict';
import type { AnyChange } from '#core/kernel';
import type { RunChange } from '#slices/ingestion';
import type { ListChange } from '#slices/lists';
import type { ResolutionChange } from '#slices/resolution';

export type KnownChange = ListChange | ResolutionChange | RunChange;

const KINDS: ReadonlySet<string> = new Set<KnownChange['kind']>([
  'list.publish',
  'list.source.put',
  'list.run.put',
  'list.schedule.audit',
  'list.resolution.put',
]);

export function isRunChange(change: KnownChange): change is RunChange {
  return change.kind === 'list.run.put' || change.kind === 'list.schedule.audit';
}

export function isResolutionChange(change: KnownChange): change is ResolutionChange {
  return change.kind === 'list.resolution.put';
}

/** A broken change is a mistake of the slice that made it, not something a caller can act on. */
export function assertKnownChange(change: AnyChange): asserts change is KnownChange {
  assert(KINDS.has(change.kind ?? ''), `unknown change ${change.kind}`);
  const put = change as KnownChange;
  if (!('versionExpected' in put)) return;
  assert(Number.isSafeInteger(put.versionExpected) && put.versionExpected >= 0);
  const version = versionOf(put);
  assert(
    version > put.versionExpected,
    `${put.kind}: version ${version} must be over ${put.versionExpected}`,
  );
}

/** For a record that is saved outside a group, as `assertKnownChange` for one inside. */
export function assertNewer({ version }: { version: number }, versionExpected: number): void {
  assert(versionExpected >= 1, 'what is saved has begun by a change of a group');
  assert(version > versionExpected, `version ${version} must be over ${versionExpected}`);
}

type VersionedChange = Extract<KnownChange, { readonly versionExpected: number }>;

function versionOf(change: VersionedChange): number {
  switch (change.kind) {
    case 'list.source.put':
      return change.source.version;
    case 'list.run.put':
      return change.run.version;
    case 'list.publish':
      return change.versionExpected + 1;
  }
}
