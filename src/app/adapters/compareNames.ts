/**
 * How alike two names are, by the forms in which the engine compares names: folded, romanised,
 * Arabic in the ways that people write it; in their order and sorted, since family names stand
 * first on one document and last on another.
 */
import { foldName, jaroWinkler, listForms } from '#engine';

export async function compareNames(said: string, read: string): Promise<number> {
  let best = 0;
  for (const a of formsOf(said)) {
    for (const b of formsOf(read)) best = Math.max(best, jaroWinkler(a, b));
  }
  return best;
}

const formsOf = (name: string): readonly string[] =>
  listForms(foldName(name, 'person')).flatMap((form) => [form, form.split(' ').sort().join(' ')]);
