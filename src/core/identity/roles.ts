/**
 * Names, levels and the check of roles (decisions 1.9). Deny by default: an operation allows only
 * the roles that it lists.
 */
import { DomainError } from '#core/kernel';
import { type Principal, ROLES, type Role } from './ports.ts';

/** Names that identity providers and interface.md use, beside those of the closed list. */
const ROLE_NAMES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...ROLES.map((role) => [role, role] as const),
  ['agent', 'agent_l1'],
  ['supervisor', 'agent_l2'],
  ['compliance', 'compliance_officer'],
  ['dsi', 'dsi_admin'],
  ['audit', 'auditor'],
  ['administrator', 'admin'],
]);

/**
 * Sets of roles, by the name under which a slice's operations use them; each is published as
 * `x-roles`.
 */
export type RoleSets = Readonly<Record<string, readonly Role[]>>;

/**
 * Level of each role. A person needs a second factor for level 2 and above (interface.md 5, rule
 * 3).
 */
export const ROLE_LEVELS: Readonly<Record<Role, 1 | 2 | 3>> = {
  agent_l1: 1,
  developer: 1,
  agent_l2: 2,
  auditor: 2,
  mlro: 3,
  compliance_officer: 3,
  compliance_director: 3,
  dsi_admin: 3,
  data_protection_officer: 3,
  admin: 3,
};

/** Roles whose word must be a person's own: no API key has them. */
const PERSONS_ONLY: ReadonlySet<Role> = new Set(['data_protection_officer']);
/** Roles that an API key may have. */
export const KEY_ROLES: readonly Role[] = ROLES.filter((role) => !PERSONS_ONLY.has(role));

/**
 * The role that a name stands for, by its own name or one of its aliases; undefined for any other.
 */
export function roleOf(name: string): Role | undefined {
  return ROLE_NAMES.get(name);
}

/** Known roles among the names, once each, in the order of ROLES. */
export function rolesOf(names: readonly string[]): readonly Role[] {
  const found = new Set(names.map(roleOf));
  return ROLES.filter((role) => found.has(role));
}

/**
 * Like `rolesOf`, for roles that an administrator types: throws `setting-invalid` for an unknown
 * name and for an empty list.
 */
export function requireRoles(names: readonly string[]): readonly Role[] {
  const unknown = names.filter((name) => roleOf(name) === undefined);
  if (unknown.length > 0 || names.length === 0) {
    throw new DomainError('setting-invalid', {
      detail: `roles: expected some of ${ROLES.join(', ')}, got ${unknown.length} others`,
    });
  }
  return rolesOf(names);
}

/** Like `requireRoles`, for an API key: throws `setting-invalid` also for a role of persons. */
export function requireKeyRoles(names: readonly string[]): readonly Role[] {
  const roles = requireRoles(names);
  const refused = roles.filter((role) => PERSONS_ONLY.has(role));
  if (refused.length === 0) return roles;
  throw new DomainError('setting-invalid', {
    detail: `roles: ${refused.join(', ')} is for persons alone, not for an API key`,
  });
}

/**
 * Requires a second factor of a person whose roles reach level 2, for every call. Otherwise a
 * handler that looks at roles could see one that is not proven. Keys need none. Throws
 * `mfa-required`.
 */
export function requireSecondFactor(principal: Principal): void {
  if (principal.kind === 'api-key' || principal.mfa) return;
  if (principal.roles.some((role) => ROLE_LEVELS[role] >= 2)) throw new DomainError('mfa-required');
}
