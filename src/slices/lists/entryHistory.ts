/**
 * What became of an entry over the versions of its list: which of them added, changed or removed
 * it, from what each version keeps of its changes, and of the latest changes which members differ.
 */
import type { BlobStore } from '#core/blobs';
import { canonicalJson } from '#platform/canonicalJson';
import type { ChangeOp } from './changes.ts';
import type { ListEntity } from './entity.ts';
import type { ListVersion } from './ports.ts';
import { inPresentForm } from './programmes.ts';
import type { VersionEntries, VersionText } from './versionEntries.ts';

/** Changes whose members are compared: each may read two versions. */
export const COMPARED_MAX = 3;
/** No change of the publisher's: dates of sight, and the list's own name. */
const OF_THE_LIST: ReadonlySet<string> = new Set([
  ...['first_seen_at', 'flattened_associated_sanctioned', 'last_seen_at', 'primary_name_folded'],
  'source_lists_hits',
]);

export interface HistoryAsk {
  readonly id: string;
  /** The latest first. */
  readonly versions: readonly (VersionText & Pick<ListVersion, 'changesBlob'>)[];
  /** No version was published before the last of them: all that it has was added by it. */
  readonly isWhole: boolean;
}

export interface EntryChange {
  /** Place of the version in the question. */
  readonly at: number;
  readonly change: Exclude<ChangeOp, 'seen'>;
  /** Members that differ from the version before; absent: not compared. */
  readonly members?: readonly string[];
}

export interface EntryHistory {
  /** The latest first. */
  readonly changes: readonly EntryChange[];
  /** Versions that were looked at: what an earlier one changed is not known. */
  readonly looked: number;
}

/** Throws the errors that `isDamage` recognises where a version cannot be read. */
export async function entryHistory(
  blobs: Pick<BlobStore, 'get'>,
  entries: Pick<VersionEntries, 'entities'>,
  { id, isWhole, versions }: HistoryAsk,
): Promise<EntryHistory> {
  const changes: EntryChange[] = [];
  let compared = 0;
  for (const [at, version] of versions.entries()) {
    const { changesBlob } = version;
    const bytes = changesBlob === undefined ? undefined : await blobs.get(changesBlob);
    if (bytes === undefined) {
      const isFirst = isWhole && at === versions.length - 1;
      const [entity] = isFirst ? await entries.entities(version, [id]) : [];
      if (entity !== undefined) changes.push({ at, change: 'added' });
      return { changes, looked: isFirst ? at + 1 : at };
    }
    const change = changeOf(bytes, id);
    if (change === undefined) continue;
    const before = versions[at + 1];
    const isCompared = change === 'updated' && before !== undefined && compared < COMPARED_MAX;
    if (isCompared) compared++;
    const members = isCompared ? await differing(entries, id, [before, version]) : undefined;
    changes.push({ at, change, ...(members !== undefined && { members }) });
  }
  return { changes, looked: versions.length };
}

const QUOTE = 0x22;

/** The change of one entry in a version's; lines are canonical, so they need not be parsed. */
function changeOf(bytes: Uint8Array, id: string): EntryChange['change'] | undefined {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = Buffer.from(`{"ftm_id":${JSON.stringify(id)},"op":"`);
  const found = lines.indexOf(head);
  if (found < 0) return undefined;
  const start = found + head.length;
  const op = lines.toString('latin1', start, lines.indexOf(QUOTE, start));
  return op === 'added' || op === 'removed' || op === 'updated' ? op : undefined;
}

async function differing(
  entries: Pick<VersionEntries, 'entities'>,
  id: string,
  [before, after]: readonly [VersionText, VersionText],
): Promise<readonly string[] | undefined> {
  const [[former], [next]] = await Promise.all([
    entries.entities(before, [id]),
    entries.entities(after, [id]),
  ]);
  return former && next && membersThatDiffer(former, next);
}

function membersThatDiffer(former: ListEntity, next: ListEntity): readonly string[] {
  const [a, b] = [former, next].map((entity) => new Map(Object.entries(inPresentForm(entity))));
  const names = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  const text = (value: unknown) => (value === undefined ? '' : canonicalJson(value));
  return [...names]
    .filter((name) => !OF_THE_LIST.has(name) && text(a?.get(name)) !== text(b?.get(name)))
    .sort();
}
