/** Where listed names may stand in texts: what is worth comparing, and what is not. */
import { describe, expect, test } from 'vitest';
import { buildSnapshot, createEngine, type IndexEntity } from '#engine';
import { NameSpotter } from '../../src/engine/nameSpotter.ts';

const entityOf = (id: string, names: readonly string[], more: object = {}): IndexEntity => ({
  card: `{"ftm_id":"${id}"}`,
  categories: 1,
  datesOfBirth: [],
  id,
  names,
  nationalities: [],
  schema: 'Person',
  ...more,
});
const LIST = [
  entityOf('a', ['Tarek Velmorani', 'طارق فلموراني']),
  entityOf('b', ['Amber'], { identifiers: ['IMO 9074729'], schema: 'Other' }),
  entityOf('c', ['Orvanta General Trading'], { bics: ['ORVAZZ2A'], schema: 'Company' }),
  entityOf('d', ['Hadlerco Limited Liability Company'], { schema: 'Company' }),
  entityOf('e', ['Mohammed Ahmed']),
  entityOf('f', ['Umair Naeemi', 'Umayr Naeemi']),
  ...Array.from({ length: 40 }, (_, at) =>
    entityOf(`m${at}`, [`${at % 2 ? 'Mohammed' : 'Ahmed'} ${'qrstuvwxyz'.slice(at % 9)}ar${at}`]),
  ),
  ...Array.from({ length: 40 }, (_, at) =>
    entityOf(`t${at}`, [`${'abcdefghijklmnopqrst'.slice(at % 20)}ux General Trading`], {
      schema: 'Company',
    }),
  ),
].sort((one, other) => (one.id < other.id ? -1 : 1));
const part = { buffer: buildSnapshot(LIST), index: 0, removed: undefined };

function spotted(text: string, cued: readonly number[] = []): readonly string[] {
  const words = text.split(' ');
  const { names } = new NameSpotter().spot([part], { numbers: [], runs: [{ cued, words }] });
  return names.map(({ from, to }) => words.slice(from, to + 1).join(' '));
}

describe('names in a text', () => {
  test.each([
    ['PAYMENT TO TAREK VELMORANI FOR GOODS', 'TAREK VELMORANI'],
    ['payment to velmorani, tarek', 'velmorani, tarek'],
    ['ATTN TARIK VELMORANI', 'TARIK VELMORANI'],
    ['ATTN TAREK VELOMRANI', 'TAREK VELOMRANI'],
    ['ATTN TAREKVELMORANI', 'TAREKVELMORANI'],
    ['ATTN TAREK VELMO RANI', 'TAREK VELMO RANI'],
    ['ATTN TAREK B. VELMORANI', 'TAREK B. VELMORANI'],
    ['الى طارق فلموراني', 'طارق فلموراني'],
    ['GOODS OF ORVANTA GENERAL TRADING LLC', 'ORVANTA GENERAL TRADING LLC'],
    // A legal form in any spelling, and one that was written without a blank.
    ['PAID TO HADLERCO L.L.C. REF', 'HADLERCO L.L.C.'],
    ['PAID TO LLC HADLERCO REF', 'LLC HADLERCO'],
    ['PAID TO HADLERCOLIMITED REF', 'HADLERCOLIMITED'],
    ['PAID TO HADLRECO LIMITED REF', 'HADLRECO LIMITED'],
    ['ATTN U MAIR NAEEMI', 'U MAIR NAEEMI'],
    // A name of common words, where it stands alone.
    ['ON BEHALF OF MOHAMMED AHMED FOR SPARE PARTS', 'MOHAMMED AHMED'],
    ['ATTN MR. MOHAMMED AHMED', 'MOHAMMED AHMED'],
  ])('%s', (text, name) => {
    expect(spotted(text)).toContain(name);
  });

  test.each([
    'PAYMENT FOR GOODS',
    'TAREK MOREAU',
    'VELMORANI',
    'AMBER',
    'OUR GENERAL SERVICES',
    'HADLERCO',
    // Half of somebody else's name.
    'MOHAMMED AHMED MASUDI',
    'ABU MOHAMMED AHMED',
  ])('none in %s', (text) => {
    expect(spotted(text)).toEqual([]);
  });

  test('a name of one word is spotted where something says that a name follows', () => {
    expect(spotted('SHIPPED AMBER', [1])).toEqual(['AMBER']);
  });

  test('words that stand far apart are no name', () => {
    const far = `TAREK ${'AND GOODS '.repeat(8)}VELMORANI`;
    expect(spotted(far)).toEqual([]);
  });

  test('a name behind thousands of words is spotted', () => {
    expect(spotted(`${'AND GOODS '.repeat(2_000)}TAREK VELMORANI`)).toEqual(['TAREK VELMORANI']);
  });

  test('entities that an overlay hides are not', () => {
    const removed = new Uint8Array(LIST.length).fill(255);
    const ask = { numbers: ['9074729'], runs: [{ cued: [], words: ['TAREK', 'VELMORANI'] }] };
    const answer = new NameSpotter().spot([{ ...part, removed }], ask);
    expect(answer).toEqual({ names: [], numbers: [] });
  });
});

test.each([
  // Broken, run together, or one slip in a whole name: as the list spells it.
  ['TAREK VELMO RANI', 'TAREK velmorani'],
  ['TAREKVELMORANI', 'tarek velmorani'],
  ['TAREK VELOMRANI', 'TAREK velmorani'],
  ['HADLERCO LIMTED', 'HADLERCO limited'],
  ['HADLERCOLIMITED', 'hadlerco limited'],
  ['U MAIR NAEEMI', 'umair NAEEMI'],
  // What is another word of the list is no slip.
  ['UMAYR NAEEMI', 'UMAYR NAEEMI'],
  // Two slips are compared as they stand.
  ['TARK VELOMRANI', 'TARK VELOMRANI'],
])('%s is compared as %s', (text, name) => {
  const { names } = new NameSpotter().spot([part], {
    numbers: [],
    runs: [{ cued: [], words: text.split(' ') }],
  });
  expect(names.map((one) => one.name)).toContain(name);
});

test('numbers lead to the primary names of those who have them', () => {
  const { numbers } = new NameSpotter().spot([part], { numbers: ['9074729', '1234567'], runs: [] });
  expect(numbers).toEqual([{ name: 'Amber', number: '9074729' }]);
});

test.each([
  ['ORVAZZ2A'],
  // Whichever branch is listed, and whichever is named: the bank is the same.
  ['ORVAZZ2AXXX'],
  ['ORVAZZ2A123'],
])('a BIC %s leads to its bank', (bic) => {
  const { numbers } = new NameSpotter().spot([part], { numbers: [bic, 'ORVAZZ2B'], runs: [] });
  expect(numbers).toEqual([{ name: 'Orvanta General Trading', number: bic }]);
});

test('all who have a number are told', () => {
  const two = ['Velmo Bank', 'Orva Bank'].map((name, at) =>
    entityOf(`b${at}`, [name], { bics: ['ORVAZZ2A'], schema: 'Company' }),
  );
  const { numbers } = new NameSpotter().spot([{ ...part, buffer: buildSnapshot(two) }], {
    numbers: ['ORVAZZ2A'],
    runs: [],
  });
  expect(numbers.map(({ name }) => name)).toEqual(['Velmo Bank', 'Orva Bank']);
});

test('the engine spots in a thread of its own', async () => {
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const index = engine.load(buildSnapshot(LIST));
  const words = ['FOR', 'TAREK', 'VELMORANI'];
  const answer = await engine.spot([index], { numbers: [], runs: [{ cued: [], words }] });
  expect(answer.names).toEqual([{ from: 1, name: 'TAREK VELMORANI', run: 0, slips: 0, to: 2 }]);
  await engine.close();
});
