/** Relations in free text: what is read, and what is left alone. */
import { describe, expect, test } from 'vitest';
import { readRelations, unReferences } from '../../src/sources/remarkRelations.ts';

const read = (text: string) =>
  readRelations(text).map(({ label, type, target }) => [
    type,
    label,
    'reference' in target ? target.reference : target.name,
  ]);

describe('relations in remarks', () => {
  test.each<[string, string[][]]>([
    ['Son of Jalaluddin Haqqani (TAi.040). Belongs to …', [['FAMILY', 'son of', 'TAi.040']]],
    [
      'Brother of A (TAi.042) and uncle of B (TAi.144).',
      [
        ['FAMILY', 'brother of', 'TAi.042'],
        ['FAMILY', 'uncle of', 'TAi.144'],
      ],
    ],
    [
      'Associated with Al-Qaida (QDe.004), the Organization of Al-Qaida (QDe.014) and V (QDe.141).',
      [
        ['BUSINESS', 'associated with', 'QDe.004'],
        ['BUSINESS', 'associated with', 'QDe.014'],
        ['BUSINESS', 'associated with', 'QDe.141'],
      ],
    ],
    ['Key commander of the Network (TAe.012) under Sirajuddin (TAi.144).', []],
    [
      'Chief of operations of X (listed under permanent reference number QDe.118).',
      [['BUSINESS', 'chief of', 'QDe.118']],
    ],
    ['Owned by Ahmed Shah (TAi.166).', [['OWNER', 'owned by', 'TAi.166']]],
    [
      'Owned or controlled by, or acts on behalf of DIO.',
      [['OWNER', 'owned or controlled by, or acts on behalf of', 'DIO']],
    ],
    [
      'Wife of Rami Makhlouf, daughter of Waleed Othman. Has close …',
      [
        ['FAMILY', 'wife of', 'Rami Makhlouf'],
        ['FAMILY', 'daughter of', 'Waleed Othman'],
      ],
    ],
    [
      'Son of Sabawi Ibrahim Hasan Al-Tikriti, former Presidential Advisor',
      [['FAMILY', 'son of', 'Sabawi Ibrahim Hasan Al-Tikriti']],
    ],
    ['Owned by the state, which is (QDe.001).', []],
    ['Listed until 2007 under number TAi.048.', []],
    ['His father was a farmer.', []],
    ['Member of the so-called council.', []],
    ['Brother of', []],
    ['', []],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test('references come in their one form', () => {
    expect(unReferences('KPI.067, QDe 157 and QDi.411, but not QDi.41 or EU.27.28')).toEqual([
      'KPi.067',
      'QDe.157',
      'QDi.411',
    ]);
  });

  test('a text of nothing but beginnings is read in no time', () => {
    const begun = performance.now();
    readRelations('brother of '.repeat(6_000));
    readRelations(`owned ${'or controlled '.repeat(4_000)}`);
    readRelations('associated with A (QDe.004), '.repeat(2_000));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
