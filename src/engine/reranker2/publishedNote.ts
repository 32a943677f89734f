/**
 * What a name says in brackets is about the name and no part of it: `Encep Nurjaman (birth name)`,
 * `Ezatullah Haqqani (previously listed as)`, half a sentence of passport numbers. Persons write
 * themselves without it. A company's brackets are read: `(Pakistan)` tells a branch from another.
 */
import { foldName } from '../foldName.ts';
import type { Snapshot } from '../snapshotFormat.ts';
import { lowerBound } from '../sortedPairs.ts';

const OPENING = '([（［';
const CLOSING = ')]）］';
/** The bytes that brackets begin with in UTF-8; full-width ones share theirs with other signs. */
const OPENING_BYTES = [0x28, 0x5b, 0xef];

/** A name without what stands in brackets; a bracket that nobody closes goes on to the end. */
export function withoutNotes(name: string): string {
  let out = '';
  let depth = 0;
  for (const char of name) {
    if (OPENING.includes(char)) depth += 1;
    else if (CLOSING.includes(char)) {
      depth = Math.max(0, depth - 1);
      out += ' ';
    } else if (depth === 0) out += char;
  }
  return out;
}

/** The published names of a list, by number, that may have a note; most lists have few. */
export function namesWithNotes({ nameBytes, nameStart }: Snapshot): ReadonlySet<number> {
  const found = new Set<number>();
  for (const byte of OPENING_BYTES) {
    for (let at = nameBytes.indexOf(byte); at >= 0; ) {
      const next = lowerBound(nameStart, at + 1);
      found.add(next - 1);
      at = nameBytes.indexOf(byte, nameStart[next] ?? nameBytes.length);
    }
  }
  return found;
}

/**
 * Places of a person's folded form that are its name; undefined where all of them are: without a
 * note, where nothing stands beside it, and where folding left no trace of the parts.
 */
export function placesWithoutNotes(name: string, form: readonly string[]): number[] | undefined {
  const plain = withoutNotes(name);
  if (plain === name) return undefined;
  const { latin, native } = foldName(plain, 'person');
  for (const folded of new Set([native, latin])) {
    const places = placesOf(folded.split(' '), form);
    if (folded !== '' && places.length < form.length && places.length > 0) return places;
  }
  return undefined;
}

/** Where the words stand in the form, in their order; none where one of them is missing. */
function placesOf(words: readonly string[], form: readonly string[]): number[] {
  const places: number[] = [];
  let from = 0;
  for (const word of words) {
    const at = form.indexOf(word, from);
    if (at < 0) return [];
    places.push(at);
    from = at + 1;
  }
  return places;
}
