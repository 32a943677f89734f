/**
 * What an entry says of the tenant, key or person that it changes: a digest of all of the record
 * that decides anything. Free-text names are left out, since a digest of a name can be guessed for
 * ever after, and they decide nothing.
 */
import type { JsonObject } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ApiKey, Person, Tenant } from './ports.ts';

/** The kinds of records, as targets of entries begin with them. */
export type RecordKind = 'api_key' | 'person' | 'tenant';

/** A record as the chain is asked about it. */
export interface HeldRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly digest: string;
  /** What entries of a former release tell of it in their details. */
  readonly facts: unknown;
}

const digestOf = (decisive: object): string =>
  sha256Hex(`identity-record-v1\0${canonicalJson(decisive)}`);

/** A tenant: its kind and settings. */
export function heldTenant({ name: _, ...decisive }: Tenant): HeldRecord {
  const { id, kind, settings } = decisive;
  return { digest: digestOf(decisive), facts: { kind, settings }, id, kind: 'tenant' };
}

/** A key: its hash, roles, expiry, and whether it is revoked. Its last use is no change. */
export function heldApiKey({ lastUsedAt: _, name: __, ...decisive }: ApiKey): HeldRecord {
  const { id, revokedAt, roles, scopes } = decisive;
  const facts = { ...(scopes && { scopes }), isRevoked: revokedAt !== undefined, roles };
  return { digest: digestOf(decisive), facts, id, kind: 'api_key' };
}

/** A person: roles, accounts, the keys that they sign with, and where they are written to. */
export function heldPerson({ name: _, ...decisive }: Person): HeldRecord {
  const { accounts, email, id, keys, locale, roles } = decisive;
  const facts = {
    // Entries of a former release tell of neither: a record that has one of them is not theirs.
    ...(email && { email }),
    ...(locale && { locale }),
    accounts,
    keys: keys.map(({ keyId, publicKey, revokedAt }) => ({
      isRevoked: revokedAt !== undefined,
      keyId,
      publicKey,
    })),
    roles,
  };
  return { digest: digestOf(decisive), facts, id, kind: 'person' };
}

/** The member of an entry that holds the records to it. */
export const recordMembers = (...records: readonly HeldRecord[]): JsonObject => ({
  records: records.map(({ digest, id, kind }) => ({ digest, id, kind })),
});
