/**
 * Names in another script against Latin ones, from the words of Wikidata labels: those that the
 * tables of readings were not made from (isHeldOut). A word is right where it finds an entry that
 * is one of its recorded spellings.
 */
import type { IndexEntity } from '#engine';
import { pick, type Random } from '../../bench/random.ts';
import { foldName } from '../../src/engine/foldName.ts';
import { isHeldOut } from '../letterTrainer.ts';
import { fieldsOf, linesOf } from './dataFolder.ts';

/** A language of the data. */
export type Language = 'arabic' | 'chinese' | 'hebrew' | 'korean';

/** A word in its script, and the Latin spellings that are recorded for it. */
export interface ScriptWord {
  readonly native: string;
  readonly latin: readonly string[];
}

/** A query in one script, and the names that are right. */
export interface ScriptProbe {
  readonly query: string;
  readonly right: ReadonlySet<string>;
}

/**
 * Words of a language that were held out. Labels are those of whole people, cut into words, so that
 * some pairs are a given name beside a family name: `seenMin` 2 leaves out what one label has.
 */
export function scriptWords(language: Language, seenMin: number): ScriptWord[] {
  const found = new Map<string, Set<string>>();
  const held = new Set<string>();
  for (const line of linesOf(`matching/transliteration/wd_${language}_80.tsv.xz`)) {
    const [spelt = '', letters = '', count = '1'] = line.split('\t');
    const native = letters.replaceAll(' ', '');
    const { latin } = foldName(spelt.replaceAll("'", ''), 'person');
    if (!/^[a-z]{2,}$/.test(latin) || /[a-z]/i.test(native) || [...native].length < 2) continue;
    found.set(native, (found.get(native) ?? new Set<string>()).add(latin));
    if (isHeldOut(latin, Number(count)) && Number(count) >= seenMin) held.add(native);
  }
  return [...held].sort().map((native) => ({ latin: [...(found.get(native) ?? [])], native }));
}

/** Japanese names with their readings: the commonest, by a source that the tables do not use. */
export function kanjiWords(): { readonly family: ScriptWord[]; readonly given: ScriptWord[] } {
  return {
    family: kanjiOf('names/common-surnames-by-country.csv', 4),
    given: kanjiOf('names/common-forenames-by-country.csv', 10),
  };
}

/** Names of Japan: as written at `column`, in Latin letters behind it. */
function kanjiOf(file: string, column: number): ScriptWord[] {
  const found = new Map<string, Set<string>>();
  for (const fields of linesOf(file).map(fieldsOf)) {
    const native = fields[column] ?? '';
    const { latin } = foldName(fields[column + 1] ?? '', 'person');
    const isName = /^[\u4e00-\u9fff]{1,4}$/.test(native) && /^[a-z]+$/.test(latin);
    if (fields[0] !== 'JP' || !isName) continue;
    found.set(native, (found.get(native) ?? new Set<string>()).add(latin));
  }
  return [...found].map(([native, latin]) => ({ latin: [...latin], native }));
}

/** An index of persons by their Latin names alone, one each. */
export function latinEntities(names: readonly string[]): IndexEntity[] {
  return [...new Set(names)].sort().map((name, at) => ({
    card: '',
    categories: 1,
    datesOfBirth: [],
    id: `latin-${String(at).padStart(7, '0')}`,
    names: [name],
    nationalities: [],
    schema: 'Person' as const,
  }));
}

/** `count` names of two words, the first of `before`, the second of `words`. */
export function twoWordProbes(
  words: readonly ScriptWord[],
  count: number,
  random: Random,
  before: readonly ScriptWord[] = words,
) {
  return Array.from({ length: count }, (): ScriptProbe & { readonly latin: string } => {
    const [one, other] = [pick(random, before), pick(random, words)];
    const all = one.latin.flatMap((a) => other.latin.map((b) => `${a} ${b}`));
    return { latin: all[0] ?? '', query: `${one.native} ${other.native}`, right: new Set(all) };
  });
}
