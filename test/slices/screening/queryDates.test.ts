/** What is wrong with a date to screen by: its form, or which part of it, and what was expected. */
import { expect, test } from 'vitest';
import { monthRangeFault, partialDateFault } from '#slices/screening';

const FORM = 'format expected YYYY-MM-DD, YYYY-MM or YYYY';
const YEAR = 'a year from 1000 to 2999';
const MONTH = 'a month from 01 to 12';
const told = (fault: ReturnType<typeof partialDateFault>) =>
  fault === undefined ? undefined : `${fault.code} ${fault.detail}`;

test.each(['1000', '2999-12', '2999-12-31', '2024-02-29', '1000-01-01', '2000-02-29'])(
  '%s is a date',
  (text) => {
    expect(partialDateFault(text)).toBeUndefined();
  },
);

test.each([
  ['9999-12-31', `range expected ${YEAR}`],
  ['0000-01-01', `range expected ${YEAR}`],
  ['0999', `range expected ${YEAR}`],
  ['3000-01', `range expected ${YEAR}`],
  ['1961-13', `range expected ${MONTH}`],
  ['1961-00-14', `range expected ${MONTH}`],
  ['2020-13-45', `range expected ${MONTH}, a day from 01 to 31`],
  ['9999-99-99', `range expected ${YEAR}, ${MONTH}, a day from 01 to 31`],
  ['2023-02-29', 'range expected a day of the calendar, 01 to 28 in that month'],
  ['2024-04-31', 'range expected a day of the calendar, 01 to 30 in that month'],
  ['2024-04-00', 'range expected a day of the calendar, 01 to 30 in that month'],
  ['2024-04-99', 'range expected a day of the calendar, 01 to 30 in that month'],
  ['14/05/1961', FORM],
  ['1961-5-14', FORM],
  ['1961-05-14T00:00:00Z', FORM],
  ['19610514', FORM],
  ['١٩٦١', FORM],
  ['', FORM],
])('%j: %s', (text, expected) => {
  expect(told(partialDateFault(text))).toBe(expected);
});

test.each([
  ['1960-01:1962-12', undefined],
  ['1960-01:1960-01', undefined],
  ['0000-01:1962-12', `range expected ${YEAR}`],
  ['1960-01:9999-12', `range expected ${YEAR}`],
  ['1960-13:1962-12', `range expected ${MONTH}`],
  ['1960-01:9999-00', `range expected ${YEAR}, ${MONTH}`],
  ['1962-12:1960-01', 'format expected the first month not after the last'],
  ['1960:1962', 'format expected YYYY-MM:YYYY-MM'],
])('range %j: %s', (text, expected) => {
  expect(told(monthRangeFault(text))).toBe(expected);
});
