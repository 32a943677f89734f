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

/** Versions of one piece of a history: a caller whose turn is next waits for no more of them. */
export const PIECE_VERSIONS = 16;
/** Bytes of changes that one history is read from: beyond them it says how far it went. */
export const HISTORY_BYTES_MAX = 256 * 1024 * 1024;

export interface HistoryAsk {
  readonly id: string;
  /** The latest first. */
  readonly versions: readonly (VersionText & Pick<ListVersion, 'changesBlob'>)[];
  /** No version was published before the last of them: all that it has was added by it. */
  readonly isWhole: boolean;
  /** The last of them is there to be compared with alone. */
  readonly isGoingOn?: boolean;
  /** Changes that may still be compared; absent: COMPARED_MAX. */
  readonly compare?: number;
  /** Absent: HISTORY_BYTES_MAX. */
  readonly bytesMax?: number;
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

/** A part of one, and what the rest may still cost. */
export interface HistoryPiece extends EntryHistory {
  readonly bytes: number;
  readonly compared: number;
}

/**
 * A whole history, piece by piece: `read` is entryHistory where the versions are. Rejects as `read`
 * does.
 */
export async function historyInPieces(
  read: (ask: HistoryAsk) => Promise<HistoryPiece>,
  { id, isWhole, versions }: Pick<HistoryAsk, 'id' | 'isWhole' | 'versions'>,
): Promise<EntryHistory> {
  const changes: EntryChange[] = [];
  let [compare, bytesMax] = [COMPARED_MAX, HISTORY_BYTES_MAX];
  for (let from = 0; from < versions.length; from += PIECE_VERSIONS) {
    const isGoingOn = from + PIECE_VERSIONS < versions.length;
    const of = versions.slice(from, from + PIECE_VERSIONS + Number(isGoingOn));
    const ask = { bytesMax, compare, id, isGoingOn, isWhole: isWhole && !isGoingOn, versions: of };
    const piece = await read(ask);
    changes.push(...piece.changes.map((one) => ({ ...one, at: one.at + from })));
    compare -= piece.compared;
    bytesMax -= piece.bytes;
    if (piece.looked < Math.min(PIECE_VERSIONS, of.length)) {
      return { changes, looked: from + piece.looked };
    }
  }
  return { changes, looked: versions.length };
}

/** Throws the errors that `isDamage` recognises where a version cannot be read. */
export async function entryHistory(
  blobs: Pick<BlobStore, 'open'>,
  entries: Pick<VersionEntries, 'entities'>,
  ask: HistoryAsk,
): Promise<HistoryPiece> {
  const { compare = COMPARED_MAX, bytesMax = HISTORY_BYTES_MAX, id, isGoingOn, versions } = ask;
  const changes: EntryChange[] = [];
  let [bytes, compared] = [0, 0];
  const looked = isGoingOn === true ? versions.length - 1 : versions.length;
  for (const [at, version] of versions.slice(0, looked).entries()) {
    if (bytes >= bytesMax) return { bytes, changes, compared, looked: at };
    const pieces = version.changesBlob && (await blobs.open(version.changesBlob));
    if (!pieces) {
      const isFirst = ask.isWhole && at === versions.length - 1;
      const [entity] = isFirst ? await entries.entities(version, [id]) : [];
      if (entity !== undefined) changes.push({ at, change: 'added' });
      return { bytes, changes, compared, looked: isFirst ? at + 1 : at };
    }
    const found = await changeOf(pieces, id);
    bytes += found.bytes;
    const { change } = found;
    if (change === undefined) continue;
    const before = versions[at + 1];
    const isCompared = change === 'updated' && before !== undefined && compared < compare;
    if (isCompared) compared++;
    const members = isCompared ? await differing(entries, id, [before, version]) : undefined;
    changes.push({ at, change, ...(members !== undefined && { members }) });
  }
  return { bytes, changes, compared, looked };
}

const QUOTE = 0x22;
/** Longer than the name of a change, and its quote. */
const OP_BYTES_MAX = 16;

/**
 * The change of one entry in a version's; lines are canonical, so they need not be parsed. All are
 * read, since only then their digest is known to be theirs, and no more than two pieces are held.
 */
async function changeOf(
  pieces: AsyncIterable<Uint8Array>,
  id: string,
): Promise<{ readonly bytes: number; readonly change: EntryChange['change'] | undefined }> {
  const head = Buffer.from(`{"ftm_id":${JSON.stringify(id)},"op":"`);
  let change: EntryChange['change'] | undefined;
  let bytes = 0;
  let rest: Buffer = Buffer.of();
  for await (const piece of pieces) {
    bytes += piece.length;
    if (change !== undefined) continue;
    const text = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    change = opAfter(text, head);
    rest = text.subarray(Math.max(0, text.length - head.length - OP_BYTES_MAX));
  }
  return { bytes, change };
}

function opAfter(text: Buffer, head: Buffer): EntryChange['change'] | undefined {
  const found = text.indexOf(head);
  const start = found + head.length;
  const end = found < 0 ? -1 : text.indexOf(QUOTE, start);
  if (end < 0) return undefined;
  const op = text.toString('latin1', start, end);
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
