/**
 * Sorted lines of an extract in blobs of some size: a line is found by the part that its key is in,
 * so that a look reads one blob however many companies there are. A part is what it was, for its
 * address is its digest.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { foldText } from '#platform/foldText';
import type { Company } from './company.ts';
import { NAMES_LOOKED_AT_MAX, PART_COMPANIES, PART_NAMES } from './limits.ts';
import type { ExtractPart } from './tables.ts';

/** A word of a name, whose it is, and all of the name. */
type NameLine = readonly [word: string, identifier: string, name: string];

/** Words of a name, folded, each once. */
export const wordsOf = (name: string | null): readonly string[] =>
  [...new Set(foldText(name ?? '').split(' '))].filter((word) => word !== '');

const byText = (one: NameLine, other: NameLine): number => (one.join() < other.join() ? -1 : 1);

/** Writes companies that are sorted by identifier. */
export async function writeParts(
  blobs: Pick<BlobStore, 'put'>,
  companies: readonly Company[],
): Promise<{ readonly byIdentifier: ExtractPart[]; readonly byWord: ExtractPart[] }> {
  const names: NameLine[] = companies
    .flatMap(({ identifier, legal_name, legal_name_ar, trade_name }) =>
      [legal_name, legal_name_ar, trade_name].flatMap((name) =>
        wordsOf(name).map((word): NameLine => [word, identifier, foldText(name ?? '')]),
      ),
    )
    .sort(byText);
  const write = async <Line>(
    lines: readonly Line[],
    size: number,
    keyOf: (line: Line) => string,
  ): Promise<ExtractPart[]> => {
    const parts: ExtractPart[] = [];
    for (let at = 0; at < lines.length; at += size) {
      const some = lines.slice(at, at + size);
      const text = some.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { address: blob } = await blobs.put(Buffer.from(text));
      const [first] = some;
      parts.push({ blob, from: first === undefined ? '' : keyOf(first) });
    }
    return parts;
  };
  return {
    byIdentifier: await write(companies, PART_COMPANIES, ({ identifier }) => identifier),
    byWord: await write(names, PART_NAMES, ([word]) => word),
  };
}

/** The company of an identifier. Throws `blob-damaged`. */
export async function companyBy(
  blobs: Pick<BlobStore, 'get'>,
  parts: readonly ExtractPart[],
  identifier: string,
): Promise<Company | undefined> {
  const part = parts.findLast(({ from }) => from <= identifier);
  if (part === undefined) return undefined;
  const lines = await linesOf<Company>(blobs, part);
  return lines.find((one) => one.identifier === identifier);
}

/** Which names of a word count. */
export interface NamesWanted {
  /** Only of these companies; undefined: of any. */
  readonly within: ReadonlyMap<string, string> | undefined;
  /** Names that are found however many there are before them. */
  readonly isSought: (name: string) => boolean;
}

/**
 * Names with this word, by identifier: all that are sought, and of others so many that there are at
 * most NAMES_LOOKED_AT_MAX. Throws `blob-damaged`.
 */
export async function namesBy(
  blobs: Pick<BlobStore, 'get'>,
  parts: readonly ExtractPart[],
  word: string,
  { isSought, within }: NamesWanted,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const part of partsOf(parts, word)) {
    for (const [one, identifier, name] of await linesOf<NameLine>(blobs, part)) {
      if (one !== word || within?.has(identifier) === false) continue;
      const known = found.get(identifier);
      const hasRoom = within !== undefined || found.size < NAMES_LOOKED_AT_MAX;
      const isNew = known === undefined && (hasRoom || isSought(name));
      const isShorter = known !== undefined && name.length < known.length;
      if (isNew || isShorter) found.set(identifier, name);
    }
  }
  return found;
}

/** Parts that may have lines of this word: the more, the more names have it. */
export function partsOf(parts: readonly ExtractPart[], word: string): readonly ExtractPart[] {
  const next = parts.findIndex(({ from }) => from >= word);
  // The lines of a word may begin in the part before the first one that begins with it.
  const start = Math.max(0, (next === -1 ? parts.length : next) - 1);
  return parts.slice(start).filter(({ from }) => from <= word);
}

async function linesOf<Line>(
  blobs: Pick<BlobStore, 'get'>,
  { blob }: ExtractPart,
): Promise<readonly Line[]> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'a part of an extract is gone' });
  }
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}
