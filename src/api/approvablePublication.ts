/**
 * Publications that two persons sign, as they can be asked for at `/v1/approvals` (decision 8.6):
 * the last editor asks for the bytes of `signing`, and what is signed there is what is signed at
 * the operation of the publication itself.
 */
import { type Static, type TSchema, Type } from 'typebox';
import type {
  AppliedChange,
  Approvable,
  ApprovedBy,
  CheckedChange,
  Principal,
  ShownChange,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import { compileSchema } from './validate.ts';

const FIELD = 'publish';
/** Hex digits of a SHA-256. */
const HASH_CHARS = 64;
export const ContentHash = Type.String({ maxLength: HASH_CHARS, minLength: HASH_CHARS });

/** One publication, as its author asks for it. */
export interface AskedPublication<Value> {
  readonly author: Principal;
  readonly id: string;
  readonly newValue: Value;
}

/** What a slice says of its publications. */
export interface PublicationRules<Schema extends TSchema>
  extends Pick<Approvable, 'authorSigns' | 'rolePair' | 'roles'> {
  /** The schema of `new_value`. */
  readonly schema: Schema;
  /** What is signed names it. */
  readonly resourceOf: (id: string) => string;
  /** Throws what the author may not or cannot do. */
  readonly check: (asked: AskedPublication<Static<Schema>>) => Promise<void>;
  readonly show: (asked: AskedPublication<Static<Schema>>) => Promise<ShownChange>;
  readonly apply: (
    asked: AskedPublication<Static<Schema>>,
    by: ApprovedBy,
  ) => Promise<AppliedChange>;
  readonly signaturesLeft?: (asked: AskedPublication<Static<Schema>>) => Promise<number>;
}

export function approvablePublication<Schema extends TSchema>(
  rules: PublicationRules<Schema>,
): Approvable {
  const { apply, authorSigns, check, resourceOf, rolePair, roles, schema, show } = rules;
  const { signaturesLeft } = rules;
  const validate = compileSchema(schema);
  return {
    check: async ({ author, field, id, newValue }): Promise<CheckedChange> => {
      const violations =
        field === FIELD
          ? validate(newValue).map((one) => ({ ...one, pointer: `/new_value${one.pointer}` }))
          : [{ code: 'format', detail: `field: expected ${FIELD}`, pointer: '/field' }];
      if (violations.length > 0) throw new DomainError('body-invalid', { violations });
      const asked = { author, id, newValue: newValue as Static<Schema> };
      await check(asked);
      return {
        apply: (by) => apply(asked, by),
        show: () => show(asked),
        ...(signaturesLeft && { signaturesLeft: () => signaturesLeft(asked) }),
        subject: { field: FIELD, newValue: { ...(newValue as object) }, resource: resourceOf(id) },
      };
    },
    rolePair,
    roles,
    ...(authorSigns !== undefined && { authorSigns }),
  };
}
