/**
 * What entries of a former release say of a tenant, a key or a person. They have no digest of the
 * record, but their details tell each change, and the chain commits to the details: replayed from
 * the first on they give what the record must be. They say nothing of a key's hash and expiry.
 */
import type { JsonRecord } from '#core/audit';
import type { HeldRecord } from './recordEvidence.ts';

type Facts = Record<string, unknown>;
type SignedKey = {
  readonly isRevoked: boolean;
  readonly keyId: unknown;
  readonly publicKey: unknown;
};

/**
 * The facts of the record after all of these entries, in their order; undefined where one has lost
 * its details, or is of no kind that is known.
 */
export function replayed(
  { id, kind }: Pick<HeldRecord, 'id' | 'kind'>,
  entries: readonly JsonRecord[],
): Facts | undefined {
  let facts: Facts | undefined = {};
  for (const { action, details, target } of entries) {
    if (facts === undefined || typeof details !== 'object' || details === null) return undefined;
    const isOwn = target === `${kind}:${id}`;
    facts = after(facts, { action: String(action), details: details as JsonRecord, isOwn });
  }
  return facts;
}

interface Told {
  readonly action: string;
  readonly details: JsonRecord;
  /** False: the entry is about another record, which this one succeeds. */
  readonly isOwn: boolean;
}

function after(facts: Facts, { action, details, isOwn }: Told): Facts | undefined {
  const keys = (facts.keys ?? []) as readonly SignedKey[];
  switch (action) {
    case 'identity.tenant.created':
      return { kind: details.kind, settings: {} };
    case 'identity.tenant.settings_changed':
      return { ...facts, settings: changed(facts.settings, details.after) };
    case 'identity.api_key.created':
      return madeKey(details);
    case 'identity.api_key.rotated':
      return isOwn ? facts : madeKey(details);
    case 'identity.api_key.revoked':
      return { ...facts, isRevoked: true };
    case 'identity.person.added':
      return { accounts: details.accounts, keys: [], roles: details.roles };
    case 'identity.person.key_added': {
      const key = { isRevoked: false, keyId: details.key_id, publicKey: details.public_key };
      return { ...facts, keys: [...keys, key] };
    }
    case 'identity.person.key_revoked':
      return {
        ...facts,
        keys: keys.map((key) => (key.keyId === details.key_id ? { ...key, isRevoked: true } : key)),
      };
    default:
      return undefined;
  }
}

const madeKey = ({ roles, scopes }: JsonRecord): Facts => ({
  ...(scopes !== undefined && { scopes }),
  isRevoked: false,
  roles,
});

/** Null takes a setting back to its default. */
function changed(settings: unknown, changes: unknown): JsonRecord {
  const all = Object.entries({ ...(settings as JsonRecord), ...(changes as JsonRecord) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
