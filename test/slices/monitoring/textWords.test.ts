/** Free text as words: shapes out, names left, numbers by their checks, terms of the table. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  openWinkSplitter,
  plainSplitter,
  readTextWords,
  type TextSplitter,
} from '#slices/monitoring';
import { TEXT_TERMS } from '../../../src/slices/monitoring/textTerms.ts';

let wink: TextSplitter;
beforeAll(async () => {
  wink = await openWinkSplitter();
});

const runsOf = (text: string, splitter = wink) =>
  readTextWords(text, splitter).runs.map(({ words }) => words.join(' '));

describe('words of a text', () => {
  test.each([
    [
      'INV 4711 DD 12.03.2026 EUR 1.200,00 PAYMENT TO IBRAHIM AL-ASIRI, CAIRO',
      ['INV', 'DD', 'EUR', 'PAYMENT TO IBRAHIM AL ASIRI CAIRO'],
    ],
    ["/INV/2026/17 O'NEIL; SONS", ['INV', "O'NEIL", 'SONS']],
    ['MAY SUN MI 2nd March', ['MAY SUN MI']],
    ['محمد علي, дмитрий', ['محمد علي дмитрий']],
    ['Société Générale Crédit', ['Societe Generale Credit']],
    ['', []],
  ])('%s', (text, runs) => {
    expect(runsOf(text)).toEqual(runs);
  });

  test('months and days that are names stay, where no number makes them a date', () => {
    expect(runsOf('APRIL MAY JUNE')).toEqual(['APRIL MAY JUNE']);
    expect(runsOf('12 MARCH 2026')).toEqual([]);
  });

  test.each([
    'MV AMBER',
    'M/V AMBER',
    'M/T AMBER',
    'VESSEL AMBER',
    '/INS/AMBER',
    'IMO 9074729 AMBER',
  ])('%s says that a name follows', (text) => {
    const cuedOf = (one: string) =>
      readTextWords(one, wink).runs.flatMap(({ cued, words }) => cued.map((at) => words[at]));
    expect(cuedOf(text)).toEqual(['AMBER']);
    expect(cuedOf('AMBER')).toEqual([]);
  });

  test('without the model no word is lost, and shapes of digits are out all the same', () => {
    const text = 'INV 4711 PAYMENT TO IBRAHIM AL-ASIRI, 12 MARCH';
    const words = runsOf(text, plainSplitter).join(' ');
    for (const run of runsOf(text))
      for (const word of run.split(' ')) expect(words).toContain(word);
    expect(words).not.toMatch(/\d/);
  });

  test('a text of a hundred thousand characters is read whole', () => {
    const text = `${'GOODS AND SERVICES '.repeat(6_000)}TAREK VELMORANI`;
    expect(runsOf(text).join(' ')).toContain('TAREK VELMORANI');
  });
});

describe('numbers of a text', () => {
  test.each([
    ['SHIPPED ON IMO 9074729', [{ kind: 'imo', number: '9074729' }]],
    ['IMO NO. 9074729', [{ kind: 'imo', number: '9074729' }]],
    ['IMO9074729', [{ kind: 'imo', number: '9074729' }]],
    // The last digit checks the others, and seven digits alone are anything.
    ['IMO 9074728', []],
    ['INVOICE 9074729', []],
    ['VIA DEUTDEFF500', [{ kind: 'bic', number: 'DEUTDEFF500' }]],
    ['GB33BUKB20201555555555', [{ kind: 'iban', number: 'GB33BUKB20201555555555' }]],
    ['GB33 BUKB 2020 1555 5555 55', [{ kind: 'iban', number: 'GB33BUKB20201555555555' }]],
    ['GB34BUKB20201555555555', []],
  ])('%s', (text, numbers) => {
    expect(readTextWords(text, wink).numbers).toEqual(numbers);
  });
});

describe('terms of the table', () => {
  const all = TEXT_TERMS.flatMap(({ id, spellings }) => spellings.map((one) => [id, one] as const));

  test('are found by each of their spellings, with the model and without', () => {
    const missed = [wink, plainSplitter].flatMap((splitter) =>
      all.filter(([id, spelling]) => {
        const text = `INV 17 ${spelling.toUpperCase()} FOB`;
        return !readTextWords(text, splitter).terms.includes(id);
      }),
    );
    expect(missed).toEqual([]);
  });

  test.each(['TEXTILES FOR CUBAN HEELS', 'ARMS OF A CHAIR', 'IRANZO GARCIA', 'TARTUSI BROTHERS'])(
    'not in %s',
    (text) => {
      expect(readTextWords(text, wink).terms).toEqual([]);
    },
  );
});
