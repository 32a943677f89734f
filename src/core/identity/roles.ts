/**
 * Names, levels and the check of roles (decisions 1.9). Deny by default: nothing is allowed that an
 * operation's list of roles does not name.
 */
import { DomainError } from '#core/kernel';
import { type Principal, ROLES, type Role } from './ports.ts';

/** What identity providers and interface.md call them, next to the names of the closed list. */
const ROLE_NAMES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...ROLES.map((role) => [role, role] as const),
  ['agent', 'agent_l1'],
  ['supervisor', 'agent_l2'],
  ['compliance', 'compliance_officer'],
  ['dsi', 'dsi_admin'],
  ['audit', 'auditor'],
  ['administrator', 'admin'],
]);

/** Who may do what, in sets that a slice's operations name; each is published as `x-roles`. */
export type RoleSets = Readonly<Record<string, readonly Role[]>>;

/** A person needs a second factor for level 2 and above (interface.md 5, rule 3). */
export const ROLE_LEVELS: Readonly<Record<Role, 1 | 2 | 3>> = {
  agent_l1: 1,
  developer: 1,
  agent_l2: 2,
  auditor: 2,
  mlro: 3,
  compliance_officer: 3,
  compliance_director: 3,
  dsi_admin: 3,
  admin: 3,
};

export function roleOf(name: string): Role | undefined {
  return ROLE_NAMES.get(name);
}

/** Known roles among the names, once each, in the order of ROLES. */
export function rolesOf(names: readonly string[]): readonly Role[] {
  const found = new Set(names.map(roleOf));
  return ROLES.filter((role) => found.has(role));
}

/** As `rolesOf`, but an unknown name is refused: for roles that an administrator types. */
export function requireRoles(names: readonly string[]): readonly Role[] {
  const unknown = names.filter((name) => roleOf(name) === undefined);
  if (unknown.length > 0 || names.length === 0) {
    throw new DomainError('setting-invalid', {
      detail: `roles: expected some of ${ROLES.join(', ')}, got ${unknown.length} others`,
    });
  }
  return rolesOf(names);
}

/**
 * A person whose roles reach level 2 must have used a second factor, whatever the call is: else a
 * handler that looks at roles would see one that is not proven. Keys need none. Throws
 * `mfa-required`.
 */
export function requireSecondFactor(principal: Principal): void {
  if (principal.kind === 'api-key' || principal.mfa) return;
  if (principal.roles.some((role) => ROLE_LEVELS[role] >= 2)) throw new DomainError('mfa-required');
}
