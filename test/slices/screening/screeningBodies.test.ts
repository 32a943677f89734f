/** What a schema cannot say of a screening's body. */
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { compileSchema } from '../../../src/api/validate.ts';
import {
  AmlScreenBody,
  parseAmlScreenBody,
  parseScreenBody,
  ScreenBody,
} from '../../../src/slices/screening/edge/schemas.ts';

function refusal(parse: () => unknown): DomainError {
  try {
    parse();
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('was not refused');
}

test('every violation is told at once', () => {
  const body = { dob: '1971-02-30', dob_range: '1972-01:1971-01', name: 'Tarek' };
  const { code, violations } = refusal(() => parseScreenBody(body));
  expect(code).toBe('body-invalid');
  expect(violations.map(({ pointer }) => pointer)).toEqual(['/dob', '/dob_range']);
});

test('a day that no calendar has is named where it stands', () => {
  const subject = { dob: '1900-02-29', full_name: 'Tarek' };
  expect(refusal(() => parseAmlScreenBody({ subject })).violations).toEqual([
    {
      code: 'range',
      detail: 'expected a day of the calendar, 01 to 28 in that month',
      pointer: '/subject/dob',
    },
  ]);
});

test('a day of the calendar and an ordered range pass', () => {
  const body = { dob: '1972-02-29', dob_range: '1971-01:1971-01', name: 'Tarek' };
  expect(parseScreenBody(body)).toMatchObject({ dob: '1972-02-29', dobRange: '1971-01:1971-01' });
});

test('a year that is not taken, or a month 13, is told as such and not as another form', () => {
  const year = { code: 'range', detail: 'expected a year from 1000 to 2999', pointer: '/dob' };
  const check = compileSchema(ScreenBody);
  expect(check({ dob: '9999-12-31', name: 'Tarek' })).toEqual([year]);
  expect(check({ dob: '0000-01-01', name: 'Tarek' })).toEqual([year]);
  const range = { dob_range: '9999-01:9999-02', name: 'Tarek' };
  expect(check(range)).toEqual([{ ...year, pointer: '/dob_range' }]);
  const subject = { dob: '2020-13-45', full_name: 'Tarek' };
  expect(compileSchema(AmlScreenBody)({ subject })).toEqual([
    {
      code: 'range',
      detail: 'expected a month from 01 to 12, a day from 01 to 31',
      pointer: '/subject/dob',
    },
  ]);
});
