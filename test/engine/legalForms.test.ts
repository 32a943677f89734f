/**
 * Legal forms and initials in the phonetic rule (decisions 2.3, 2.5): a company's dotted form is no
 * pair of initials, and another legal form does not silence an equal name.
 */
import { describe, expect, test } from 'vitest';
import { foldName } from '../../src/engine/foldName.ts';
import { normalizeQuery } from '../../src/engine/normalizeQuery.ts';
import { scoreOne } from './fixtures.ts';

describe('dotted legal forms', () => {
  test.for([
    ['AVERUCA, C.A.', 'averuca ca'],
    ['AMANA PLUS S.A.L.', 'amana plus sal'],
    ['Nomad L.L.C.', 'nomad llc'],
    ['Nomad L.T.D.', 'nomad ltd'],
    ['Nomad D.O.O.', 'nomad doo'],
    ['Nomad S.A.', 'nomad sa'],
    ['Nomad G.m.b.H.', 'nomad gmbh'],
    ['Nomad Co. L.T.D.', 'nomad co ltd'],
    ['J. R. Smith', 'j r smith'],
  ] as const)('%s folds to %s', ([name, folded]) => {
    expect(foldName(name).latin).toBe(folded);
  });

  test('a person keeps initials, and an untyped query is read both ways', () => {
    expect(foldName('Smith, S. A.', 'person').latin).toBe('smith s a');
    const query = { name: 'Smith S.A.', transliterations: [] };
    expect(normalizeQuery(query).names).toEqual(['smith sa', 'smith s a']);
    expect(normalizeQuery({ ...query, schema: 'Person' }).names).toEqual(['smith s a']);
    expect(normalizeQuery({ ...query, schema: 'Company' }).names).toEqual(['smith sa']);
  });
});

describe('what is heard', () => {
  test.for([
    ['Charles Adams', 'Company', 'AVERUCA, C.A.', 0],
    ['Silas Adams', 'Company', 'AMANA PLUS S.A.L.', 0],
    ['Lucas Lloyd Cook', 'Company', 'NOMAD L.L.C.', 0],
    ['Dora Olson', 'Company', 'D.O.O. ORION', 0],
    ['Ocean Victor', 'Other', 'OCEAN V', 0],
    ['Ocean V', 'Other', 'OCEAN V', 1],
    ['Cyril Marten', 'Company', 'MARTEN S.R.L.', 0],
    ['John Smith', 'Person', 'J. SMITH', 1],
    ['John James Smith', 'Person', 'J. SMITH', 0],
    ['John James Smith', 'Person', 'J. J. SMITH', 1],
    ['Sven Adams', 'Person', 'ADAMS, S. A.', 1],
    ['Quellmar Orvand Trading LLC', 'Company', 'Quellmar Orvand Trading Ltd', 1],
    ['OOO Quellmar Orvand', 'Company', 'Quellmar Orvand PJSC', 1],
    ['Quellmar Orvand Trading LLC', 'Company', 'Quellmar Orvand Shipping LLC', 0],
    ['Maria SA', 'Company', 'MARIA LTD', 1],
    ['Maria SA', 'Company', 'MARIA SHIPPING CO', 0],
    ['Li Ao', 'Person', 'LI TANG', 0],
    ['Spa', 'Company', 'SPA', 1],
    ['LLC', 'Company', 'LLP', 0],
    ['313 LLC', 'Company', '313 Ltd', null],
  ] as const)('%s in the %s %s: %j', async ([name, schema, listed, score]) => {
    // A low line, so that what no sound speaks for is in the answer as well.
    const found = await scoreOne({ names: [listed], schema }, { name }, { directScoreMin: 0.01 });
    expect(found.phoneticScore).toBe(score);
  });

  test.for(['LLC', 'GmbH', 'L.L.C.', 'L.T.D.', 'S A', 'Limited', 'C.A.', ''])(
    'an exact company name with the form "%s" is a match, with and without a type',
    async (form) => {
      const listed = { names: ['Quellmar Orvand Trading Ltd'], schema: 'Company' } as const;
      const name = `Quellmar Orvand Trading ${form}`;
      expect((await scoreOne(listed, { name })).directScore).toBeGreaterThan(0.95);
      const typed = await scoreOne(listed, { name, schema: 'Company' });
      expect(typed.directScore).toBeGreaterThan(0.95);
    },
  );
});
