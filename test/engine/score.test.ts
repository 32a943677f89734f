/** The formula and its components on real-shaped names (interface.md 4.8; decisions 2.2 to 2.6). */
import jaroWinkler from 'jaro-winkler';
import { describe, expect, test } from 'vitest';
import type { IndexEntity } from '../../src/engine/index.ts';
import { entity, SETTINGS, scoreOne, screen } from './fixtures.ts';

const SADDAM = {
  names: ['Saddam HUSSEIN AL-TIKRITI', 'Abu ALI'],
  datesOfBirth: ['1937-04-28'],
  nationalities: ['IQ'],
};

describe('nameScore', () => {
  test.for([
    ['Saddam Hussein al-Tikriti', 1],
    ['ABU  ALI', 1],
    ['Hussein al Tikriti, Saddam', 1],
    [
      'Sadam Husein Al Tikriti',
      jaroWinkler('sadam husein al tikriti', 'saddam hussein al tikriti'),
    ],
  ] as const)('%s scores %d', async ([name, score]) => {
    expect((await scoreOne(SADDAM, { name })).nameScore).toBeCloseTo(score, 9);
  });

  test('swapped names count by their sorted tokens; the matched name is as published', async () => {
    const { matchedName, nameScore } = await scoreOne(SADDAM, { name: 'Ali Abu' });
    expect({ matchedName, nameScore }).toEqual({ matchedName: 'Abu ALI', nameScore: 1 });
  });

  test('a native-script list name answers to its script and to its sound', async () => {
    const putin = { names: ['Владимир Владимирович ПУТИН'] };
    expect((await scoreOne(putin, { name: 'Владимир Владимирович Путин' })).nameScore).toBe(1);
    expect((await scoreOne(putin, { name: 'Vladimir Vladimirovich Putin' })).nameScore).toBe(1);
  });

  test('a given transliteration is a name of the query', async () => {
    const query = { name: 'unrelated words', transliterations: ['Abu Ali'] };
    expect((await scoreOne(SADDAM, query)).nameScore).toBe(1);
  });

  test('an Arabic query finds a list that holds no Arabic character', async () => {
    const found = await scoreOne({ names: ['Muammar AL-QADHAFI'] }, { name: 'معمر القذافي' });
    expect(found.nameScore).toBeGreaterThan(0.9);
    expect(found.aliasUnfoldScore).toBeGreaterThan(0.8);
    expect(found.directScore).toBeGreaterThan(0.7);
  });
});

describe('phoneticScore', () => {
  test.for([
    ['every token heard in one name', 'Sadam Husain Altikriti', ['Saddam Hussein Altikriti'], 1],
    ['fewer tokens than the name', 'Sadam Husain', ['Saddam Hussein Altikriti'], 1],
    ['a token that is not heard', 'Sadam Bravo', ['Saddam Hussein'], 0],
    ['tokens heard in two different names', 'Sadam Bravo', ['Saddam Hussein', 'Johnny Bravo'], 0],
    ['an alias', 'Jony Bravo', ['Saddam Hussein', 'Johnny Bravo'], 1],
    ['an initial of the query', 'S Hussein', ['Saddam Hussein'], 1],
    ['a wrong initial', 'T Hussein', ['Saddam Hussein'], 0],
    ['an initial of the list', 'Saddam Hussein', ['S Hussein'], 1],
    ['initials of the list alone', 'Saddam Hussein', ['S H Tikriti', 'Saddam Bravo'], 0],
    ['one word and an initial of the list', 'Saddam', ['S Hussein', 'Sadda'], 0],
    ['equal digits', 'Brigade 313', ['313 Brigade'], 1],
    ['other digits', 'Brigade 314', ['313 Brigade'], 0],
    ['no code in the query', '313', ['313 Brigade'], null],
    ['no code on the list', 'Brigade 313', ['313'], null],
    ['Cyrillic, romanised', 'Vladimir Putin', ['Владимир Путин'], 1],
  ] as const)('%s', async ([, name, names, score]) => {
    expect((await scoreOne({ names }, { name })).phoneticScore).toBe(score);
  });

  test('primary: an alias is not heard; a primary name without code makes it absent', async () => {
    const primary = { phoneticNames: 'primary' } as const;
    const alias = { names: ['Saddam Hussein', 'Johnny Bravo'] };
    expect((await scoreOne(alias, { name: 'Jony Bravo' }, primary)).phoneticScore).toBe(0);
    const digits = { names: ['313', 'Johnny Bravo'] };
    expect((await scoreOne(digits, { name: 'Jony Bravo' }, primary)).phoneticScore).toBeNull();
    expect((await scoreOne(digits, { name: 'Jony Bravo' })).phoneticScore).toBe(1);
  });
});

describe('aliasUnfoldScore', () => {
  test('is absent for a Latin query without transliterations', async () => {
    expect((await scoreOne(SADDAM, { name: 'Abu Ali' })).aliasUnfoldScore).toBeNull();
  });

  test('compares variants with every name, the primary one included', async () => {
    const query = { name: 'someone', transliterations: ['Saddam Hussein Al Tikritu'] };
    expect((await scoreOne(SADDAM, query)).aliasUnfoldScore).toBeCloseTo(1 - 1 / 25, 9);
  });
});

describe('effective weights', () => {
  test('an exact name alone scores 1: what is absent is left out', async () => {
    const found = await scoreOne(SADDAM, { name: 'Abu Ali' });
    expect(found).toMatchObject({
      directScore: 1,
      finalScore: 1,
      dobScore: null,
      nationalityScore: null,
    });
    expect(found.effectiveWeights).toEqual({
      name: 0.727272727,
      phonetic: 0.272727273,
      dob: 0,
      nationality: 0,
      alias: 0,
    });
  });

  test('zero: an exact name alone scores its weights', async () => {
    const zero = { missingAttributes: 'zero' } as const;
    const found = await scoreOne(SADDAM, { name: 'Abu Ali' }, zero);
    expect(found.directScore).toBe(0.55);
    expect(found.effectiveWeights.name).toBe(0.4);
  });

  test('an exact name with an agreeing year scores 1: half the weight on both sides', async () => {
    const found = await scoreOne(SADDAM, { name: 'Abu Ali', dob: '1937' });
    expect(found.dobScore).toBe(0.5);
    expect(found.directScore).toBe(1);
    expect(found.effectiveWeights.dob).toBe(0.307692308);
  });

  test('a date that disagrees counts in full', async () => {
    const found = await scoreOne(SADDAM, { name: 'Abu Ali', dob: '1950-01-01' });
    expect(found.dobScore).toBe(0);
    expect(found.directScore).toBe(0.733333333);
  });

  test('directScore is the sum of effective weight times score', async () => {
    const query = { name: 'صدام حسين التكريتي', dob: '1937-04-28', nationality: 'SY' };
    const found = await scoreOne(SADDAM, query);
    const { effectiveWeights: weights } = found;
    const sum =
      weights.name * found.nameScore +
      weights.phonetic * (found.phoneticScore ?? 0) +
      weights.dob * (found.dobScore ?? 0) +
      weights.nationality * (found.nationalityScore ?? 0) +
      weights.alias * (found.aliasUnfoldScore ?? 0);
    expect(found.directScore).toBeCloseTo(sum, 8);
  });

  test('every stored score has at most 9 decimals', async () => {
    const found = await scoreOne(SADDAM, { name: 'Sadam Husain', nationality: 'IQ' });
    for (const value of Object.values(found)) {
      if (typeof value === 'number') expect(Math.round(value * 1e9) / 1e9).toBe(value);
    }
  });
});

describe('boost', () => {
  test.for([
    ['none', 0, 1],
    ['SAN', 1, 1],
    ['PEP', 2, 0.85],
    ['RCA', 4, 0.7],
    ['SI', 8, 0.9],
    ['DI', 16, 0.75],
    ['PEP and SI: the larger', 10, 0.9],
    ['all', 31, 1],
  ] as const)('%s', async ([, categories, boost]) => {
    const found = await scoreOne({ ...SADDAM, categories }, { name: 'Abu Ali' });
    expect(found).toMatchObject({ sourceTypeBoost: boost, directScore: 1, finalScore: boost });
  });
});

describe('answers', () => {
  test('go by finalScore, then by id', async () => {
    const entities = [
      entity({ id: 'a', names: ['John Smith'], categories: 2 }),
      entity({ id: 'b', names: ['John Smith'] }),
      entity({ id: 'c', names: ['John Smith'] }),
      entity({ id: 'd', names: ['John Smyth'] }),
    ];
    const { candidates } = await screen(entities, { name: 'John Smith' });
    expect(candidates.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a']);
  });

  test('say truncated when an equal score stands outside', async () => {
    const entities = Array.from({ length: 51 }, (_, at) =>
      entity({ id: `e${String(at).padStart(2, '0')}`, names: ['John Smith'] }),
    );
    const all = await screen(entities, { name: 'John Smith' });
    expect(all.truncated).toBe(true);
    expect(all.candidates.at(-1)?.id).toBe('e49');
    expect((await screen(entities.slice(0, 50), { name: 'John Smith' })).truncated).toBe(false);
  });

  test('keep a match whose boost ranks it under names that match nothing', async () => {
    const others = Array.from({ length: 30 }, (_, at) =>
      entity({ id: `e${String(at).padStart(2, '0')}`, names: ['John Smithers'] }),
    );
    const politician = entity({ id: 'pep', names: ['John Smith'], categories: 2 });
    const settings = { boosts: { ...SETTINGS.boosts, PEP: 0.5 }, directScoreMin: 0.9, topN: 3 };
    const answer = await screen([...others, politician], { name: 'John Smith' }, settings);
    expect(answer.candidates.map(({ id }) => id)).toEqual(['e00', 'e01', 'pep']);
    expect(answer.candidates[2]).toMatchObject({ directScore: 1, finalScore: 0.5 });
    expect(answer.candidates[0]?.finalScore).toBeGreaterThan(0.5);
  });

  test('say truncated when a match of a lower rank stands outside, and only then', async () => {
    const matches = Array.from({ length: 3 }, (_, at) =>
      entity({ id: `e${at}`, names: ['John Smith'] }),
    );
    const politician = entity({ id: 'pep', names: ['John Smith'], categories: 2 });
    const stranger = entity({ id: 'x', names: ['John Smithers'] });
    const truncated = async (last: IndexEntity) =>
      (await screen([...matches, last], { name: 'John Smith' }, { directScoreMin: 0.9, topN: 3 }))
        .truncated;
    expect(await truncated(politician)).toBe(true);
    expect(await truncated(stranger)).toBe(false);
  });

  test('dates count before the cut among many of one name', async () => {
    const entities = Array.from({ length: 300 }, (_, at) =>
      entity({
        id: `e${String(at).padStart(3, '0')}`,
        names: ['Mohammed Ali'],
        datesOfBirth: [`${1700 + at}-01-01`],
      }),
    );
    const { candidates } = await screen(entities, { name: 'Mohammed Ali', dob: '1990-01-01' });
    expect(candidates[0]).toMatchObject({ id: 'e290', directScore: 1 });
  });

  test.for([
    ['Person', ['person']],
    ['Company', ['company']],
    [undefined, ['company', 'person', 'vessel']],
  ] as const)('schema %s finds %j', async ([schema, ids]) => {
    const entities = [
      entity({ id: 'company', names: ['Ocean Star'], schema: 'Company' }),
      entity({ id: 'person', names: ['Ocean Star'] }),
      entity({ id: 'vessel', names: ['Ocean Star'], schema: 'Other' }),
    ];
    const query = { name: 'Ocean Star', ...(schema === undefined ? {} : { schema }) };
    const { candidates } = await screen(entities, query);
    expect(candidates.map(({ id }) => id)).toEqual(ids);
  });
});
