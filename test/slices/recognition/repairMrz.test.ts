/** What readers of characters get wrong is put right where all digits then hold, and listed. */
import { describe, expect, test } from 'vitest';
import { findMrz, readRepairedMrz } from '../../../src/slices/recognition/index.ts';

const TODAY = { today: '2026-11-26' };
const NAMES = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<';
const DATA = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10';
const put = (line: string, at: number, text: string): string =>
  line.slice(0, at) + text + line.slice(at + text.length);

describe('repairs', () => {
  test('letters in dates, digits in states', () => {
    const read = readRepairedMrz([NAMES, put(put(DATA, 14, 'A'), 14, DATA[14] ?? '')], TODAY);
    expect(read).toMatchObject({ isValid: true, repaired: [] });
    const wrong = put(put(DATA, 11, 'T'), 12, '0'); // UT0
    const mended = readRepairedMrz([NAMES, put(wrong, 19, 'Z')], TODAY);
    expect(mended).toMatchObject({
      fields: { nationality: 'UTO' },
      isValid: true,
      repaired: [
        { column: 12, from: '0', line: 1, to: 'O' },
        { column: 19, from: 'Z', line: 1, to: '2' },
      ],
    });
  });

  test('a run of letters behind the names is one repair', () => {
    const read = readRepairedMrz([put(NAMES, 30, 'KLLC<KKS'), DATA], TODAY);
    expect(read).toMatchObject({ fields: { givenNames: 'ANNA MARIA' }, isValid: true });
    expect(read?.repaired).toHaveLength(1);
  });

  test('an initial and a name of such letters stay', () => {
    for (const given of ['K', 'ANNA K', 'SLL']) {
      const names = `P<UTOERIKSSON<<${given.replace(' ', '<')}`.padEnd(44, '<');
      const read = readRepairedMrz([names, DATA], TODAY);
      expect(read).toMatchObject({ fields: { givenNames: given }, repaired: [] });
    }
  });

  test('one look-alike in the number, where no other makes all digits hold', () => {
    const read = readRepairedMrz([NAMES, put(DATA, 5, 'O')], TODAY);
    expect(read).toMatchObject({ fields: { documentNumber: 'L898902C3' }, isValid: true });
    expect(read?.repaired).toEqual([{ column: 5, from: 'O', line: 1, to: '0' }]);
  });

  test('a number is not made to hold by any likely pair of letters', () => {
    const read = readRepairedMrz([NAMES, put(DATA, 4, 'Q')], TODAY);
    expect(read).toMatchObject({ digits: { number: false }, isValid: false, repaired: [] });
  });

  test('more than three, and what still does not hold, stay as they are', () => {
    const four = put(put(DATA, 13, 'Z4OB'), 17, 'IZ');
    expect(readRepairedMrz([NAMES, four], TODAY)).toMatchObject({ isValid: false, repaired: [] });
    const other = put(DATA, 13, '75');
    expect(readRepairedMrz([NAMES, other], TODAY)).toMatchObject({
      digits: { dob: false },
      isValid: false,
      repaired: [],
    });
  });
});

describe('zones in text', () => {
  test('are found among other lines, with spaces and guillemets, fillers lost or gained', () => {
    const names = NAMES.replace('<<ANNA', '«ANNA').slice(0, 39);
    const data = `${DATA.slice(0, 20)} ${DATA.slice(20)}`;
    const text = `REPUBLIC OF UTOPIA\nPassport No L898902C3\n\n${names}\n${data}\n`;
    expect(findMrz(text, TODAY)).toMatchObject({
      fields: { givenNames: 'ANNA MARIA', surname: 'ERIKSSON' },
      format: 'TD3',
      isValid: true,
    });
    const longer = DATA.replace('B<<<<<', 'B<<<<<<<');
    expect(findMrz(`${NAMES}<<\n${longer}`, TODAY)).toMatchObject({ isValid: true });
  });

  test('a card of three lines and a licence of one', () => {
    const card = [
      'I<UTOD231458907<<<<<<<<<<<<<<<',
      '7408122F1204159UTO<<<<<<<<<<<6',
      'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
    ];
    expect(findMrz(card.join('\n'), TODAY)).toMatchObject({ format: 'TD1', isValid: true });
    expect(findMrz('x\nD1FRA13AA000026181231MARTIN<<9', TODAY)).toMatchObject({ format: 'FR-DL' });
  });

  test('no zone in a letter, nor in a megabyte of fillers', () => {
    expect(
      findMrz('Dear Sir or Madam,\nplease find enclosed the proof of my address.', TODAY),
    ).toBeUndefined();
    expect(findMrz('<'.repeat(1_000_000), TODAY)).toBeUndefined();
    expect(findMrz('P<UTO<<\n'.repeat(100_000), TODAY)).toBeUndefined();
  });
});
