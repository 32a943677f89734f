/** The evaluator: by examples, and against ajv over the schema derived from a definition. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkDefinition,
  dataSchemaOf,
  evaluateForm,
  type FormSchema,
  fieldsIn,
  linearPatterns,
} from '#slices/forms';
import { boundDay, isWithin } from '../../../src/slices/forms/dayBounds.ts';
import { judgeValue } from '../../../src/slices/forms/fieldValue.ts';
import { passesCheck } from '../../../src/slices/forms/valueChecks.ts';
import { anyForm } from './formCases.ts';
import onboarding from './onboardingForm.json' with { type: 'json' };

const RUNS = Number(process.env.FUZZ_RUNS ?? 80);
const TODAY = '2026-11-26';
const COUNTRIES = ['DE', 'FR', 'TN'];
const CONTEXT = {
  isCountry: (code: string) => COUNTRIES.includes(code),
  matchesOf: linearPatterns(),
  today: TODAY,
};
const FORM = onboarding as unknown as { readonly schema: FormSchema };
const WHOLE = {
  dob: '1990-05-17',
  first_name: 'Amira',
  last_name: 'Ben Salah',
  nationality: 'TN',
  status: 'self_employed',
  tax_id: '1282182W',
  terms: true,
};

const oracle = (): Ajv2020 => {
  const ajv = formats.default(new Ajv2020({ strictRequired: false, strictTypes: false }));
  ajv.addKeyword({
    keyword: 'x-min-date',
    validate: (min: string, value: string) => !isWithin(value, { min }, TODAY).isEarly,
  });
  ajv.addKeyword({
    keyword: 'x-max-date',
    validate: (max: string, value: string) => !isWithin(value, { max }, TODAY).isLate,
  });
  ajv.addKeyword({ keyword: 'x-check', validate: passesCheck });
  return ajv;
};

/** Values made uniform, as they would be kept, whether or not they are shown. */
function uniform(schema: FormSchema, values: Readonly<Record<string, unknown>>) {
  const made: Record<string, unknown> = {};
  let isReadable = true;
  for (const field of fieldsIn(schema)) {
    const given = values[field.id];
    if (given === undefined || given === null || field.type === 'info') continue;
    const judged = judgeValue({ ...field, validation: {} }, given, CONTEXT);
    if ('fault' in judged) isReadable = false;
    else if (judged.value !== undefined) made[field.id] = judged.value;
  }
  return { isReadable, made };
}

describe('evaluateForm', () => {
  test('what is whole is kept as it was typed', () => {
    const found = evaluateForm(FORM, WHOLE, CONTEXT);
    expect(found).toMatchObject({ data: WHOLE, errors: [], ignored: [] });
    expect(found.visible).toHaveLength(7);
  });

  test('a hidden field is never required, and its value is left out by name', () => {
    const found = evaluateForm(FORM, { ...WHOLE, nationality: 'FR', shoe_size: 38 }, CONTEXT);
    expect(found.errors).toEqual([]);
    expect(found.data).not.toHaveProperty('tax_id');
    expect(found.ignored).toEqual(['tax_id', 'shoe_size']);
  });

  test('each field says what is wrong with it', () => {
    const wrong = {
      dob: '2010-01-01',
      first_name: 'Amira 2',
      nationality: 'Tunisia',
      status: 'retired',
      terms: false,
    };
    expect(evaluateForm(FORM, wrong, CONTEXT).errors).toEqual([
      { code: 'pattern', field: 'first_name' },
      { code: 'required', field: 'last_name' },
      { code: 'max-date', field: 'dob' },
      { code: 'option', field: 'nationality' },
      { code: 'option', field: 'status' },
      { code: 'required', field: 'terms' },
    ]);
  });

  test('digits of Arabic are taken, and kept as ASCII', () => {
    const { data } = evaluateForm(FORM, { ...WHOLE, dob: '١٩٩٠-٠٥-١٧' }, CONTEXT);
    expect(data.dob).toBe('1990-05-17');
  });

  test('agrees with ajv over the derived schema', () => {
    fc.assert(
      fc.property(anyForm, ({ schema, values }) => {
        expect(checkDefinition({ languages: ['en'], schema })).toEqual([]);
        const found = evaluateForm({ schema }, values, CONTEXT);
        const ajv = oracle().compile(dataSchemaOf(schema, COUNTRIES));
        const isWhole = found.errors.length === 0;
        const isLacking = found.errors.every(({ code }) => code === 'required');
        if (isLacking) expect(ajv(found.data), JSON.stringify(ajv.errors)).toBe(isWhole);
        const { isReadable, made } = uniform(schema, values);
        const isAllShown = Object.keys(made).every((id) => found.visible.includes(id));
        if (isReadable) expect(ajv(made)).toBe(isWhole && isAllShown);
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    ['today', TODAY],
    ['today-18y', '2008-11-26'],
    ['today+3m', '2027-02-26'],
    ['today-30d', '2026-10-27'],
    ['1999-12-31', '1999-12-31'],
  ])('%s is %s', (bound, day) => {
    expect(boundDay(bound, TODAY)).toBe(day);
  });

  test('a month without such a day ends the day before', () => {
    expect(boundDay('today-18y', '2028-02-29')).toBe('2010-02-28');
    expect(boundDay('today+1m', '2026-01-31')).toBe('2026-02-28');
  });

  test.each([
    ['luhn', '79927398713', true],
    ['luhn', '79927398710', false],
    ['siren', '732 829 320', true],
    ['siren', '732829321', false],
    ['iban', 'TN59 1000 6035 1835 9847 8831', true],
    ['iban', 'TN59 1000 6035 1835 9847 8832', false],
    ['rne_tn', '1282182W', true],
    ['rne_tn', '1282182W/A/M/000', true],
    ['rne_tn', '128218W', false],
    [
      'mrz',
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10',
      true,
    ],
    [
      'mrz',
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C46UTO7408122F1204159ZE184226B<<<<<10',
      false,
    ],
    ['mrz', 'nothing', false],
  ] as const)('%s: %s is %s', (check, value, expected) => {
    expect(passesCheck(check, value)).toBe(expected);
  });
});
