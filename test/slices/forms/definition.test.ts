/** Definitions: the golden hash, every violation by its place, and what a change counts as. */
import { describe, expect, test } from 'vitest';
import {
  checkDefinition,
  definitionHash,
  diffForms,
  type FormDefinition,
  type FormField,
  nextLabel,
} from '#slices/forms';
import onboarding from './onboardingForm.json' with { type: 'json' };

const FORM = onboarding as unknown as FormDefinition;
type Given = Parameters<typeof checkDefinition>[0];
const LABEL = { en: { label: 'Label' } };
const formOf = (...fields: readonly object[]): Given => ({
  languages: ['en'],
  schema: { steps: [{ fields, id: 'one', title: { en: 'One' } }] },
});
const placesOf = (given: Given): string[] =>
  checkDefinition(given).map(
    ({ code, pointer }) => `${pointer.replace('/schema/steps/0/fields/', '')} ${code}`,
  );
const text = (id: string, more: object = {}) => ({ i18n: LABEL, id, type: 'text', ...more });

describe('definitions', () => {
  test('the hash of the example is the one that is published', () => {
    expect(checkDefinition(FORM)).toEqual([]);
    expect(definitionHash(FORM)).toBe(
      '50206c9c24bcf9a7ee598d411bb32be511ee0b01b829ccace29ff95bf5278ae1',
    );
  });

  test.each<[string, Given, string[]]>([
    ['an id twice', formOf(text('a'), text('a')), ['1/id range']],
    ['an unknown member', formOf(text('a', { default: 'x' })), ['0/default unknown-member']],
    [
      'a field that comes later',
      formOf(text('a', { visible_if: { field: 'b', op: 'present' } }), text('b')),
      ['0/visible_if/field unknown'],
    ],
    [
      'a field upon itself',
      formOf(text('a', { required_if: { field: 'a', op: 'absent' } })),
      ['0/required_if/field unknown'],
    ],
    [
      'a slow pattern',
      formOf(text('a', { validation: { pattern: '(a+)+' } })),
      ['0/validation/pattern pattern-slow'],
    ],
    [
      'no pattern',
      formOf(text('a', { validation: { pattern: 'a.b' } })),
      ['0/validation/pattern pattern'],
    ],
    [
      'bounds of another type',
      formOf(text('a', { validation: { min: 1 } })),
      ['0/validation/min unknown-member'],
    ],
    [
      'bounds the wrong way round',
      formOf(text('a', { validation: { max_length: 1, min_length: 2 } })),
      ['0/validation/max_length range'],
    ],
    ['no options', formOf({ ...text('a'), type: 'choice' }), ['0/options missing']],
    ['a member of no case', formOf(text('a', { canonical: 'iban' })), ['0/canonical unknown']],
    ['a member of another type', formOf(text('a', { canonical: 'dob' })), ['0/canonical type']],
    [
      'a member twice',
      formOf(text('a', { canonical: 'tax_id' }), text('b', { canonical: 'tax_id' })),
      ['1/canonical range'],
    ],
    [
      'markup',
      formOf({ ...text('a'), i18n: { en: { label: '<b>x</b>' } } }),
      ['0/i18n/en/label format'],
    ],
    [
      'a language without a text',
      { ...formOf(text('a')), languages: ['en', 'ar'] },
      ['/schema/steps/0/title/ar translation-missing', '0/i18n/ar translation-missing'],
    ],
    [
      'a help in one language',
      {
        languages: ['en', 'fr'],
        schema: {
          steps: [
            {
              fields: [
                { ...text('a'), i18n: { en: { help: 'h', label: 'l' }, fr: { label: 'l' } } },
              ],
              id: 'one',
              title: { en: 'One', fr: 'Un' },
            },
          ],
        },
      },
      ['0/i18n/fr/help translation-missing'],
    ],
    [
      'an unknown kind of document',
      formOf({ ...text('a'), kind: 'visa', type: 'document' }),
      ['0/kind type'],
    ],
    [
      'a consent without its text',
      formOf({ ...text('a'), purpose: 'marketing', type: 'consent' }),
      ['0/text_version missing'],
    ],
  ])('%s', (_, given, expected) => {
    expect(placesOf(given)).toEqual(expected);
  });

  test('what is derived is refused', () => {
    const given = formOf(text('a'));
    const schema = { ...(given.schema as object), data: {} };
    expect(placesOf({ ...given, schema })).toEqual(['/schema/data unknown-member']);
  });
});

describe('diffForms', () => {
  const OPTION = (value: string) => ({ i18n: { en: value }, value });
  const base = [
    text('a', { required: true, validation: { max_length: 10 } }),
    { ...text('b'), options: [OPTION('x'), OPTION('y')], type: 'choice' },
    text('c'),
  ];
  const changed = (at: number, more: object): FormDefinition =>
    formOf(...base.map((one, place) => (place === at ? { ...one, ...more } : one))) as never;
  const sizeOf = (after: FormDefinition) => diffForms(formOf(...base) as never, after).size;

  test.each<[string, FormDefinition, string]>([
    ['texts', changed(0, { i18n: { en: { label: 'Another' } } }), 'patch'],
    ['a field more', formOf(...base, text('d')) as never, 'minor'],
    ['a field less', formOf(...base.slice(1)) as never, 'major'],
    ['another type', changed(2, { type: 'textarea' }), 'major'],
    ['an option less', changed(1, { options: [OPTION('x')] }), 'major'],
    ['an option more', changed(1, { options: ['x', 'y', 'z'].map(OPTION) }), 'minor'],
    ['required', changed(2, { required: true }), 'major'],
    ['required no more', changed(0, { required: false }), 'minor'],
    [
      'required under a condition',
      changed(2, { required_if: { field: 'a', op: 'present' } }),
      'major',
    ],
    ['shown under a condition', changed(2, { visible_if: { field: 'a', op: 'present' } }), 'minor'],
    ['a shorter text', changed(0, { validation: { max_length: 9 } }), 'major'],
    ['a longer text', changed(0, { validation: { max_length: 11 } }), 'minor'],
    ['a pattern', changed(2, { validation: { pattern: 'a' } }), 'major'],
    ['another order', formOf(...[...base].reverse()) as never, 'minor'],
    ['another language', { ...changed(0, {}), languages: ['fr'] } as never, 'major'],
  ])('%s: %s', (_, after, size) => {
    expect(sizeOf(after)).toBe(size);
  });

  test('fields that came, went and changed are named, sorted', () => {
    const after = formOf(text('z'), text('d'), { ...text('c'), required: true }) as never;
    expect(diffForms(formOf(...base) as never, after)).toMatchObject({
      added: ['d', 'z'],
      changed: ['c'],
      removed: ['a', 'b'],
    });
    const first = diffForms(undefined, FORM);
    expect(first.added).toHaveLength(
      FORM.schema.steps.flatMap(({ fields }): readonly FormField[] => fields).length,
    );
  });

  test.each([
    [undefined, 'major', '1.0.0'],
    ['1.4.2', 'patch', '1.4.3'],
    ['1.4.2', 'minor', '1.5.0'],
    ['1.4.2', 'major', '2.0.0'],
  ] as const)('behind %s a %s change is %s', (former, size, label) => {
    expect(nextLabel(former, size)).toBe(label);
  });
});
