/** Limits of forms. */
import type { LimitRow } from '#core/kernel';

export const STEPS_MAX = 20;
export const FIELDS_MAX = 200;
export const OPTIONS_MAX = 500;
/** Characters of a title, label, help, option or message. */
export const TEXT_CHARS_MAX = 500;
/** Characters of a value, whatever a form says. */
export const VALUE_CHARS_MAX = 4_000;
/** Bytes of a definition. */
export const DEFINITION_BYTES_MAX = 256 * 1024;
/** Versions of one form. */
export const VERSIONS_MAX = 1_000;
/** Forms of a tenant. */
export const FORMS_MAX = 1_000;
/** How long a lone signature counts. */
export const SIGNED_MS = 7 * 24 * 3_600_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'form-invalid', max: STEPS_MAX, what: 'Steps of a form' },
  { beyond: 'form-invalid', max: FIELDS_MAX, what: 'Fields of a form' },
  { beyond: 'form-invalid', max: OPTIONS_MAX, what: 'Options of a field' },
  { beyond: 'state-conflict', max: FORMS_MAX, what: 'Forms of a tenant' },
  { beyond: 'state-conflict', max: VERSIONS_MAX, what: 'Versions of a form' },
];
