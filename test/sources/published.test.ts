/** Names and dates as publishers write them. */
import { describe, expect, test } from 'vitest';
import { documentNumbers, identifierType } from '../../src/sources/documentNumbers.ts';
import { imoNumber } from '../../src/sources/imoNumber.ts';
import {
  birthDate,
  dateRange,
  dayFirstDate,
  isoPartialDate,
  partialDate,
  wordedDate,
} from '../../src/sources/partialDates.ts';
import { namesInNote, namesOf } from '../../src/sources/publishedNames.ts';

describe('a date of numbers', () => {
  test.each([
    [{ year: 1970 }, '1970'],
    [{ year: 1970, month: 2 }, '1970-02'],
    [{ year: 1970, month: 2, day: 28 }, '1970-02-28'],
    [{ year: 1970, month: 2, day: 30 }, undefined],
    [{ year: 1970, month: 13 }, undefined],
    [{ year: 1970, month: -2 }, undefined],
    [{ year: 1970, month: 1.5 }, undefined],
    [{ year: Number.NaN }, undefined],
    [{ year: 970 }, undefined],
  ])('%j is %s', (parts, date) => {
    expect(partialDate(parts)).toBe(date);
  });
});

describe('names in one field', () => {
  test.each([
    ['Abu Ahmad', ['Abu Ahmad']],
    ['Gunawan, Rusman', ['Gunawan, Rusman']],
    ['Abdul Rehman; Abd Ur-Rehman', ['Abdul Rehman', 'Abd Ur-Rehman']],
    ['Akrin Saleh (أقرين صالح)', ['Akrin Saleh', 'أقرين صالح']],
    [
      'جبهة فتح الشام (Jabhat Fath; Jabhat Fatah)',
      ['جبهة فتح الشام', 'Jabhat Fath', 'Jabhat Fatah'],
    ],
    ['ኤርሚኣስ ግርማይ (Tigrinya)', ['ኤርሚኣስ ግርማይ']],
    ['Encep Nurjaman (birth name)', ['Encep Nurjaman (birth name)']],
    ['HAQQANI NETWORK (HQN)', ['HAQQANI NETWORK (HQN)']],
    [
      'Hay’at Tahrir (HTS) (هيئة تحرير (original script); Hay’et Tahrir; Liberation of the Levant)',
      ['Hay’at Tahrir (HTS)', 'هيئة تحرير', 'Hay’et Tahrir', 'Liberation of the Levant'],
    ],
    ['Bank Melli (BMI) (بانک ملی)', ['Bank Melli (BMI)', 'بانک ملی']],
    ['Bank Melli (بانک ملی) (BMI)', ['Bank Melli (BMI)', 'بانک ملی']],
    ['أنصار الشريعة (Ansar in Libya (ASL))', ['أنصار الشريعة', 'Ansar in Libya (ASL)']],
    ['Amir Khazmat (original script: Амир Хазмат)', ['Amir Khazmat', 'Амир Хазмат']],
    ['Akhter Mohmad (اختر محمد ),', ['Akhter Mohmad', 'اختر محمد']],
    ['Al-Haramain (Kenya Branch; Nairobi office)', ['Al-Haramain (Kenya Branch; Nairobi office)']],
    ['Umar (known as عمر in Mosul)', ['Umar (known as عمر in Mosul)']],
    ['STATE ESTABLISHMENT (ROADS', ['STATE ESTABLISHMENT (ROADS']],
    ['ROADS) (بانک', ['ROADS) (بانک']],
    ['(Sheikh) Musa Hilal', ['(Sheikh) Musa Hilal']],
    ['na', []],
    ['', []],
  ])('%s', (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  test('in a translated name the parentheses hold a word of that language', () => {
    const name = 'Al-Haramain Foundation (Κομόρες)';
    expect(namesOf(name, true)).toEqual([name]);
  });

  test('a note may bring a name in its script', () => {
    expect(namesInNote('original script: Абу Банат')).toEqual(['Абу Банат']);
    expect(namesInNote('Previously listed as. In Arabic: أبوبكر')).toEqual(['أبوبكر']);
    expect(namesInNote('nom de guerre')).toEqual([]);
  });
});

describe('dates known in part', () => {
  test.each([
    [isoPartialDate('1964'), '1964'],
    [isoPartialDate('1964-02'), '1964-02'],
    [isoPartialDate('1964-02-29'), '1964-02-29'],
    [isoPartialDate('1965-02-29'), undefined],
    [isoPartialDate('2018-08-24T19:40:35.913-04:00'), '2018-08-24'],
    [isoPartialDate('1964-01-01-05:00'), '1964-01-01'],
    [isoPartialDate('64'), undefined],
    [dayFirstDate('31/01/1964'), '1964-01-31'],
    [dayFirstDate('00/00/1964'), '1964'],
    [dayFirstDate('00/08/1964'), '1964-08'],
    [dayFirstDate('dd/mm/1945'), '1945'],
    [dayFirstDate('31/02/1964'), undefined],
    [dayFirstDate('05/00/1964'), undefined],
    [wordedDate('Nov. 1973'), '1973-11'],
    [wordedDate('3 August 1961'), '1961-08-03'],
    [wordedDate('Foo 1961'), undefined],
    [dateRange('1958', '1963'), '1958/1963'],
    [dateRange('1958', '1958'), '1958'],
    [dateRange('1963', '1958'), undefined],
    [partialDate({ year: 12 }), undefined],
    [partialDate({ year: Number.NaN }), undefined],
  ])('%s', (got, expected) => {
    expect(got).toBe(expected);
  });
});

describe('dates of birth, as far as they are sure', () => {
  test.each([
    ['31/01/1964', '1964-01-31', false],
    ['00/00/1964', '1964', false],
    ['dd/mm/1945', '1945', false],
    ['10/mm/1946', '1946', true],
    ['07/00/1976', '1976', true],
    ['1976-00-07', '1976', true],
    ['08/1960', '1960-08', false],
    ['circa 1949', '1949', true],
    ['c. Nov. 1973', '1973-11', true],
    ['Approximately 12/03/1980', '1980-03-12', true],
    ['5 Jan. 1970', '1970-01-05', false],
    ['31/02/1964', undefined, true],
    ['13/1964', undefined, true],
    ['30 years old', undefined, true],
  ])('%s', (text, date, isAbout) => {
    expect(birthDate(text)).toEqual({ date, isAbout });
  });
});

describe('numbers in texts', () => {
  test.each<[string, readonly string[], string | undefined]>([
    ['A-333602 (Indian) issued on 4 June 1985', ['A-333602'], undefined],
    ['Mali Passport no.A1037434. Issued: 10/8/2001', ['A1037434'], 'Passport'],
    ['Passport No: PS 472330208 (Date of Expiration: 4.7.2017).', ['PS 472330208'], 'Passport'],
    ['Italian Fiscal Code BNSDLA70L14Z352B', ['BNSDLA70L14Z352B'], 'Tax number'],
    ['4414 (Afghan) (tazkira)', ['4414'], 'National ID'],
    ['SSN 156-92-9858 (United States)', ['156-92-9858'], 'Social security number'],
    ['Russian Passport number 8208 No. 555627', ['8208 555627'], 'Passport'],
    ['C17HLRL3. Issued in Zawiya on 30 December 2015', ['C17HLRL3'], undefined],
    ['Tunisian Passport No x599070 expiring on 21.11.2021', ['x599070'], 'Passport'],
    ['LIBYAN PASSPORT No.B/001897', ['B/001897'], 'Passport'],
    ['1 63 08 4 01 001 005E', ['1 63 08 4 01 001 005E'], undefined],
    ['identification number 911- 10-77', ['911-10-77'], 'National ID'],
    ['983 (Diplomatic)', ['983'], undefined],
    ['Mali ID Number: 073/SPICRE. Date of issue: 6 Dec 2011', ['073/SPICRE'], undefined],
    ['No34409/129', ['34409/129'], undefined],
    ['782633 issued on 31 May 2005. And 540794 issued on 12 Jan. 2008', ['782633', '540794'], ''],
    ['381420565 and 654120219', ['381420565', '654120219'], undefined],
    ['Kuwaiti passport no. (A)001714467 (B)101505554', ['001714467', '101505554'], 'Passport'],
    ['N 010170320, issue number: 002-15-L062672', ['N 010170320'], undefined],
    ['OB0637580. Schengen visa No 011518403 issued on 2.7.2016', ['OB0637580'], undefined],
    ['Reference 5162. Passport no. 9632078', ['9632078'], 'Passport'],
    ['MM611523 (Filipino) (1995-1997)', ['MM611523'], undefined],
    ['Residential card number 665, Ayno Maina', [], undefined],
    ['Uganda Passport.', [], 'Passport'],
    ['Pasaporte AB123456', ['AB123456'], 'Passport'],
    ['Numéro de passeport AB123456', ['AB123456'], 'Passport'],
    ['Passport / Tax number 1234567', ['1234567'], 'Passport'],
    ['Jordanian national number: 9632078', ['9632078'], 'National ID'],
    ['(Egypt). Issued 1993.', [], undefined],
  ])('%s', (text, numbers, type) => {
    expect(documentNumbers(text).map((one) => one.number)).toEqual(numbers);
    expect(identifierType(text)).toBe(type || undefined);
  });

  test('each number is what the words beside it say', () => {
    const text =
      'Passport No: France number 12CP63882.3FRA, issued on 31.7.2012 (valid until 30.7.2022). ' +
      'National identification No: France national identity card 070275Q007873';
    expect(documentNumbers(text)).toEqual([
      { number: '12CP63882.3FRA', type: 'Passport' },
      { number: '070275Q007873', type: 'National ID' },
    ]);
    expect(documentNumbers('00344994 (Yemeni). (b) 973406 (national ID card)')).toEqual([
      { number: '00344994', type: undefined },
      { number: '973406', type: 'National ID' },
    ]);
    expect(documentNumbers('Passport no. A12345 and B67890')).toEqual([
      { number: 'A12345', type: 'Passport' },
      { number: 'B67890', type: 'Passport' },
    ]);
  });

  test('an IMO number has seven digits behind its word', () => {
    expect(imoNumber('IMO: 8937675. MMSI: 445539000.')).toBe('8937675');
    expect(imoNumber('IMO number 9187629')).toBe('9187629');
    expect(imoNumber('IMO 123')).toBeUndefined();
  });
});
