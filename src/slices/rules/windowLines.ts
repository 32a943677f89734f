/**
 * The transactions that rules hold in memory, as lines of JSON: the first has what they were read
 * with, then come the bodies of which they came, then they. Reading them gives the same
 * transactions.
 */
import { readLines } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { Entry, EntryFacts } from './entry.ts';
import type { Int } from './exactNumbers.ts';

/**
 * Grows with each change of what an entry is (entry.ts): what another release has kept is not read,
 * and the log is.
 */
const FORMAT = 1;
/** Lines of one piece: the file is written and read in pieces, and other work goes on between. */
const LINES_AT_ONCE = 1_000;

/** What windows were read with; others have to be read with the same. */
export interface WindowsHead {
  /** The last number of the log that they have. */
  readonly tseq: number;
  readonly baseCurrency: string;
  /** Something may be missing of what is farther back. */
  readonly reachMs: number;
}

/** The body of which a transaction came, and the state of its key as it was read. */
export type ReadIngest = NonNullable<Entry['ingest']>;

/** Windows as they were kept. */
export interface KeptWindows {
  readonly head: WindowsHead;
  readonly ingests: readonly ReadIngest[];
  readonly entries: readonly Entry[];
}

/** A number that JSON cannot say exactly is a text. */
type StoredInt = number | string;
type StoredEntry = Omit<Entry, 'amount' | 'facts' | 'ingest' | 'own' | 'series'> & {
  readonly amount?: StoredInt;
  readonly facts: Omit<EntryFacts, 'expectedTurnover'> & { readonly expectedTurnover?: StoredInt };
  /** Place among the ingests. */
  readonly ingest: number;
  readonly own: StoredInt;
};
interface FirstLine {
  readonly format: number;
  readonly head: WindowsHead;
  /** How many lines they take. */
  readonly ingests: number;
}
type IngestLine = readonly [ingestId: string, keyVersion: number];

const stored = (int: Int): StoredInt => (typeof int === 'bigint' ? String(int) : int);
const exact = (int: StoredInt): Int => (typeof int === 'string' ? BigInt(int) : int);

/** The bodies of which these came, each once. */
export function ingestsOf(entries: readonly Entry[]): readonly ReadIngest[] {
  const found = new Map<string, ReadIngest>();
  for (const { ingest } of entries) if (ingest !== undefined) found.set(ingest.ingestId, ingest);
  return [...found.values()];
}

/** In pieces of whole lines. */
export async function* windowLines(
  head: WindowsHead,
  entries: readonly Entry[],
): AsyncGenerator<Buffer> {
  const ingests = ingestsOf(entries);
  const places = new Map(ingests.map(({ ingestId }, at) => [ingestId, at]));
  const first: FirstLine = { format: FORMAT, head, ingests: ingests.length };
  yield linesOf([first]);
  for (let from = 0; from < ingests.length; from += LINES_AT_ONCE) {
    yield linesOf(
      ingests
        .slice(from, from + LINES_AT_ONCE)
        .map(({ ingestId, keyVersion }): IngestLine => [ingestId, keyVersion]),
    );
  }
  for (let from = 0; from < entries.length; from += LINES_AT_ONCE) {
    const some = entries.slice(from, from + LINES_AT_ONCE);
    yield linesOf(some.map((entry) => storedEntry(entry, places)));
  }
}

const linesOf = (lines: readonly object[]): Buffer =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function storedEntry(entry: Entry, places: ReadonlyMap<string, number>): StoredEntry {
  const { amount, facts, ingest, own, reversedFrom: from, series: _, ...rest } = entry;
  const { expectedTurnover, ...others } = facts;
  return {
    ...rest,
    ...(amount !== undefined && { amount: stored(amount) }),
    facts: {
      ...others,
      ...(expectedTurnover !== undefined && { expectedTurnover: stored(expectedTurnover) }),
    },
    ingest: places.get(ingest?.ingestId ?? '') ?? -1,
    own: stored(own),
    // Its place alone: the reversal is a transaction of its own.
    ...(from !== undefined && { reversedFrom: { at: from.at, tseq: from.tseq } }),
  };
}

/** Undefined: another release has written them. Throws `blob-damaged` where they are no windows. */
export async function readWindowLines(
  bytes: AsyncIterable<Uint8Array>,
): Promise<KeptWindows | undefined> {
  const entries: Entry[] = [];
  const ingests: ReadIngest[] = [];
  const known = new Map<string, string>();
  let first: FirstLine | undefined;
  for await (const lines of readLines(bytes)) {
    for (const { bytes: line } of lines) {
      if (first === undefined) first = JSON.parse(line.toString()) as FirstLine;
      else if (first.format !== FORMAT) continue;
      else if (ingests.length < first.ingests) ingests.push(readIngest(line));
      else entries.push(readEntry(JSON.parse(line.toString()) as StoredEntry, ingests, known));
    }
  }
  if (first === undefined) throw new DomainError('blob-damaged', { detail: 'windows: no line' });
  return first.format === FORMAT ? { entries, head: first.head, ingests } : undefined;
}

/** Their bodies alone; undefined and throwing as above. */
export async function readWindowIngests(
  bytes: AsyncIterable<Uint8Array>,
): Promise<readonly ReadIngest[] | undefined> {
  const ingests: ReadIngest[] = [];
  let first: FirstLine | undefined;
  for await (const lines of readLines(bytes)) {
    for (const { bytes: line } of lines) {
      if (first === undefined) first = JSON.parse(line.toString()) as FirstLine;
      else if (first.format === FORMAT && ingests.length < first.ingests) {
        ingests.push(readIngest(line));
      }
    }
  }
  if (first === undefined) throw new DomainError('blob-damaged', { detail: 'windows: no line' });
  return first.format === FORMAT ? ingests : undefined;
}

function readIngest(line: Buffer): ReadIngest {
  const [ingestId, keyVersion] = JSON.parse(line.toString()) as IngestLine;
  return { ingestId, keyVersion };
}

function readEntry(
  { amount, facts, ingest, own, ...rest }: StoredEntry,
  ingests: readonly ReadIngest[],
  known: Map<string, string>,
): Entry {
  const { expectedTurnover, ...others } = facts;
  const from = ingests[ingest];
  return {
    ...rest,
    amount: amount === undefined ? undefined : exact(amount),
    countries: rest.countries.map((one) => once(known, one)),
    facts: {
      ...others,
      ...(expectedTurnover !== undefined && { expectedTurnover: exact(expectedTurnover) }),
    },
    ...(from !== undefined && { ingest: from }),
    own: exact(own),
    series: {},
    texts: Object.fromEntries(
      Object.entries(rest.texts).map(([name, text]) => [name, once(known, text)]),
    ) as unknown as Entry['texts'],
  };
}

/** Texts that many transactions share are kept once. */
function once(known: Map<string, string>, text: string): string {
  const same = known.get(text);
  if (same !== undefined) return same;
  known.set(text, text);
  return text;
}
