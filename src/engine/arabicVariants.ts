/**
 * Latin spellings of Arabic names: romaniseArabic gives the commonest one, arabicVariants the ways
 * that people write a name (English, folk French as in Tunisia, academic), best first,
 * deterministic, at most 16.
 *
 * Arabic leaves its short vowels out, so a spelling is looked up by token first (config/tables/
 * arabicTokens.json, from Wikidata) and made by ordered letter tables where the token is unknown.
 * Input is folded: no marks, hamza carriers plain, ta marbuta as ha.
 */
import letterTable from '../../config/tables/arabicLetters.json' with { type: 'json' };
import tokenTable from '../../config/tables/arabicTokens.json' with { type: 'json' };

/** Variants of one name. */
export const ARABIC_VARIANTS_MAX = 16;
const TOKENS_MAX = 12;
const CHOICES_MAX = 5;
const STYLES = [0, 1, 2] as const;
type Style = (typeof STYLES)[number];

type StyledTable = ReadonlyMap<string, readonly string[]>;

/** Tables are written as people write; names arrive folded. */
function foldKey(key: string): string {
  return key.replaceAll('ة', 'ه').replaceAll('ى', 'ي').replaceAll('ک', 'ك').replaceAll('ی', 'ي');
}

function folded(entries: readonly (readonly [string, readonly string[]])[]): StyledTable {
  const table = new Map<string, readonly string[]>();
  for (const [key, values] of entries) {
    if (!table.has(foldKey(key))) table.set(foldKey(key), values);
  }
  return table;
}

const WORDS = folded(Object.entries(letterTable.words));
const LETTERS = folded(Object.entries(letterTable.letters));
const LONG_VOWELS: StyledTable = new Map(Object.entries(letterTable.longVowels));
const GLIDES: StyledTable = new Map(Object.entries(letterTable.glides));
const TOKENS = folded(
  Object.entries(tokenTable.tokens).map(([key, joined]) => [key, joined.split(' ')] as const),
);
const ARTICLE = 'ال';
const ALEF = 'ا';
const AIN = 'ع';
const HA = 'ه';

interface Sound {
  readonly text: string;
  readonly vowel: boolean;
}

function isVowelCarrier(char: string | undefined): boolean {
  return char !== undefined && LONG_VOWELS.has(char);
}

/** Letters → consonants and long vowels; و and ي are consonants at the start and before alef. */
function sounds(token: string, style: Style): Sound[] {
  const chars = [...token];
  return chars.flatMap((char, at): Sound[] => {
    const next = chars[at + 1];
    if (char === HA && at === chars.length - 1 && at > 1) {
      return [{ text: letterTable.taMarbuta[style] ?? 'a', vowel: true }];
    }
    if (char === AIN) return at === 0 || next === undefined ? [{ text: 'a', vowel: true }] : [];
    const glide = GLIDES.get(char);
    const startsSyllable = at === 0 || next === ALEF || isVowelCarrier(chars[at - 1]);
    if (glide !== undefined && startsSyllable && !(isVowelCarrier(chars[at - 1]) && !next)) {
      return [{ text: glide[style] ?? '', vowel: false }];
    }
    const long = LONG_VOWELS.get(char);
    if (long !== undefined) return [{ text: long[style] ?? '', vowel: true }];
    const text = LETTERS.get(char)?.[style] ?? (char < '\u0080' ? char : '');
    return text === '' ? [] : [{ text, vowel: false }];
  });
}

/**
 * Short vowels by syllable: no word begins or ends with two consonants, none has three in a row.
 */
function vowelled(parts: readonly Sound[], style: Style): string {
  const short = style === 1 ? 'e' : 'a';
  let out = '';
  let run = 0;
  let longBefore = false;
  parts.forEach((part, at) => {
    if (part.vowel) {
      out += out.endsWith(part.text) ? '' : part.text;
      run = 0;
      longBefore = true;
      return;
    }
    const wordStart = at > 0 && run === at;
    const wordEnd = at === parts.length - 1;
    if (run === 1 && wordStart) {
      out += 'a';
      run = 0;
    } else if (run >= 1 && wordEnd) {
      out += longBefore ? 'i' : short;
      run = 0;
    } else if (run >= 2) {
      out += 'a';
      run = 0;
    }
    out += part.text;
    run += 1;
  });
  return out;
}

function bare(token: string, style: Style): string[] {
  const known = WORDS.get(token)?.[style];
  const learnt = TOKENS.get(token) ?? [];
  const made = vowelled(sounds(token, style), style);
  const first = known !== undefined ? [known] : [];
  return [...first, ...(style === 0 || first.length === 0 ? learnt : []), made];
}

/** Spellings of one token, best first; the article is a word of its own, then joined. */
function spellings(token: string): string[] {
  const styled: string[] = [];
  const article = token.startsWith(ARTICLE) && token.length > 4 && !WORDS.has(token);
  const stem = article ? token.slice(ARTICLE.length) : token;
  const byStyle = STYLES.map((style) => bare(stem, style));
  const depth = Math.max(...byStyle.map((list) => list.length));
  for (let rank = 0; rank < depth; rank++) {
    for (const style of STYLES) {
      const text = byStyle[style]?.[rank];
      if (text === undefined || text === '') continue;
      if (!article) styled.push(text);
      else
        styled.push(
          `${letterTable.article[style]} ${text}`,
          `${letterTable.article[style]}${text}`,
        );
    }
  }
  const assimilated = article && letterTable.sunLetters.includes(stem[0] ?? '');
  const first = byStyle[1]?.[0] ?? '';
  if (assimilated && first !== '') styled.splice(3, 0, `e${first[0] ?? ''} ${first}`);
  return [...new Set(styled.filter((text) => text !== ''))].slice(0, CHOICES_MAX);
}

/** The commonest Latin spelling of one folded Arabic token; empty where it has no sound. */
export function romaniseArabic(token: string): string {
  return spellings(token)[0] ?? '';
}

/** Whether a folded name has a letter of the Arabic script. */
export function hasArabic(name: string): boolean {
  for (let unit = 0; unit < name.length; unit++) {
    const code = name.charCodeAt(unit);
    if (code >= 0x0600 && code <= 0x06ff) return true;
  }
  return false;
}

/** Rank vectors with the given sum, in lexicographic order, written into `out` until it is full. */
function combine(choices: readonly (readonly string[])[], sum: number, out: Set<string>): void {
  const ranks: number[] = [];
  const walk = (at: number, left: number): void => {
    if (out.size >= ARABIC_VARIANTS_MAX) return;
    if (at === choices.length) {
      if (left === 0) out.add(ranks.map((rank, token) => choices[token]?.[rank] ?? '').join(' '));
      return;
    }
    const most = Math.min(left, (choices[at]?.length ?? 1) - 1);
    for (let rank = most; rank >= 0; rank--) {
      ranks[at] = rank;
      walk(at + 1, left - rank);
    }
  };
  walk(0, sum);
}

/** Latin variants of a folded name with Arabic tokens; tokens of other scripts stay as they are. */
export function arabicVariants(name: string): string[] {
  const tokens = name.split(' ').slice(0, TOKENS_MAX);
  const choices = tokens.map((token) => (hasArabic(token) ? spellings(token) : [token]));
  const sounding = choices.filter((list) => list.length > 0);
  if (sounding.length === 0) return [];
  const out = new Set<string>();
  // One style throughout comes first: people do not change theirs inside a name.
  for (const style of STYLES) {
    out.add(sounding.map((list) => list[Math.min(style, list.length - 1)] ?? '').join(' '));
  }
  const sumMax = sounding.reduce((sum, list) => sum + list.length - 1, 0);
  for (let sum = 1; sum <= sumMax && out.size < ARABIC_VARIANTS_MAX; sum++) {
    combine(sounding, sum, out);
  }
  return [...out];
}
