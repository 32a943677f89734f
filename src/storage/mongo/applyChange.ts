/**
 * Plans a group's changes: from the records as they are to the records as they will be, each
 * change seeing the ones before it. Nothing is written here, so that both ways of writing (in a
 * transaction, or by an intent) share the rules.
 */
import type { ClientSession } from 'mongodb';
import { type AnyChange, isTableChange } from '#core/kernel';
import type { RunChange } from '#slices/ingestion';
import type { ListChange, ListSource, ListVersion } from '#slices/lists';
import type { ResolutionChange } from '#slices/resolution';
import {
  assertKnownChange,
  isResolutionChange,
  isRunChange,
  type KnownChange,
} from '../knownChange.ts';
import type { Collections, RecordWrite } from './collections.ts';
import { padId } from './effects.ts';
import { RecordView } from './recordView.ts';
import { runDocument } from './runStore.ts';

export type Plan =
  | {
      readonly kind: 'writes';
      readonly writes: readonly RecordWrite[];
      readonly isPublication: boolean;
    }
  | { readonly kind: 'stale'; readonly changeIndex: number };

/** Versions of one group keep their order within it. */
const CHANGES_PER_GROUP_MAX = 1_000;

export async function planChanges(options: {
  collections: Collections;
  session: ClientSession | undefined;
  changes: readonly AnyChange[];
  /** The group's place among all that change state. */
  changeNo: number;
}): Promise<Plan> {
  const view = new RecordView(options.collections, options.session);
  for (const [index, change] of options.changes.entries()) {
    if (isTableChange(change)) continue;
    assertKnownChange(change);
    const no = options.changeNo * CHANGES_PER_GROUP_MAX + index;
    if (!(await planChange(view, change, no))) return { kind: 'stale', changeIndex: index };
  }
  return { kind: 'writes', writes: view.writes(), isPublication: view.isPublication };
}

function planChange(view: RecordView, change: KnownChange, no: number): Promise<boolean> {
  if (isRunChange(change)) return planRun(view, change);
  if (isResolutionChange(change)) return planResolution(view, change);
  return planList(view, change, no);
}

function planRun(view: RecordView, change: RunChange): Promise<boolean> {
  if (change.kind === 'list.run.put') {
    return view.put('list_run', change.versionExpected, runDocument(change.run));
  }
  const { sourceId, seq } = change.row;
  const _id = `${sourceId}/${padId(seq)}`;
  const document = JSON.stringify(change.row);
  return view.put('schedule_audit', 0, { _id, version: 1, document, sourceId, no: seq });
}

function planResolution(view: RecordView, { resolution }: ResolutionChange): Promise<boolean> {
  view.isPublication = true;
  const _id = padId(resolution.version);
  const document = JSON.stringify(resolution);
  return view.put('list_resolution', 0, { _id, version: 1, document });
}

async function planList(view: RecordView, change: ListChange, no: number): Promise<boolean> {
  if (change.kind === 'list.source.put') {
    return putSource(view, change.source, change.versionExpected);
  }
  const { list, versionExpected } = change;
  const before = await view.find('list_source', list.sourceId);
  if (before === undefined || before.version !== versionExpected) return false;
  if (!(await putVersion(view, list, no))) return false;
  const source = JSON.parse(before.document) as ListSource;
  const next = { ...source, active: list, version: versionExpected + 1 };
  return putSource(view, next, versionExpected);
}

async function putSource(view: RecordView, source: ListSource, expected: number) {
  const before = await view.find('list_source', source.sourceId);
  const active = before && (JSON.parse(before.document) as ListSource).active;
  if (JSON.stringify(active) !== JSON.stringify(source.active)) view.isPublication = true;
  const { sourceId, version } = source;
  const document = JSON.stringify(source);
  return view.put('list_source', expected, { _id: sourceId, version, document });
}

/** False if the label stands for other content already; the same version again is no change. */
async function putVersion(view: RecordView, list: ListVersion, no: number): Promise<boolean> {
  const { sourceId, listDigest, contentDigest } = list;
  const _id = `${sourceId}/${list.listVersion}`;
  const before = await view.find('list_version', _id);
  if (before !== undefined) {
    return before.listDigest === listDigest && before.contentDigest === contentDigest;
  }
  const document = JSON.stringify(list);
  const record = { _id, version: 1, document, sourceId, listDigest, contentDigest, no };
  return view.put('list_version', 0, record);
}
