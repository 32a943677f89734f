/** What a subject may have, by the names that columns and members have. */

/** In the order in which they are written. */
export const SUBJECT_ATTRIBUTES = [
  'external_id',
  'full_name',
  'full_name_ar',
  'first_name',
  'last_name',
  'dob',
  'dob_range',
  'nationality',
  'country_residence',
  'type',
  'gender',
  'national_id',
] as const;
export type SubjectAttribute = (typeof SUBJECT_ATTRIBUTES)[number];
export const REQUIRED_ATTRIBUTES = ['external_id', 'full_name'] as const;

const ATTRIBUTES: ReadonlySet<string> = new Set(SUBJECT_ATTRIBUTES);
export const isAttribute = (name: string): name is SubjectAttribute => ATTRIBUTES.has(name);
