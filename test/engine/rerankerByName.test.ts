/**
 * Re-ranker 1.1 beside 1.0 (decisions 2.3 to 2.6): what each finds, and what an auditor may rely on
 * whatever the names are. The figures of 1.0 stand here so that nobody mends them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openRunner, taskOf } from '../../bench/recall.ts';
import { informationOf } from '../../src/engine/commonWords.ts';
import {
  buildSnapshot,
  type Candidate,
  type IndexEntity,
  type RawQuery,
} from '../../src/engine/index.ts';
import { BLOCK, BLOCK_LENGTH } from '../../src/engine/messages.ts';
import { COLUMN } from '../../src/engine/topK.ts';
import { roundScore } from '../../src/platform/roundScore.ts';
import { entity, SETTINGS, scoreOne, screen } from './fixtures.ts';

const BY_NAME = { version: '1.1.0' };
type Ask = Partial<RawQuery> & { readonly name: string };

const both = async (part: Partial<IndexEntity>, ask: Ask): Promise<[Candidate, Candidate]> => [
  await scoreOne(part, ask),
  await scoreOne(part, ask, BY_NAME),
];

describe('titles', () => {
  test.each([
    ['AL RAHMAN, Shaykh Umar Abd', 'Umar Abd al Rahman'],
    ['UMAR ABD AL RAHMAN', 'al Rahman, Shaykh Umar Abd'],
    ['BARICH, Mullah Naim Akhund', 'Naim Akhund Barich'],
  ])('%s is %s', async (listed, name) => {
    const [former, later] = await both({ names: [listed] }, { name, schema: 'Person' });
    expect(former.nameScore).toBeLessThan(1);
    expect(later.nameScore).toBe(1);
    expect(later.matchedName).toBe(listed);
  });

  test('a name of a company keeps them, and so does one with a single other word', async () => {
    const company = { names: ['NILE GENERAL TRADING'], schema: 'Company' as const };
    const [, later] = await both(company, { name: 'Nile Trading' });
    expect(later.nameScore).toBeLessThan(1);
    const [, short] = await both({ names: ['ASAD, Haji'] }, { name: 'Asad', schema: 'Person' });
    expect(short.nameScore).toBeLessThan(1);
  });
});

describe('typing errors', () => {
  const phonetic = async (listed: string, name: string, schema?: 'Person') =>
    (await both({ names: [listed] }, { name, ...(schema && { schema }) })).map(
      (one) => one.phoneticScore,
    );

  test.each([
    ['Nicolas Maduro', 'Nicolas Madufo'],
    ['Viktor Orlov', 'Vitkor Orlov'],
    ['Viktor Orlov', 'Viktor Rolov'],
    ['Ramzan Kadyrov', 'Ramzan Kadyro'],
    ['Ramzan Kadyrov', 'Ramzan Tadyrov'],
    ['Anton Zima', 'Anton Zisa'],
  ])('%s is heard in %s', async (listed, name) => {
    expect(await phonetic(listed, name)).toEqual([0, 1]);
  });

  test('a token of three letters must be right, and so must a number', async () => {
    expect(await phonetic('Jong Kim', 'Jong Kil')).toEqual([0, 0]);
    expect(await phonetic('Brigade 1234', 'Brigade 1243')).toEqual([0, 0]);
  });

  test('two errors in one token are too many', async () => {
    expect(await phonetic('Ramzan Kadyrov', 'Ramzan Tadyrop')).toEqual([0, 0]);
  });

  test('a mistyped legal form is the form that was meant', async () => {
    const part = { names: ['KALLIOPE LIMITED'], schema: 'Company' as const };
    const [former, later] = await both(part, { name: 'Kalliope Liimted', schema: 'Company' });
    expect(former.directScore).toBeLessThan(0.92);
    expect([later.nameScore, later.directScore]).toEqual([1, 1]);
  });
});

describe('initials', () => {
  test.each([
    ['Smith, J', 'John Smith', [1, 1]],
    ['John Smith', 'J Smith', [1, 1]],
    // Miller is nobody's initial: these are other people.
    ['J Smith Miller', 'John Smith', [1, 0]],
    ['John Smith Miller', 'J Smith', [1, 0]],
    // One word serves one initial.
    ['Ahmed Saleh', 'A Ahmed Saleh', [1, 0]],
  ] as const)('%s, %s', async (listed, name, expected) => {
    const scores = await both({ names: [listed] }, { name, schema: 'Person' });
    expect(scores.map((one) => one.phoneticScore)).toEqual(expected);
  });

  test('C.B.A. is not A.B.C.', async () => {
    const part = { names: ['A.B.C. Company'], schema: 'Company' as const };
    const [former, later] = await both(part, { name: 'C.B.A. Company' });
    expect(former.directScore).toBe(1);
    expect(later.directScore).toBeLessThan(0.97);
    const [, same] = await both(part, { name: 'A.B.C. Company' });
    expect(same.directScore).toBe(1);
    const [, swapped] = await both({ names: ['John B. Carter'] }, { name: 'Carter, John B.' });
    expect(swapped.nameScore).toBe(1);
  });
});

test('both scores come from one and the same name', async () => {
  // The first alias sounds like the query, the second one is spelt like it.
  const part = { names: ['Katharina Mayer Bernburg', 'Katerina Maxer'] };
  const [former, later] = await both(part, { name: 'Katerina Mayer', schema: 'Person' });
  expect(former.phoneticScore).toBe(1);
  const alone = await Promise.all(
    part.names.map((name) => scoreOne({ names: [name] }, { name: 'Katerina Mayer' }, BY_NAME)),
  );
  expect(alone.map((one) => one.directScore)).toContain(later.directScore);
  expect(alone.find((one) => one.directScore === later.directScore)?.matchedName).toBe(
    later.matchedName,
  );
});

describe('dates', () => {
  const dob = async (listed: string, given: string) =>
    (
      await both(
        { names: ['Olga Petrova'], datesOfBirth: [listed] },
        {
          dob: given,
          name: 'Olga Petrova',
        },
      )
    ).map((one) => one.dobScore);

  test.each([
    ['1961-04-28', '1961-04-28', [1, 1]],
    ['1961-04-28', '1961-04-23', [0, 0.5]],
    ['1961-04-28', '1951-04-28', [0, 0.5]],
    ['1961-04-28', '1962-04-28', [0, 0.5]],
    ['1999-12-31', '2000-12-31', [0, 0.5]],
    ['1961-04-28', '1961-11-28', [0, 0]],
    ['1961-04-28', '1963-05-28', [0, 0]],
    ['1961', '1962-04-28', [0, 0]],
    ['1961/1963', '1964-04-28', [0, 0]],
    ['1961', '1961-04-28', [0.5, 0.5]],
  ] as const)('%s, %s', async (listed, given, expected) => {
    expect(await dob(listed, given)).toEqual(expected);
  });
});

describe('common words alone', () => {
  const listed = [
    ['Ali Hassan Mansur', 'Ali', 'Hassan Ali'],
    ['WING INTERNATIONAL GROUP', 'INTERNATIONAL GROUP', 'CORP'],
  ].map((names, at) => entity({ id: `e${at}`, names, schema: at === 0 ? 'Person' : 'Company' }));

  test.each(['Ali', 'International', 'Group', 'CORP', 'Trading Company', 'علي', 'Maria', 'Али'])(
    '%s is never a match by itself',
    async (name) => {
      const { candidates, query } = await screen(listed, { name }, BY_NAME);
      expect(query.common_words).toBeDefined();
      for (const one of candidates) expect(one.directScore).toBeLessThanOrEqual(0.5);
    },
  );

  test('several of them match the very same words alone', async () => {
    const others = listed.map((one) => ({ ...one, names: one.names.slice(0, 1) }));
    const ask = { name: 'International Group' };
    const [found] = (await screen(listed, ask, BY_NAME)).candidates;
    expect([found?.matchedName, found?.directScore]).toEqual(['INTERNATIONAL GROUP', 1]);
    const { candidates } = await screen(others, ask, BY_NAME);
    for (const one of candidates) expect(one.directScore).toBeLessThanOrEqual(0.5);
  });

  test('with the same date of birth the name decides as any other', async () => {
    const part = { names: ['Ali'], datesOfBirth: ['1961-04-28'] };
    const at = async (dob: string) =>
      (await scoreOne(part, { dob, name: 'Ali' }, BY_NAME)).directScore;
    expect([await at('1961-04-28'), await at('1971-04-28')]).toEqual([1, 0.5]);
  });

  test.each(['Mohammed Ali', 'Gaddafi', 'Sberbank', 'Islamic State', 'National Bank of Iran'])(
    '%s tells enough',
    async (name) => {
      const { query } = await screen(listed, { name }, BY_NAME);
      expect(query.common_words).toBeUndefined();
    },
  );

  test('rarer words tell more', () => {
    expect(informationOf('ali')).toBeLessThan(informationOf('hassan'));
    expect(informationOf('ali hassan')).toBeGreaterThan(informationOf('hassan'));
  });

  test('directScore is the sum of effective weights times scores all the same', async () => {
    const { candidates } = await screen(listed, { name: 'International Group' }, BY_NAME);
    for (const { directScore, effectiveWeights: weights, ...one } of candidates) {
      const sum = weights.name * one.nameScore + weights.phonetic * (one.phoneticScore ?? 0);
      expect(Math.abs(roundScore(sum) - directScore)).toBeLessThan(1e-8);
    }
  });
});

/** Letters of the scripts that lists and customers have. */
const SCRIPTS = [
  'abdeghilmnorstuy',
  'абвгдеиклмнорст',
  'ابتحدرسعفقكلمنهوي',
  'αβγδεικλμνορστ',
  '金伟李明王芳',
  '김이박정은영',
  'אבגדהוילמנרש',
  'กขคงจนมร',
];
const word = fc.constantFrom(...SCRIPTS).chain((letters) => {
  return fc.string({ maxLength: 7, minLength: 1, unit: fc.constantFrom(...letters) });
});
const name = fc.array(word, { maxLength: 4, minLength: 1 }).map((words) => words.join(' '));
const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 150) };

describe('whatever the names are', () => {
  const block = new Float64Array(BLOCK_LENGTH);
  /** All is scored: below every threshold retrieval may leave an entity out. */
  const direct = async (part: Partial<IndexEntity>, ask: Ask) => {
    const runner = openRunner(buildSnapshot([entity({ id: 'one', ...part })]));
    const task = taskOf({ transliterations: [], ...ask }, { ...SETTINGS, ...BY_NAME });
    runner.run(task, block, { exhaustive: true });
    expect(block[BLOCK.count]).toBe(1);
    return block[BLOCK.rows + COLUMN.directScore] ?? 0;
  };

  test('one more alias never lowers an entity', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 3, minLength: 1 }),
        name,
        name,
        async (...of) => {
          const [names, alias, query] = of;
          const before = await direct({ names }, { name: query });
          const after = await direct({ names: [...names, alias] }, { name: query });
          expect(after).toBeGreaterThanOrEqual(before);
        },
      ),
      RUNS,
    );
  });

  test('an attribute that disagrees never raises it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 3, minLength: 1 }),
        name,
        async (names, query) => {
          const alone = await direct({ names }, { name: query });
          const dated = { names, datesOfBirth: ['1961-04-28'], nationalities: ['TN'] };
          const ask = { dob: '1984-11-02', name: query, nationality: 'FR' };
          expect(await direct(dated, ask)).toBeLessThanOrEqual(alone);
        },
      ),
      RUNS,
    );
  });

  test('a published name finds its entry, and a mistyped token never scores above it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 4, minLength: 2 }),
        fc.nat(),
        async (words, at) => {
          const listed = words.join(' ');
          const place = at % words.length;
          const typed = words.map((one, own) => (own === place ? `${one.slice(0, -1)}x` : one));
          const exact = await scoreOne({ names: [listed] }, { name: listed }, BY_NAME);
          const mistyped = await scoreOne({ names: [listed] }, { name: typed.join(' ') }, BY_NAME);
          expect(exact.nameScore).toBe(1);
          expect(mistyped.nameScore).toBeLessThanOrEqual(exact.nameScore);
          expect(mistyped.phoneticScore ?? 0).toBeLessThanOrEqual(exact.phoneticScore ?? 1);
        },
      ),
      RUNS,
    );
  });
});
