/**
 * Scopes of API keys (decisions 1.8): what a key is for, within what its roles may. Each operation
 * has one, published as `x-scopes`. A key without scopes has all of them, and so have persons,
 * whose tokens are made by the identity provider.
 */
import { DomainError } from '#core/kernel';

/** What operations are about, and whether they change something. */
export const SCOPES = [
  'screening:read',
  'screening:write',
  'batches:read',
  'batches:write',
  'alerts:read',
  'alerts:write',
  'exclusions:read',
  'exclusions:write',
  'transactions:read',
  'transactions:write',
  'str:read',
  'str:write',
  'tcr:read',
  'tcr:write',
  'tcr:submit',
  'forms:read',
  'forms:write',
  'cases:read',
  'cases:write',
  'rescreening:read',
  'rescreening:write',
  'lists:read',
  'lists:write',
  'audit:read',
  'approvals:read',
  'approvals:write',
  'policies:read',
  'policies:write',
  'webhooks:read',
  'webhooks:write',
  'notifications:read',
  'risk:read',
  'risk:write',
  'privacy:read',
  'privacy:write',
] as const;
/** One of SCOPES. */
export type Scope = (typeof SCOPES)[number];

/**
 * The scopes that an administrator types, once each and in the order of SCOPES. Throws
 * `setting-invalid` for an unknown one and for an empty list.
 */
export function requireScopes(names: readonly string[]): readonly Scope[] {
  const unknown = names.filter((name) => !(SCOPES as readonly string[]).includes(name));
  if (unknown.length > 0 || names.length === 0) {
    throw new DomainError('setting-invalid', {
      detail: `scopes: expected some of ${SCOPES.join(', ')}, got ${unknown.length} others`,
    });
  }
  return SCOPES.filter((scope) => names.includes(scope));
}
