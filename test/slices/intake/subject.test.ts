/** A subject in JSON: what it may have is what its refusal names. */
import { expect, test } from 'vitest';
import { readSubject, SUBJECT_ATTRIBUTES } from '#slices/intake';

const COUNTRIES = { TN: {} };

test('an unknown member is told all that are taken, those of JSON alone too', () => {
  const read = readSubject({ external_id: '1', full_name: 'Amal', ssn: '1' }, COUNTRIES);
  const taken = [...SUBJECT_ATTRIBUTES, 'full_name_transliterations'];
  expect(read.violations).toEqual([
    { code: 'unknown-member', detail: `expected only ${taken.join(', ')}`, pointer: '/ssn' },
  ]);
});

test.each(['dob', 'dob_range'])(
  'a %s out of range is told apart from one of another form',
  (at) => {
    const dates = at === 'dob' ? ['9999-12-31', '31/12/1971'] : ['1960-13:1961-01', '1960'];
    const codes = dates.map((date) => {
      const read = readSubject({ external_id: '1', full_name: 'Amal', [at]: date }, COUNTRIES);
      return read.violations?.map(({ code, pointer }) => `${pointer} ${code}`);
    });
    expect(codes).toEqual([[`/${at} range`], [`/${at} format`]]);
  },
);
