/**
 * Plans a group's changes: from the records as they are to the records as they will be, each
 * change seeing the ones before it. Nothing is written here, so that both ways of writing (in a
 * transaction, or by an intent) share the rules.
 */
import type { ClientSession } from 'mongodb';
import { type AnyChange, isTableChange } from '#core/kernel';
import { assertKnownChange } from '../knownChange.ts';
import type { Collections, RecordWrite } from './collections.ts';
import { RecordView } from './recordView.ts';
import { runDocument } from './runStore.ts';

export type Plan =
  | { readonly kind: 'writes'; readonly writes: readonly RecordWrite[] }
  | { readonly kind: 'stale'; readonly changeIndex: number };

export async function planChanges(options: {
  collections: Collections;
  session: ClientSession | undefined;
  changes: readonly AnyChange[];
}): Promise<Plan> {
  const view = new RecordView(options.collections, options.session);
  for (const [index, change] of options.changes.entries()) {
    if (isTableChange(change)) continue;
    assertKnownChange(change);
    const isPlanned = view.put('list_run', change.versionExpected, runDocument(change.run));
    if (!(await isPlanned)) return { kind: 'stale', changeIndex: index };
  }
  return { kind: 'writes', writes: view.writes() };
}
