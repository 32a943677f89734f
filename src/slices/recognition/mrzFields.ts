/** Fields of a document out of its zone, each with how sure it is. */
import type { FieldName, FieldSource, ReadField } from './documentFields.ts';
import type { MrzDigit } from './mrzFormats.ts';
import type { MrzReading } from './readMrz.ts';

/** A field whose digit holds, and one that was put right before. */
const WITH_DIGIT = 0.99;
const REPAIRED = 0.9;
const DIGIT_OF: Partial<Readonly<Record<FieldName, MrzDigit>>> = {
  dob: 'dob',
  document_number: 'number',
  expires_on: 'expiry',
};

/**
 * Fields that the zone has. One without a digit of its own is as sure as the page was read; one
 * whose digit does not hold is not sure at all.
 */
export function mrzFields(
  { digits, fields, repaired }: MrzReading,
  of: { readonly confidence: number; readonly source?: FieldSource },
): readonly ReadField[] {
  const { source = 'mrz' } = of;
  const right = repaired.length > 0 ? REPAIRED : WITH_DIGIT;
  const values: readonly (readonly [FieldName, string | undefined])[] = [
    ['full_name', `${fields.givenNames} ${fields.surname}`.trim()],
    ['surname', fields.surname],
    ['given_names', fields.givenNames],
    ['document_number', fields.documentNumber],
    ['nationality', fields.nationality],
    ['issuing_country', fields.issuingState],
    ['dob', fields.dob],
    ['expires_on', fields.expiresOn],
    ['gender', fields.gender],
    ['optional', fields.optional],
  ];
  return values.flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    const digit = DIGIT_OF[name];
    const holds = digit === undefined ? null : digits[digit];
    const confidence = holds === null ? Math.min(of.confidence, right) : holds ? right : 0;
    return [{ confidence, name, source, value }];
  });
}
