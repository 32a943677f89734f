/**
 * One list version as one SharedArrayBuffer that all threads read. Built once (buildSnapshot.ts),
 * never written again: a new list version is a new buffer, swapped by reference.
 *
 *   bytes 0..7    magic "CPENGIDX"
 *   bytes 8..11   u32 format version          bytes 12..15  u32 byte order mark 0x01020304
 *   bytes 16..23  f64 length in bytes         bytes 24..27  u32 CRC-32 of all bytes from 32 on
 *   bytes 28..31  u32 section count
 *   then          per section u32 element bytes, u32 elements, f64 byte offset, in SECTIONS' order
 *   then          the sections, each at a multiple of 8, gaps zero
 *
 * Numbers are in the machine's order, little-endian on all machines that Node runs on; the mark
 * refuses another order. The checksum finds damage. Authenticity comes from the signed bundle,
 * beside which a snapshot is stored. Any change of a section or of the fold is a new
 * FORMAT_VERSION: snapshots are rebuilt from bundles, never migrated.
 */
import { checksum, checksumInSteps } from './checksum.ts';
import { releaseArray } from './growingArray.ts';

/** The first eight bytes of a snapshot, in Latin-1. */
export const MAGIC = 'CPENGIDX';
/** Grows with any change of layout, folding or tables. */
export const FORMAT_VERSION = 8;
const BYTE_ORDER = 0x01020304;
const HEADER_BYTES = 32;
const TABLE_ENTRY_BYTES = 16;

/**
 * The sections of a snapshot and their element types, in the order of the file.
 *
 * `first*` arrays have one element more than the items they index: the slice of item i is
 * [first[i], first[i + 1]). Arrays named `*Key` ascend: lookup is a binary search.
 */
export const SECTIONS = {
  // Entities, ascending by id.
  entitySchema: 'u8',
  entityCategories: 'u8',
  /** ENTITY_CODED, ENTITY_PRIMARY_CODED, and what re-ranker 2 reads: ENTITY_MALE and so on. */
  entityFlags: 'u8',
  entityFirstForm: 'u32',
  entityFirstDate: 'u32',
  entityFirstNation: 'u32',
  dateFrom: 'i32',
  dateTo: 'i32',
  nationCode: 'u16',
  // Folded forms of names. Those of one entity are neighbours, the primary name's first.
  /**
   * FORM_PRIMARY, FORM_CODED, FORM_CORE_STARTS; above them the number of legal words at the end.
   */
  formFlags: 'u8',
  formFirstToken: 'u32',
  /** Number of the token in the low 24 bits. */
  formToken: 'u32',
  /** Tag and weight of each token of a form (tokenFacts.ts); empty where there are none. */
  formFacts: 'u16',
  // Dictionary of distinct tokens, ascending by their units.
  tokenStart: 'u32',
  /** The characters as bytes (0x80 for what is not ASCII), and as UTF-16 units. */
  tokenBytes: 'u8',
  tokenUnits: 'u16',
  tokenKind: 'u8',
  tokenPrimary: 'u32',
  tokenAlternate: 'u32',
  /** Letter signs (native/signs.ts): letters that occur at least once, and at least twice. */
  tokenOnce: 'i32',
  tokenTwice: 'i32',
  tokenFirstPosting: 'u32',
  /**
   * Ascending inside one token: the entity, and in the low 6 bits the length of its shortest form
   * with the token, at most 63 characters.
   */
  tokenPosting: 'u32',
  // Lookups over the dictionary.
  codeKey: 'u32',
  codeFirstToken: 'u32',
  codeToken: 'u32',
  /** Hash of a token's consonants. */
  skeletonKey: 'u32',
  skeletonToken: 'u32',
  /** Hash of a token without its first unit. */
  tailKey: 'u32',
  tailToken: 'u32',
  // Whole names by their letters: a directory over the first bits of the hash.
  lettersFirst: 'u32',
  /**
   * The entity in the low bits, as many as the largest number needs; above them the hash's last
   * bits.
   */
  lettersEntry: 'u32',
  // Attributes to entities; entities ascending inside one key.
  dateKey: 'u32',
  dateFirst: 'u32',
  dateEntity: 'u32',
  /** The year times 65,536 and a nationality, 0 for none. */
  yearKey: 'u32',
  yearFirst: 'u32',
  yearEntity: 'u32',
  /** 26 bit sets of entities: those with a word or an initial that begins with a, b, … */
  entityLetters: 'u32',
  /** The same for initials of persons only. */
  entityInitials: 'u32',
  nationKey: 'u32',
  nationFirst: 'u32',
  nationEntity: 'u32',
  // Identifiers to entities, ascending by key; the hash of identifiers.ts.
  identifierKey: 'u32',
  identifierCheck: 'u32',
  identifierEntity: 'u32',
  // Only on lists that are swept (SWEEP_FORMS_MAX); empty on larger ones.
  /** Entities whose primary name has no phonetic code. */
  uncodedEntity: 'u32',
  /**
   * Forms by group, and by length within a group (native/sweeping.ts). Those of length l in group g
   * are [sweepStart[i], sweepStart[i + 1]) with i = g × SWEEP_LENGTHS + l.
   */
  sweepStart: 'u32',
  sweepEntity: 'u32',
  sweepOnce: 'i32',
  sweepTwice: 'i32',
  /**
   * Heads (native/signs.ts): how the form begins in natural order, and above it in sorted order.
   */
  sweepHeads: 'u32',
  // Sections that retrieval and scoring never read.
  idStart: 'u32',
  idBytes: 'u8',
  cardStart: 'u32',
  cardBytes: 'u8',
  /** Published names in UTF-8, and the name of each form. */
  nameStart: 'u32',
  nameBytes: 'u8',
  formName: 'u32',
} as const;

/** Flag of an entity: some name has a phonetic code. */
export const ENTITY_CODED = 1;
/** Flag of an entity: its primary name has a phonetic code. */
export const ENTITY_PRIMARY_CODED = 2;
/** Flag of an entity: a man, where that is published. */
export const ENTITY_MALE = 4;
/** Flag of an entity: a woman, where that is published. */
export const ENTITY_FEMALE = 8;
/** Flag of an entity: it has an identifier. */
export const ENTITY_IDENTIFIED = 16;
/** Flag of an entity: a vessel with an IMO number. */
export const ENTITY_IMO = 32;
/** Flag of a form: it belongs to the primary name. */
export const FORM_PRIMARY = 1;
/**
 * Flag of a form: it has a phonetic code outside its legal form; only such forms count for
 * phoneticScore.
 */
export const FORM_CODED = 2;
/** Flag of a form: its first token is a legal form. */
export const FORM_CORE_STARTS = 4;
/** Lowest bit of a form's count of legal words at its end. */
export const FORM_LEGAL_SHIFT = 3;
/** Largest count of legal words at the end of a form; longer runs are stored as this. */
export const FORM_LEGAL_MAX = 31;
/**
 * Forms of the largest list that is swept, and so searched exactly; larger lists are searched by
 * votes.
 */
export const SWEEP_FORMS_MAX = 250_000;
/** Tokens of a list are fewer than this: a form stores a token's number in 24 bits. */
export const TOKENS_MAX = 1 << 24;

interface ElementArrays {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
}
const ELEMENT_BYTES = { u8: 1, u16: 2, u32: 4, i32: 4 } as const;
type ElementKind = keyof typeof ELEMENT_BYTES;
type SectionName = keyof typeof SECTIONS;
/** An opened snapshot: its sections as views of the buffer, nothing copied. */
export type Snapshot = { readonly [K in SectionName]: ElementArrays[(typeof SECTIONS)[K]] };
const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
type TextSection = `${'id' | 'card' | 'name'}Bytes`;
/** Sections to be written; a text section may be split over several arrays. */
export type SnapshotSource = Omit<Snapshot, TextSection> & {
  readonly [K in TextSection]: Uint8Array | readonly Uint8Array[];
};

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

function piecesOf(source: SnapshotSource, name: SectionName): readonly Snapshot[SectionName][] {
  const section = source[name];
  return ArrayBuffer.isView(section) ? [section] : section;
}

function elementsOf(source: SnapshotSource, name: SectionName): number {
  return piecesOf(source, name).reduce((sum, { length }) => sum + length, 0);
}

/** Exact length in bytes of the snapshot that writeSnapshot makes of these sections. */
export function snapshotBytes(source: SnapshotSource): number {
  const start = HEADER_BYTES + SECTION_NAMES.length * TABLE_ENTRY_BYTES;
  return SECTION_NAMES.reduce(
    (sum, name) => align(sum) + elementsOf(source, name) * ELEMENT_BYTES[SECTIONS[name]],
    start,
  );
}

/**
 * Writes the sections into one new shared buffer of exactly snapshotBytes. With `isLastUse` each
 * section is freed once it is copied, so that there are never two copies of all; the caller must
 * not read them afterwards.
 */
export function writeSnapshot(
  source: SnapshotSource,
  options: { readonly isLastUse: boolean } = { isLastUse: false },
): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(snapshotBytes(source));
  const view = new DataView(buffer);
  const bytes = new Uint8Array(buffer);
  bytes.set(Buffer.from(MAGIC, 'latin1'));
  view.setUint32(8, FORMAT_VERSION, true);
  view.setUint32(12, BYTE_ORDER, true);
  view.setFloat64(16, buffer.byteLength, true);
  view.setUint32(28, SECTION_NAMES.length, true);
  const uses = new Map<ArrayBufferLike, number>();
  for (const name of SECTION_NAMES) {
    for (const { buffer } of piecesOf(source, name)) uses.set(buffer, (uses.get(buffer) ?? 0) + 1);
  }
  let offset = HEADER_BYTES + SECTION_NAMES.length * TABLE_ENTRY_BYTES;
  SECTION_NAMES.forEach((name, index) => {
    offset = align(offset);
    const entry = HEADER_BYTES + index * TABLE_ENTRY_BYTES;
    view.setUint32(entry, ELEMENT_BYTES[SECTIONS[name]], true);
    view.setUint32(entry + 4, elementsOf(source, name), true);
    view.setFloat64(entry + 8, offset, true);
    for (const piece of piecesOf(source, name)) {
      bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), offset);
      offset += piece.byteLength;
      const left = (uses.get(piece.buffer) ?? 0) - 1;
      uses.set(piece.buffer, left);
      if (options.isLastUse && left === 0) releaseArray(piece);
    }
  });
  view.setUint32(24, checksum(bytes.subarray(HEADER_BYTES)), true);
  return buffer;
}

/**
 * Length in bytes of the snapshot at the start of a buffer that checkSnapshot has passed; the
 * buffer may be longer.
 */
export function snapshotLength(buffer: SharedArrayBuffer): number {
  return new DataView(buffer).getFloat64(16, true);
}

/**
 * Verifies the header and the checksum of a snapshot, which must be `bytes` long. Throws an Error
 * that names what is wrong: foreign, another version, truncated or damaged.
 */
export function checkSnapshot(buffer: SharedArrayBuffer, bytes = buffer.byteLength): void {
  checkHead(buffer, bytes);
  compareChecksum(buffer, checksum(checkedBytes(buffer, bytes)));
}

/** Does the same as checkSnapshot in small steps, between which the event loop goes on. */
export async function checkSnapshotInSteps(
  buffer: SharedArrayBuffer,
  bytes = buffer.byteLength,
): Promise<void> {
  checkHead(buffer, bytes);
  compareChecksum(buffer, await checksumInSteps(checkedBytes(buffer, bytes)));
}

function checkedBytes(buffer: SharedArrayBuffer, bytes: number): Uint8Array {
  return new Uint8Array(buffer, HEADER_BYTES, bytes - HEADER_BYTES);
}

function compareChecksum(buffer: SharedArrayBuffer, found: number): void {
  if (new DataView(buffer).getUint32(24, true) === found) return;
  throw new Error('snapshot damaged: checksum differs');
}

function checkHead(buffer: SharedArrayBuffer, available: number): void {
  if (available < HEADER_BYTES) {
    throw new Error(`snapshot truncated: expected a header of 32 bytes, got ${available}`);
  }
  const view = new DataView(buffer);
  const bytes = new Uint8Array(buffer);
  if (Buffer.from(bytes.slice(0, 8)).toString('latin1') !== MAGIC) {
    throw new Error(`snapshot foreign: expected magic ${MAGIC}`);
  }
  const version = view.getUint32(8, true);
  if (version !== FORMAT_VERSION) {
    throw new Error(`snapshot version: expected ${FORMAT_VERSION}, got ${version}`);
  }
  if (new Uint32Array(buffer, 12, 1)[0] !== BYTE_ORDER) {
    throw new Error('snapshot byte order: written on a machine of another one');
  }
  const length = view.getFloat64(16, true);
  if (length !== available) {
    throw new Error(`snapshot truncated: expected ${length} bytes, got ${available}`);
  }
  if (view.getUint32(28, true) !== SECTION_NAMES.length) {
    throw new Error(`snapshot damaged: expected ${SECTION_NAMES.length} sections`);
  }
}

function viewOf(kind: ElementKind, buffer: SharedArrayBuffer, offset: number, length: number) {
  if (kind === 'u8') return new Uint8Array(buffer, offset, length);
  if (kind === 'u16') return new Uint16Array(buffer, offset, length);
  if (kind === 'u32') return new Uint32Array(buffer, offset, length);
  return new Int32Array(buffer, offset, length);
}

/**
 * Opens a buffer that checkSnapshot has passed: views of its sections, nothing copied. Throws an
 * Error where the section table does not fit.
 */
export function openSnapshot(buffer: SharedArrayBuffer): Snapshot {
  const view = new DataView(buffer);
  const sections = SECTION_NAMES.map((name, index) => {
    const kind = SECTIONS[name];
    const entry = HEADER_BYTES + index * TABLE_ENTRY_BYTES;
    const elements = view.getUint32(entry + 4, true);
    const offset = view.getFloat64(entry + 8, true);
    const end = offset + elements * ELEMENT_BYTES[kind];
    const fits = offset % 8 === 0 && offset >= HEADER_BYTES && end <= buffer.byteLength;
    if (view.getUint32(entry, true) !== ELEMENT_BYTES[kind] || !fits) {
      throw new Error(`snapshot damaged: section ${name} does not fit`);
    }
    return [name, viewOf(kind, buffer, offset, elements)] as const;
  });
  return Object.fromEntries(sections) as unknown as Snapshot;
}
