/**
 * A query as re-ranker 2 reads it: as 1.1 does, so that 1.1's components of a candidate are those
 * that 1.1 itself would give; besides, what the comma and the brackets of a person's name say, a
 * gender, and numbers. Folding drops the comma, and with it that `Patrushev, Nikolai` is Nikolai
 * Patrushev, and brackets, and with them that what they hold is no part of the name.
 */
import type { Deadline } from '../deadline.ts';
import { foldReadings } from '../foldName.ts';
import { foldIdentifier, imoNumbersIn } from '../identifiers.ts';
import { normalizeByName } from '../normalizeByName.ts';
import { TRANSLITERATIONS_MAX } from '../normalizeQuery.ts';
import type { NormalizedQuery, RawQuery } from '../ports.ts';
import { scriptSpellings } from '../readings/scriptNames.ts';
import { withoutNotes } from './publishedNote.ts';

/** Identifiers of a query that are looked for. */
const IDENTIFIERS_MAX = 16;
/** Latin spellings of names in Hangul, Han characters and Hebrew that a query gets in all. */
export const SPELT_MAX = 16;
/** Commas of the scripts that names come in. */
const COMMAS = [',', '،', '、', '，', '﹐', '､'];

/** The family name and the given names of a person's name with a comma. */
export interface CommaParts {
  readonly before: string;
  readonly after: string;
}

/** Splits a name at its first comma; undefined where a side of it is empty or there is none. */
export function commaParts(name: string): CommaParts | undefined {
  const places = COMMAS.map((comma) => name.indexOf(comma)).filter((at) => at >= 0);
  if (places.length === 0) return undefined;
  const at = Math.min(...places);
  const before = name.slice(0, at).trim();
  const after = name.slice(at + 1).trim();
  return before === '' || after === '' ? undefined : { after, before };
}

/** Throws EngineError `deadline-exceeded`. */
export function readQuery(query: RawQuery, deadline?: Deadline): NormalizedQuery {
  const read = normalizeByName(query, deadline);
  const given = [query.name, ...query.transliterations.slice(0, TRANSLITERATIONS_MAX)];
  return {
    ...read,
    ...naturalOf(query, read.names, deadline),
    ...speltOf(read.names, deadline),
    ...attributesOf(query, given),
  };
}

/** Gender and identifiers; absent where nothing of what is given tells. */
function attributesOf(
  { gender = '', identifiers = [], schema }: RawQuery,
  given: readonly string[],
): Pick<NormalizedQuery, 'gender' | 'identifiers' | 'imo'> {
  const folded = identifiers.slice(0, IDENTIFIERS_MAX).map(foldIdentifier);
  const inNames = schema === 'Person' ? [] : given.flatMap(imoNumbersIn);
  const all = [...new Set([...folded, ...inNames])].filter((one) => one !== '');
  const read = genderIn(gender);
  return {
    ...(read !== undefined && { gender: read }),
    ...(all.length > 0 && { identifiers: all.slice(0, IDENTIFIERS_MAX) }),
    ...(inNames.length > 0 && { imo: true as const }),
  };
}

const GENDERS = {
  f: ['f', 'female', 'woman', 'femme', 'feminin', 'féminin', 'أنثى', 'انثى'],
  m: ['m', 'male', 'man', 'homme', 'masculin', 'ذكر'],
};

function genderIn(word: string): 'f' | 'm' | undefined {
  const given = word.trim().toLowerCase();
  if (GENDERS.m.includes(given)) return 'm';
  return GENDERS.f.includes(given) ? 'f' : undefined;
}

function naturalOf(
  query: RawQuery,
  names: readonly string[],
  deadline: Deadline | undefined,
): Pick<NormalizedQuery, 'natural'> {
  if (query.schema === 'Company') return {};
  const given = [query.name, ...query.transliterations.slice(0, TRANSLITERATIONS_MAX)];
  const turned = given.flatMap((name) => ordersOf(name, deadline));
  const known = new Set(names);
  const natural = [...new Set(turned)].filter((name) => name !== '' && !known.has(name));
  return natural.length === 0 ? {} : { natural };
}

/** A name as its bearer writes it: what stands before a comma last, and without notes. */
function ordersOf(name: string, deadline: Deadline | undefined): string[] {
  const plain = withoutNotes(name);
  const parts = commaParts(plain);
  const texts = [
    ...(parts === undefined ? [] : [`${parts.after} ${parts.before}`]),
    ...(plain === name ? [] : [plain]),
  ];
  return texts.flatMap((text) =>
    foldReadings(text, 'person', deadline).flatMap(({ latin, native }) => [native, latin]),
  );
}

/** The spellings of readings/scriptNames.ts: at most so many that the worst query stays bounded. */
function speltOf(
  names: readonly string[],
  deadline: Deadline | undefined,
): Pick<NormalizedQuery, 'spelt'> {
  const known = new Set(names);
  const spelt = new Set<string>();
  for (const name of names) {
    const missing = SPELT_MAX - spelt.size;
    if (missing === 0) break;
    for (const text of scriptSpellings(name, missing, deadline)) {
      if (!known.has(text)) spelt.add(text);
    }
  }
  return spelt.size === 0 ? {} : { spelt: [...spelt] };
}
