/** Where two values of JSON differ, by pointer: what a person looks at first. */
import { canonicalJson } from '#platform/canonicalJson';
import type { ReplayDifference } from './tables.ts';

/** Differences that are kept. */
export const DIFFERENCES_MAX = 100;
/** Characters of a value that are kept. */
const VALUE_CHARS_MAX = 400;

/** In the order of the members, the first DIFFERENCES_MAX of them. */
export function differencesOf(original: unknown, replayed: unknown): readonly ReplayDifference[] {
  const found: ReplayDifference[] = [];
  compare(original, replayed, '', found);
  return found;
}

function compare(
  original: unknown,
  replayed: unknown,
  pointer: string,
  found: ReplayDifference[],
): void {
  if (found.length >= DIFFERENCES_MAX) return;
  if (isParent(original) && isParent(replayed) && areAlike(original, replayed)) {
    const names = new Set([...Object.keys(original), ...Object.keys(replayed)]);
    for (const name of [...names].sort(byPlace)) {
      const under = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      compare(original[name], replayed[name], under, found);
    }
    return;
  }
  if (textOf(original) === textOf(replayed)) return;
  found.push({ original: shown(original), pointer, replayed: shown(replayed) });
}

type Parent = Readonly<Record<string, unknown>>;
const isParent = (value: unknown): value is Parent => typeof value === 'object' && value !== null;
const areAlike = (one: Parent, other: Parent): boolean =>
  Array.isArray(one) === Array.isArray(other);

/** Places of an array as numbers. */
const byPlace = (one: string, other: string): number =>
  Number(one) - Number(other) || (one < other ? -1 : Number(one > other));

const textOf = (value: unknown): string => (value === undefined ? '' : canonicalJson(value));

function shown(value: unknown): unknown {
  if (value === undefined) return null;
  const text = textOf(value);
  return text.length <= VALUE_CHARS_MAX ? value : `${text.slice(0, VALUE_CHARS_MAX)}…`;
}
