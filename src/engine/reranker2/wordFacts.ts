/**
 * What re-ranker 2 knows of single words, from its tables (config/tables, made by
 * scripts/makeNameFacts.ts): how rare they are, which are spelt in several ways, which are short
 * for others, and which have a part of their own in a name. Tables are part of the version.
 */
import facts from '../../../config/tables/nameFacts.json' with { type: 'json' };
import words from '../../../config/tables/reranker2Words.json' with { type: 'json' };

/** Rarity is counted in twelfths of a bit: 12 × log2(names / names with the word). */
export const RARITY_BIT = 12;
/** Rarity of a word that the table does not have; none is rarer. */
export const RAREST = 204;

/** A name of persons says less of the companies that are called after them. */
const CALLED_AFTER = RARITY_BIT * 3;

/** Parts that a word may have in a name, as bits. */
export const PART = {
  title: 1,
  particle: 2,
  suffix: 4,
  stop: 8,
  descriptor: 16,
  number: 32,
  initial: 64,
  male: 128,
  female: 256,
  legal: 512,
  vesselPrefix: 1024,
} as const;

type Words = Readonly<Record<string, string>>;

/** Each word of the groups, with the name of its group. */
function byWord(groups: Words): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([name, list]) =>
      list.split(' ').map((word) => [word, name] as const),
    ),
  );
}

function setOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function rarities(classes: Words): ReadonlyMap<string, number> {
  return new Map([...byWord(classes)].map(([word, rarity]) => [word, Number(rarity)]));
}

const titles = setOf(words.titles);
const particles = byWord(words.particles);
const suffixes = byWord(words.suffixes);
const stopWords = setOf(words.stopWords);
const synonyms = byWord(words.synonyms);
/** Each word that others are written short for, with those and itself. */
const synonymsOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(words.synonyms).map(([word, list]) => [word, [word, ...list.split(' ')]]),
);
const descriptors = setOf(words.descriptors);
const vesselPrefixes = setOf(words.vesselPrefixes);
const numbers = byWord(words.numbers);
const tens = byWord(words.tens);
const legalKinds = new Map(
  Object.values(words.legalForms).flatMap((list, kind) =>
    list.split(' ').map((word) => [word, kind] as const),
  ),
);
const personRarity = rarities(facts.person);
const entityRarity = rarities(facts.entity);
const males = setOf(facts.male);
const females = setOf(facts.female);
const spellings = { entity: classesOf(facts.entitySpellings), person: classesOf(facts.spellings) };
const nicknames = nicknameSets(facts.nicknames);

/** Each word with the number of its class, counted from 1. */
function classesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    lines.flatMap((line, at) => line.split(' ').map((word) => [word, at + 1] as const)),
  );
}

function nicknameSets(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sets = new Map<string, Set<string>>();
  const add = (one: string, other: string) => {
    const known = sets.get(one) ?? new Set<string>();
    known.add(other);
    sets.set(one, known);
  };
  for (const line of lines) {
    const [name = '', ...short] = line.split(' ');
    for (const word of short) {
      add(name, word);
      add(word, name);
    }
  }
  return sets;
}

/** What kind of name a word stands in. */
export type NameKind = 'person' | 'entity' | 'vessel';

/**
 * Rarity of a word, 0..RAREST: among names of persons or, for all other names, among both, since
 * companies and vessels are called after persons.
 */
export function rarityOf(word: string, kind: NameKind): number {
  const ofPersons = personRarity.get(word) ?? RAREST;
  if (kind === 'person') return ofPersons;
  const ofEntities = entityRarity.get(word) ?? RAREST;
  return ofPersons === RAREST ? ofEntities : Math.min(ofPersons - CALLED_AFTER, ofEntities);
}

/** Number of the class of spellings that a word belongs to in names of this kind; 0: none. */
export function spellingClass(word: string, kind: NameKind): number {
  return (kind === 'person' ? spellings.person : spellings.entity).get(word) ?? 0;
}

/** The names that a word is short for, or that are short for it. */
export function nicknamesOf(word: string): ReadonlySet<string> | undefined {
  return nicknames.get(word);
}

/** Whether a word of a company's name is one that may be left out, such as `of`. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/**
 * Words that a word stands for whatever its letters: those that it is short for, those of its class
 * of spellings, and in other names than a person's those that are written short for each other.
 */
export function standInsOf(word: string, kind: NameKind): string[] {
  const lines = kind === 'person' ? facts.spellings : facts.entitySpellings;
  const spelt = lines[spellingClass(word, kind) - 1]?.split(' ') ?? [];
  const short =
    kind === 'person'
      ? [...(nicknames.get(word) ?? [])]
      : (synonymsOf.get(synonyms.get(word) ?? word) ?? []);
  return [...spelt, ...short].filter((other) => other !== word);
}

/** Kind of a legal form, counted from 0; undefined for any other word. */
export function legalKind(word: string): number | undefined {
  return legalKinds.get(word);
}

/** Legal forms of this kind fit any other form: Inc., Corp., Co. */
export const ANY_LEGAL_KIND = Object.keys(words.legalForms).indexOf('corporation');

/** A word's parts in names of a kind, and the word that it is compared as. */
export interface WordPart {
  readonly text: string;
  readonly parts: number;
}

function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    if (unit < 48 || unit > 57) return false;
  }
  return word !== '';
}

function withoutZeros(digits: string): string {
  let at = 0;
  while (at < digits.length - 1 && digits[at] === '0') at += 1;
  return digits.slice(at);
}

/** What a word does in the name of a person. */
export function personPart(word: string): WordPart {
  if (isNumber(word)) return { parts: PART.number, text: withoutZeros(word) };
  const suffix = suffixes.get(word);
  if (suffix !== undefined) return { parts: PART.suffix | PART.title, text: suffix };
  if (titles.has(word)) return { parts: PART.title, text: word };
  const particle = particles.get(word);
  if (particle !== undefined) return { parts: PART.particle, text: particle };
  const gender = males.has(word) ? PART.male : females.has(word) ? PART.female : 0;
  return { parts: gender | (word.length === 1 ? PART.initial : 0), text: word };
}

/** What a word does in the name of a company, vessel or aircraft. */
export function entityPart(word: string): WordPart {
  if (isNumber(word)) return { parts: PART.number, text: withoutZeros(word) };
  const number = numbers.get(word);
  if (number !== undefined) return { parts: PART.number, text: number };
  const text = synonyms.get(word) ?? word;
  const stop = stopWords.has(text) ? PART.stop : 0;
  const vessel = vesselPrefixes.has(text) ? PART.vesselPrefix : 0;
  const legal = legalKinds.has(text) ? PART.legal : 0;
  return { parts: stop | vessel | legal | (descriptors.has(text) ? PART.descriptor : 0), text };
}

/** A number word that another may follow (forty, forty four); undefined for any other word. */
export function tensOf(word: string): number | undefined {
  const value = tens.get(word);
  return value === undefined ? undefined : Number(value);
}

/** The value of a number below ten in digits or words; undefined for any other word. */
export function unitOf(word: string): number | undefined {
  const value = Number(numbers.get(word) ?? word);
  return value >= 1 && value <= 9 ? value : undefined;
}

/** Whether the table has counted the word among companies' names. */
export function isKnownOfEntities(word: string): boolean {
  return entityRarity.has(word);
}
