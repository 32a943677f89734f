/** Names and dates as publishers write them. */
import { describe, expect, test } from 'vitest';
import { imoNumber } from '../../src/sources/imoNumber.ts';
import {
  dateRange,
  dayFirstDate,
  isoPartialDate,
  partialDate,
  wordedDate,
} from '../../src/sources/partialDates.ts';
import { namesInNote, namesOf } from '../../src/sources/publishedNames.ts';
import { documentNumber, identifierType } from '../../src/sources/uk/documents.ts';

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

describe('numbers in texts', () => {
  test.each([
    ['A-333602 (Indian) issued on 4 June 1985', 'A-333602', undefined],
    ['Mali Passport no.A1037434. Issued: 10/8/2001', 'A1037434', 'Passport'],
    ['Passport No: PS 472330208 (Date of Expiration: 4.7.2017).', 'PS 472330208', 'Passport'],
    ['Italian Fiscal Code BNSDLA70L14Z352B', 'BNSDLA70L14Z352B', 'Tax number'],
    ['4414 (Afghan) (tazkira)', '4414', 'National ID'],
    ['Uganda Passport.', undefined, 'Passport'],
    ['(Egypt). Issued 1993.', undefined, undefined],
  ])('%s', (text, number, type) => {
    expect(documentNumber(text)).toBe(number);
    expect(identifierType(text)).toBe(type);
  });

  test('an IMO number has seven digits behind its word', () => {
    expect(imoNumber('IMO: 8937675. MMSI: 445539000.')).toBe('8937675');
    expect(imoNumber('IMO number 9187629')).toBe('9187629');
    expect(imoNumber('IMO 123')).toBeUndefined();
  });
});
