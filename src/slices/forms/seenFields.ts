/** What is known of a form's fields while it is checked from the first one to the last. */
import type { KnownField } from '#core/conditions';

/** What is known of the fields so far. */
export interface SeenFields {
  /** Fields that a later one may ask. */
  readonly known: Map<string, KnownField>;
  readonly ids: Set<string>;
  readonly canonical: Set<string>;
}

/** Form of the ids of steps and fields. */
export const FIELD_ID = /^[a-z][a-z0-9_]{0,63}$/;
/** Form of the code of a form. */
export const FORM_CODE = '^[a-z][a-z0-9_]{1,63}$';

/** What an id is, in words. */
export const ID = 'an id of 1 to 64 lower-case letters, digits and underscores';
