/**
 * An entity as one line of canonical JSON, taken apart without being parsed. A run changes only the
 * dates and paths of an entity, and a million lines are copied faster than parsed.
 *
 * The members stand in code-unit order (RFC 8785), so each is found after the one before it. Every
 * mark that is looked for begins or ends with a quote that no string can contain unescaped. The two
 * members whose keys are free, `identifiers` and `properties`, end with a brace before the next
 * one. So no value can be mistaken for a member; test/slices/ingestion/mergeList.test.ts compares
 * this with a parser.
 *
 *   {"addresses" … "associations":[A] … "dates_of_birth":[…],"first_seen_at":"F",
 *   "flattened_associated_sanctioned":[P],"ftm_id":"I","identifiers":{…},"last_seen_at":"L",
 *   "places_of_birth" … "schema":"S","source_lists_hits":[H]}
 */
import { DomainError } from '#core/kernel';
import { CanonicalJsonError, canonicalJson } from '#platform/canonicalJson';
import type { ListEntity } from './entity.ts';

const ASSOCIATIONS = Buffer.from('],"associations":[');
const FIRST_SEEN = Buffer.from('],"first_seen_at":"');
const PATHS = Buffer.from('","flattened_associated_sanctioned":[');
const ID = Buffer.from('],"ftm_id":"');
const IDENTIFIERS = Buffer.from('","identifiers":{');
const LAST_SEEN = Buffer.from('},"last_seen_at":"');
const PLACES = Buffer.from('","places_of_birth":[');
const HITS = Buffer.from('","source_lists_hits":[');
const END = Buffer.from(']}');
const SEEN_HEAD = Buffer.from('["');
const SEEN_MIDDLE = Buffer.from('","');
const SEEN_END = Buffer.from('"]\n');
const BACKSLASH = 0x5c;
/** `]` */
const END_OF_ARRAY = 0x5d;

/** Places of the values in the line: the text between quotes, or between brackets. */
export class EntityLine {
  readonly bytes: Buffer;
  readonly firstSeen: Span;
  readonly paths: Span;
  readonly idText: Span;
  readonly lastSeen: Span;
  readonly hits: Span;

  /** Throws DomainError `list-damaged` where the line does not have this format. */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.firstSeen = spanOf(bytes, found(bytes.indexOf(FIRST_SEEN)) + FIRST_SEEN.length, PATHS);
    this.paths = spanOf(bytes, this.firstSeen.end + PATHS.length, ID);
    this.idText = spanOf(bytes, this.paths.end + ID.length, IDENTIFIERS);
    const identifiers = spanOf(bytes, this.idText.end + IDENTIFIERS.length, LAST_SEEN);
    this.lastSeen = spanOf(bytes, identifiers.end + LAST_SEEN.length, PLACES);
    this.hits = { start: bytes.lastIndexOf(HITS) + HITS.length, end: bytes.length - 2 };
    const { end, start } = this.hits;
    const isWhole = bytes[end] === END[0] && bytes[end + 1] === END[1];
    if (!isWhole || start < this.lastSeen.end || end < start) throw notALine();
  }

  /** The id, unescaped. */
  get id(): string {
    return idOf(this.bytes, this.idText);
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** An entity's line. Throws DomainError `list-damaged` where the line does not have this format. */
export const entityLine = (bytes: Buffer): EntityLine => new EntityLine(bytes);

/** The id alone, for a search through a list for a few of its entities. */
export function lineId(bytes: Buffer): string {
  return idOf(bytes, spanOf(bytes, found(bytes.indexOf(ID)) + ID.length, IDENTIFIERS));
}

/**
 * The end of most values is this near. A loop looks for it up to here, since a call of `indexOf`
 * costs more.
 */
const NEAR_BYTES = 64;

/** The span from `start` to the first `after`. */
function spanOf(bytes: Buffer, start: number, after: Buffer): Span {
  const near = Math.min(start + NEAR_BYTES, bytes.length);
  let at = start;
  while (at < near && bytes[at] !== after[0]) at++;
  const end = standsAt(bytes, at, after) ? at : found(bytes.indexOf(after, at));
  return { end, start };
}

function standsAt(bytes: Buffer, start: number, text: Buffer): boolean {
  if (start + text.length > bytes.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}

/** The place of a mark; throws `list-damaged` where the mark is missing. */
export function found(at: number): number {
  if (at < 0) throw notALine();
  return at;
}

export const notALine = () =>
  new DomainError('list-damaged', { detail: 'a line that is no entity of list format v1' });

function idOf(bytes: Buffer, { start, end }: Span): string {
  const text = bytes.toString('utf8', start, end);
  return bytes.subarray(start, end).includes(BACKSLASH)
    ? (JSON.parse(`"${text}"`) as string)
    : text;
}

/** Throws DomainError `list-damaged` where the entity has no canonical text. */
export function canonicalLine(entity: ListEntity): string {
  try {
    return canonicalJson(entity);
  } catch (cause) {
    if (!(cause instanceof CanonicalJsonError)) throw cause;
    const detail = `entity ${entity.ftm_id}: ${cause.message}`;
    throw new DomainError('list-damaged', { cause, detail });
  }
}

export const parseEntityLine = (bytes: Buffer): ListEntity =>
  JSON.parse(bytes.toString()) as ListEntity;

export const textOf = (line: EntityLine, { start, end }: Span): string =>
  line.bytes.toString('utf8', start, end);

export const hasPaths = ({ paths }: EntityLine): boolean => paths.end > paths.start;

/** Whether the line names any entity that this one is related to. */
export const hasAssociations = (bytes: Buffer): boolean =>
  bytes[found(bytes.indexOf(ASSOCIATIONS)) + ASSOCIATIONS.length] !== END_OF_ARRAY;

/** What a run decides about an entity; an absent member stays as the line has it. */
export interface Rewrite {
  /** Since when the entity is on the list, where that is earlier than the line says. */
  readonly firstSeen?: string | undefined;
  /** The canonical text between the brackets. */
  readonly paths?: string | undefined;
}

/**
 * The line with other dates of first sight and other paths; the same line where nothing differs.
 */
export function rewritten(line: EntityLine, { firstSeen, paths }: Rewrite): EntityLine {
  const earlier =
    firstSeen !== undefined && firstSeen < textOf(line, line.firstSeen) ? firstSeen : undefined;
  const otherPaths = paths !== undefined && paths !== textOf(line, line.paths) ? paths : undefined;
  if (earlier === undefined && otherPaths === undefined) return line;
  const { bytes } = line;
  const seen = earlier ?? textOf(line, line.firstSeen);
  const hits = earlier === undefined ? textOf(line, line.hits) : hitsSince(line, earlier);
  return entityLine(
    Buffer.concat([
      bytes.subarray(0, line.firstSeen.start),
      Buffer.from(seen),
      bytes.subarray(line.firstSeen.end, line.paths.start),
      Buffer.from(otherPaths ?? textOf(line, line.paths)),
      bytes.subarray(line.paths.end, line.hits.start),
      Buffer.from(`${hits}]}`),
    ]),
  );
}

type Hit = ListEntity['source_lists_hits'][number];

const hitsOf = (line: EntityLine): readonly Hit[] =>
  JSON.parse(`[${textOf(line, line.hits)}]`) as readonly Hit[];

/**
 * The hits with the date `added_at`: an entity that was there before was on its lists since then.
 */
function hitsSince(line: EntityLine, added_at: string): string {
  return canonicalJson(hitsOf(line).map((hit) => ({ ...hit, added_at }))).slice(1, -1);
}

/**
 * Writes JCS of the entity without the dates of its sightings (versions.ts); returns how many
 * bytes. `target` must have room for the line's length.
 */
export function writeContent(line: EntityLine, target: Buffer, at: number): number {
  const { bytes, firstSeen, hits, lastSeen } = line;
  let end = at;
  const copy = (from: number, to: number) => {
    end += bytes.copy(target, end, from, to);
  };
  // Without `"first_seen_at":"…",` and `"last_seen_at":"…",`.
  copy(0, firstSeen.start - FIRST_SEEN.length + 2);
  copy(firstSeen.end + 2, lastSeen.start - LAST_SEEN.length + 2);
  copy(lastSeen.end + 2, hits.start);
  end += listsOnly(line).copy(target, end);
  return end - at;
}

/**
 * Writes JCS of the id and the date of last sight, and a line feed. Returns how many bytes; fewer
 * than the line has.
 */
export function writeSeen({ bytes, idText, lastSeen }: EntityLine, target: Buffer, at: number) {
  let end = at + SEEN_HEAD.copy(target, at);
  for (let from = idText.start; from < idText.end; from++) target[end++] = bytes[from] as number;
  end += SEEN_MIDDLE.copy(target, end);
  for (let from = lastSeen.start; from < lastSeen.end; from++) {
    target[end++] = bytes[from] as number;
  }
  return end + SEEN_END.copy(target, end) - at;
}

/** The texts of hits by their lists. Whole lists have few: the same sources, the same dates. */
const listsOfHits = new Map<string, Buffer>();
const HITS_KEPT_MAX = 1_000;
/** The previous line's, which is usually the same. */
let latest: { readonly hits: Buffer; readonly lists: Buffer } = {
  hits: Buffer.of(),
  lists: Buffer.of(),
};

function listsOnly(line: EntityLine): Buffer {
  const { end, start } = line.hits;
  const isLatest = end - start === latest.hits.length && standsAt(line.bytes, start, latest.hits);
  // Empty as long as no line was read.
  if (isLatest && end > start) return latest.lists;
  const text = textOf(line, line.hits);
  const lists = listsOfHits.get(text) ?? listsOf(line);
  if (listsOfHits.size >= HITS_KEPT_MAX) listsOfHits.clear();
  listsOfHits.set(text, lists);
  latest = { hits: Buffer.from(line.bytes.subarray(start, end)), lists };
  return lists;
}

const listsOf = (line: EntityLine): Buffer =>
  Buffer.from(`${canonicalJson(hitsOf(line).map(({ list }) => ({ list }))).slice(1)}}`);
