/**
 * Latin spellings of names in Han characters, which are read in several languages: as a Japanese
 * name where its halves are ones that Japanese people have, as a Chinese one in Mandarin (Pinyin,
 * Wade-Giles) and in Cantonese, as a Korean one by the Korean sounds of its characters, and as a
 * foreign name as learnt (learntScript.ts).
 */
import table from '../../../config/tables/hanReadings.json' with { type: 'json' };
import japanese from '../../../config/tables/japaneseNames.json' with { type: 'json' };
import kanji from '../../../config/tables/kanjiReadings.json' with { type: 'json' };
import { romaniseCharacter } from '../unicodeTables.ts';
import { koreanName } from './hangulReadings.ts';
import { LearntScript } from './learntScript.ts';

/** Characters of a name of East Asia that is written as one word. */
const NAME_CHARACTERS_MAX = 6;
const CHINESE_GIVEN_MAX = 3;
const KOREAN_SPELLINGS = 3;
const JAPANESE_SPELLINGS = 6;
/** Characters of a Japanese given name that is read by them. */
const JAPANESE_GIVEN_MAX = 4;

type Texts = ReadonlyMap<string, readonly string[]>;

/** Reading → the characters or names that have it, as name → readings in the table's order. */
function byName(readings: Readonly<Record<string, string>>, apart: string): Texts {
  const found = new Map<string, string[]>();
  for (const [reading, names] of Object.entries(readings)) {
    for (const name of names.split(apart)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [reading]);
      else known.push(reading);
    }
  }
  return found;
}

function pairsOf(text: string): ReadonlyMap<string, string> {
  const chars = [...text];
  return new Map(
    chars.flatMap((char, at) => (at % 2 === 0 ? [[char, chars[at + 1] ?? char] as const] : [])),
  );
}

/** Tables by character and by name; laid out for the first name that is read. */
function laidOut() {
  return {
    cantonese: byName(table.cantonese, ''),
    chineseSurnames: new Map(
      Object.entries(table.surnames).map(([name, spelt]) => [name, spelt.split(' ')] as const),
    ),
    japaneseGiven: byName(japanese.given, ' '),
    japaneseSurnames: byName(japanese.surnames, ' '),
    korean: byName(table.korean, ''),
    koreanSurnames: new Set(table.koreanSurnames),
    simple: pairsOf(table.simplified),
    wadeGiles: new Map(Object.entries(table.wadeGiles)),
  } as const;
}

let made: ReturnType<typeof laidOut> | undefined;

function han(): ReturnType<typeof laidOut> {
  made ??= laidOut();
  return made;
}

const learnt = new LearntScript(table, (word) => [...word]);
/** Given names of Japan that no table has, character by character. */
const learntOfJapan = new LearntScript(kanji, (word) => [...word]);

/** Whether a character is one of Han script. */
export function isHan(codePoint: number): boolean {
  return (
    (codePoint >= 0x3400 && codePoint <= 0x9fff) ||
    (codePoint >= 0x20000 && codePoint <= 0x3ffff) ||
    codePoint === 0x3005
  );
}

/** Whether a character is one of the syllables that Japanese names have beside Han. */
export function isKana(codePoint: number): boolean {
  return codePoint >= 0x3041 && codePoint <= 0x30ff && codePoint !== 0x30fb;
}

/** A word in simplified characters, as the tables are. */
function simplified(word: string): string {
  return [...word].map((char) => han().simple.get(char) ?? char).join('');
}

const first = (texts: readonly string[] | undefined): string => texts?.[0] ?? '';

function mandarin(name: string): string[] {
  return [...name].map((char) => romaniseCharacter(char.codePointAt(0) ?? 0) ?? '');
}

/** A Chinese name's halves in each way of writing, likeliest first. */
function chineseName(family: string, given: string): string[] {
  const families = han().chineseSurnames.get(family) ?? [mandarin(family).join('')];
  const pinyin = mandarin(given);
  const joined = pinyin.join('');
  const old = pinyin.map((sound) => han().wadeGiles.get(sound) ?? sound).join(' ');
  const cantonese = [...given].map((char) => first(han().cantonese.get(char)));
  const hasCantonese = cantonese.every((sound) => sound !== '');
  const [usual = '', ...others] = families;
  const texts = [
    `${usual} ${joined}`,
    ...(hasCantonese ? others.map((other) => `${other} ${cantonese.join(' ')}`) : []),
    ...(hasCantonese && others.length === 0 ? [`${usual} ${cantonese.join(' ')}`] : []),
    `${han().wadeGiles.get(usual) ?? usual} ${old}`,
    ...others.map((other) => `${other} ${pinyin.join(' ')}`),
  ];
  return texts;
}

function koreanReading(family: string, given: string): string[] {
  if (!han().koreanSurnames.has(family)) return [];
  const sounds = [...given].map((char) => first(han().korean.get(char)));
  const sound = first(han().korean.get(family));
  if (sound === '' || sounds.includes('')) return [];
  return koreanName(sound, sounds.join('')).slice(0, KOREAN_SPELLINGS);
}

function isAllKana(word: string): boolean {
  return [...word].every((char) => isKana(char.codePointAt(0) ?? 0));
}

/** Readings of a given name: those that people are known by, and then those of its characters. */
function givenOfJapan(given: string): readonly string[] {
  if (isAllKana(given)) return han().japaneseGiven.get(given) ?? [mandarin(given).join('')];
  const known = han().japaneseGiven.get(given) ?? [];
  if ([...given].length > JAPANESE_GIVEN_MAX) return known;
  return [...new Set([...known, ...learntOfJapan.spellings(given)])];
}

function japaneseName(family: string, given: string): string[] {
  const families = han().japaneseSurnames.get(family);
  if (families === undefined) return [];
  const names = givenOfJapan(given).slice(0, JAPANESE_SPELLINGS);
  const [usual = '', ...others] = families.slice(0, 3);
  return [
    ...names.map((name) => `${usual} ${name}`),
    ...others.map((other) => `${other} ${first(names)}`),
  ].filter((text) => !text.endsWith(' '));
}

/** The readings of a name whose halves are known, each language in a list of its own. */
export function hanHalves(family: string, given: string): (readonly string[])[] {
  const [plainFamily, plainGiven] = [simplified(family), simplified(given)];
  const isChinese =
    han().chineseSurnames.has(plainFamily) &&
    [...given].length <= CHINESE_GIVEN_MAX &&
    isHanOnly(given);
  const chinese = isChinese ? chineseName(plainFamily, plainGiven) : [];
  const japan = japaneseName(family, given);
  const korean = isChinese ? koreanReading(plainFamily, plainGiven) : [];
  const isOfJapan = japan.length > 0 && [...family].length > 1;
  return isOfJapan ? [japan, chinese, korean] : [chinese, korean, japan];
}

function isHanOnly(word: string): boolean {
  return [...word].every((char) => isHan(char.codePointAt(0) ?? 0));
}

/** The readings of a name that is one word, each language in a list of its own, likeliest first. */
export function hanName(word: string): readonly (readonly string[])[] {
  const chars = [...word];
  const spelt = isHanOnly(word) ? learnt.spellings(simplified(word)) : [];
  const known = [
    ...(han().japaneseSurnames.get(word) ?? []).slice(0, 2),
    ...givenOfJapan(word).slice(0, 2),
  ];
  if (learnt.knows(simplified(word))) return [spelt, known];
  if (chars.length < 2 || chars.length > NAME_CHARACTERS_MAX) return [known, spelt];
  const halves = [2, 1, 3].flatMap((length) =>
    length < chars.length
      ? hanHalves(chars.slice(0, length).join(''), chars.slice(length).join(''))
      : [],
  );
  return [...halves, spelt, known].filter((texts) => texts.length > 0);
}

/** Spellings of one word of a longer name. */
export function hanWord(word: string): readonly string[] {
  const spelt = isHanOnly(word) ? learnt.spellings(simplified(word)) : [];
  const names = [
    ...(han().chineseSurnames.get(simplified(word)) ?? []).slice(0, 2),
    ...(han().japaneseSurnames.get(word) ?? []).slice(0, 1),
    ...givenOfJapan(word).slice(0, 1),
  ];
  const ofJapan = [...(han().japaneseSurnames.get(word) ?? []), ...givenOfJapan(word)];
  return [...new Set([...spelt.slice(0, 3), ...names, ...spelt.slice(3), ...ofJapan])];
}
