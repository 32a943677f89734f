/** Members of a case that a form may fill, with types that fit (config/canonical-fields.json). */
import table from '../../../config/canonical-fields.json' with { type: 'json' };
import type { FieldType } from './definition.ts';

/** A row of the table. */
export interface CanonicalField {
  readonly types: readonly FieldType[];
  /** Where it goes in the subject of a case, by dots; null: it is compared with documents alone. */
  readonly target: string | null;
}

const ROWS = table as unknown as Readonly<Record<string, CanonicalField>>;

/** Undefined: there is no such member. */
export const canonicalField = (name: string): CanonicalField | undefined =>
  Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;

export const CANONICAL_NAMES: readonly string[] = Object.keys(ROWS);
