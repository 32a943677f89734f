/** Forms and values at random: fields of every type, conditions upon those before. */
import fc from 'fast-check';
import type { Condition } from '#core/conditions';
import type { FieldType, FormField, FormSchema } from '#slices/forms';

type Draw = { readonly field: FormField; readonly values: readonly unknown[] };

const I18N = { en: { label: 'Label' } };
const WORDS = ['red', 'green', 'blue'];
const OPTIONS = WORDS.map((value) => ({ i18n: { en: value }, value }));
const UUID = '019a0b2c-7d4e-7000-8000-000000000000';

/** Values of each type, right and wrong. */
const VALUES: Readonly<Record<FieldType, readonly unknown[]>> = {
  boolean: [true, false, 'true', 1],
  choice: ['red', 'green', 'pink', '', 3],
  consent: [true, false, 'yes'],
  country: ['TN', 'FR', 'XX', 'tn'],
  date: ['2000-02-29', '2001-02-29', '1990-01-01', '٢٠٠٠-٠١-٠١', '2026-11-26', 'soon'],
  decimal: [0, -0, 1.5, '2,25', '٣', 100, '1e5', Number.MAX_VALUE],
  document: [UUID, 'passport'],
  email: ['a@b.tn', 'a b@c', 'nobody'],
  info: ['x'],
  integer: [0, 7, '12', '٤٢', 1.5, 100, null],
  multi_choice: [['red'], ['red', 'blue'], [], ['red', 'red'], ['pink'], 'red'],
  partial_date: ['1990', '1990-05', '1990-13', '1990-05-17', '90'],
  phone: ['+21671000000', '00216 71 000 000', '71000000'],
  text: ['Amira', ' x ', '', 'ab1', '12345678901', 'a\nb', 9],
  textarea: ['one\ntwo', 'ab', '   '],
};

const VALIDATIONS: Readonly<Partial<Record<FieldType, readonly FormField['validation'][]>>> = {
  date: [{ max_date: 'today-18y' }, { max_date: '2010-01-01', min_date: '1995-01-01' }],
  decimal: [{ max: 50, min: 1 }],
  integer: [{ max: 50 }, { min: 1 }],
  partial_date: [{ max_date: 'today' }, { min_date: '1990-06-01' }],
  text: [{ max_length: 5, min_length: 2 }, { pattern: '[\\p{L}]{1,10}' }, { check: 'luhn' }],
  textarea: [{ min_length: 3 }],
};

const TYPES = Object.keys(VALUES) as FieldType[];

const drawn = (id: string): fc.Arbitrary<Draw> =>
  fc.constantFrom(...TYPES).chain((type) =>
    fc.record({
      field: fc
        .record({
          required: fc.boolean(),
          validation: fc.constantFrom(undefined, ...(VALIDATIONS[type] ?? [])),
        })
        .map(
          ({ required, validation }): FormField => ({
            i18n: I18N,
            id,
            type,
            ...(type !== 'info' && { required }),
            ...(validation !== undefined && { validation }),
            ...(type.endsWith('choice') && { options: OPTIONS }),
            ...(type === 'document' && { kind: 'passport' }),
            ...(type === 'consent' && { purpose: 'marketing', text_version: '1' }),
          }),
        ),
      values: fc.constant(VALUES[type]),
    }),
  );

/** A comparison of one of the fields before; which one, and how, is drawn as a number. */
function conditionOn(before: readonly FormField[], draw: number): Condition | undefined {
  const field = before[draw % Math.max(1, before.length)];
  if (field === undefined || field.type === 'info') return undefined;
  const { id } = field;
  const compared: readonly Condition[] =
    field.type === 'choice' || field.type === 'multi_choice'
      ? [
          { field: id, op: 'eq', value: 'red' },
          { field: id, op: 'not_in', value: ['red', 'blue'] },
        ]
      : field.type === 'integer' || field.type === 'decimal'
        ? [{ field: id, op: 'ge', value: 7 }, { not: { field: id, op: 'lt', value: 2 } }]
        : field.type === 'date'
          ? [{ field: id, op: 'lt', value: '2000-01-15' }]
          : [{ field: id, op: 'present' }];
  return [...compared, { any: [{ field: id, op: 'absent' }, ...compared] } as Condition][
    draw % (compared.length + 1)
  ];
}

/** A form of one to five fields, and values for it. */
export const anyForm: fc.Arbitrary<{
  readonly schema: FormSchema;
  readonly values: Readonly<Record<string, unknown>>;
}> = fc
  .tuple(
    fc.tuple(drawn('a'), drawn('b'), drawn('c'), drawn('d'), drawn('e')),
    fc.array(fc.nat(1_000), { maxLength: 15, minLength: 15 }),
  )
  .map(([draws, dice]) => {
    const fields: FormField[] = [];
    const values: Record<string, unknown> = {};
    for (const [at, { field, values: possible }] of draws.entries()) {
      const [one = 0, other = 0, value = 0] = dice.slice(3 * at);
      const visible = one % 3 === 0 ? undefined : conditionOn(fields, one);
      const demanded =
        other % 3 > 0 || field.type === 'info' || field.required === true
          ? undefined
          : conditionOn(fields, other);
      fields.push({
        ...field,
        ...(visible && { visible_if: visible }),
        ...(demanded && { required_if: demanded }),
      });
      if (value % 5 > 0) values[field.id] = possible[value % possible.length];
    }
    return { schema: { steps: [{ fields, id: 'one', title: { en: 'One' } }] }, values };
  });
