/**
 * What a query is normalised to must never change: events hold it, and replays start from it. So
 * the lazy ways are held to the plain formulas, which make everything and throw most of it away.
 */
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../bench/random.ts';
import letters from '../../config/tables/arabicLetters.json' with { type: 'json' };
import tokens from '../../config/tables/arabicTokens.json' with { type: 'json' };
import { spellArabic } from '../../src/engine/arabicSpelling.ts';
import {
  ARABIC_VARIANTS_MAX,
  arabicVariants,
  hasArabic,
  romaniseArabic,
  wordSpellings,
} from '../../src/engine/arabicVariants.ts';
import { Deadline } from '../../src/engine/deadline.ts';
import { foldReadings } from '../../src/engine/foldName.ts';
import type { RawQuery } from '../../src/engine/index.ts';
import { normalizeQuery } from '../../src/engine/normalizeQuery.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 400);
const KNOWN = [...Object.keys(letters.words), ...Object.keys(tokens.tokens)];
/** All letters of the block, marks and signs included: some have no sound. */
const BLOCK = Array.from({ length: 0x100 }, (_, at) => String.fromCharCode(0x0600 + at));
const PARTS = ['عبد', 'الله', 'ال', 'عبدال', 'بن', 'ء', 'ع', 'ءع', 'و', 'ي', 'ا', 'x', 'l.t.d.'];

const random = seededRandom(20_261_122);
const below = (count: number): number => Math.floor(random() * count);
const oneOf = (texts: readonly string[]): string => texts[below(texts.length)] ?? '';

function word(): string {
  const kind = random();
  if (kind < 0.35) return oneOf(KNOWN);
  if (kind < 0.5) return oneOf(PARTS);
  if (kind < 0.6) return oneOf(PARTS) + oneOf(KNOWN);
  if (kind < 0.65) return oneOf(['Mohammed', 'Ltd', 'S', 'A', 'Иван', '金', 'ß&Co']);
  const from = kind < 0.9 ? Object.keys(letters.letters) : BLOCK;
  return Array.from({ length: 1 + below(12) }, () => oneOf(from)).join('');
}

const name = (): string => Array.from({ length: 1 + below(5) }, word).join(' ');

function query(): RawQuery {
  const schema = oneOf(['', 'Person', 'Company']) as '' | 'Person' | 'Company';
  const given = Array.from({ length: below(4) * below(8) }, () => (below(3) ? name() : word()));
  const first = name();
  return {
    name: first,
    transliterations: below(4) === 0 ? [...given, first, ...given] : given,
    ...(schema !== '' && { schema }),
  };
}

const distinct = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((one) => one !== '');

/** All variants of all names, of which the first sixteen count. */
function plainly(raw: RawQuery): { names: string[]; variants: string[] } {
  const reading = raw.schema && (raw.schema === 'Person' ? 'person' : 'entity');
  const folded = foldReadings(raw.name, reading);
  const given = raw.transliterations.slice(0, 20).flatMap((one) => foldReadings(one, reading));
  const natives = distinct([...folded, ...given].map(({ native }) => native));
  const generated = natives.filter(hasArabic).flatMap(arabicVariants).slice(0, ARABIC_VARIANTS_MAX);
  const variants = distinct([...given.map(({ latin }) => latin), ...generated]);
  const names = distinct([...natives, ...folded.map(({ latin }) => latin), ...variants]);
  return { names, variants };
}

describe('a query', () => {
  test('has the variants that it would have if all were made', () => {
    for (let run = 0; run < RUNS; run++) {
      const raw = query();
      const { names, variants } = normalizeQuery(raw);
      expect({ names, variants }, JSON.stringify(raw)).toEqual(plainly(raw));
    }
  });

  test('of names that share their variants has no more of them than ever', () => {
    const transliterations = ['محمد', 'مُحمَّد', 'محمد.', 'علي', 'عمر', 'زين'];
    const raw = { name: 'محمد', transliterations };
    const { names, variants } = normalizeQuery(raw);
    expect({ names, variants }).toEqual(plainly(raw));
  });
});

describe('the first spelling of a word', () => {
  test('is the first of all its spellings', () => {
    for (let run = 0; run < RUNS * 20; run++) {
      const token = foldReadings(word(), 'person')[0]?.native.split(' ')[0] ?? '';
      if (!hasArabic(token)) continue;
      expect(romaniseArabic(token), token).toBe(wordSpellings(token)[0] ?? '');
    }
  });

  test('is learnt from names only where the letters have no sound', () => {
    expect([romaniseArabic('ءعء'), wordSpellings('ءعء')[0] ?? '']).toEqual([
      spellArabic('ءعء', 1)[0] ?? '',
      spellArabic('ءعء', 1)[0] ?? '',
    ]);
  });
});

describe('the deadline', () => {
  const arabic = Array.from({ length: 128 }, (_, at) => `${BLOCK[0x41 + (at % 10)]}بدر`).join(' ');
  const passed = new Deadline();
  passed.set(0);

  test.for([
    ['a plain name', { name: 'John Smith', transliterations: [] }],
    ['a long name', { name: arabic, transliterations: [] }],
  ] as const)('ends %s', ([, raw]) => {
    expect(() => normalizeQuery(raw, passed)).toThrow(/deadline/);
  });

  test('is looked at for each name and each word', () => {
    class Counted extends Deadline {
      looks = 0;
      override check(): void {
        this.looks += 1;
      }
    }
    const deadline = new Counted();
    normalizeQuery({ name: 'John Smith', transliterations: ['Jon', 'Jan'] }, deadline);
    expect(deadline.looks).toBe(3);
    normalizeQuery({ name: arabic, transliterations: [arabic] }, deadline);
    // As many words of four letters as are read of a name, twice.
    expect(deadline.looks).toBeGreaterThan(3 + 2 * 100);
  });
});
