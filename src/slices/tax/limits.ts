/** Limits of tax reporting. */
import type { LimitRow } from '#core/kernel';

/** Persons of an entity that one classification names. */
export const PERSONS_MAX = 200;
/** Countries, addresses and telephones of one holder. */
export const PLACES_MAX = 50;
/** Jurisdictions with which an institution's country exchanges. */
export const JURISDICTIONS_MAX = 250;
/** Characters of a tenant's own reference. */
export const REF_CHARS_MAX = 128;
export const EXPLANATION_CHARS_MIN = 20;
export const EXPLANATION_CHARS_MAX = 2_000;
/** Bytes of a body that classifies somebody. */
export const CLASSIFICATION_BYTES_MAX = 256 * 1024;

/** Bytes of what is stated of an institution. */
export const FI_BYTES_MAX = 64 * 1024;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: PERSONS_MAX, what: 'Persons of an entity that is classified' },
  {
    beyond: 'body-too-large',
    max: CLASSIFICATION_BYTES_MAX,
    what: 'Bytes of a body that classifies a holder',
  },
];
