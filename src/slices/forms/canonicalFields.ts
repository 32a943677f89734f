/** Members of a case that a form may fill, with types that fit (config/canonical-fields.json). */
import table from '../../../config/canonical-fields.json' with { type: 'json' };
import type { FieldType, FormField } from './definition.ts';
import { VALUE_CHARS_MAX } from './limits.ts';

/** A row of the table. */
export interface CanonicalField {
  readonly types: readonly FieldType[];
  /** Where it goes in the subject of a case, by dots; null: it is compared with documents alone. */
  readonly target: string | null;
  /** Characters of that member. */
  readonly max_length?: number;
}

const ROWS = table as unknown as Readonly<Record<string, CanonicalField>>;

/** Undefined: there is no such member. */
export const canonicalField = (name: string): CanonicalField | undefined =>
  Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;

export const CANONICAL_NAMES: readonly string[] = Object.keys(ROWS);

/** Characters that a text may have: as its field says, and the member of the case that it fills. */
export function maxLengthOf({
  canonical,
  validation,
}: Pick<FormField, 'canonical' | 'validation'>): number {
  const row = canonical === undefined ? undefined : canonicalField(canonical);
  const own = validation?.max_length ?? VALUE_CHARS_MAX;
  return Math.min(own, row?.max_length ?? VALUE_CHARS_MAX);
}
