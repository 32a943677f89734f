/** The closed list of roles, its other names, and who needs a second factor. */
import { describe, expect, test } from 'vitest';
import {
  KEY_ROLES,
  type Principal,
  ROLE_LEVELS,
  ROLES,
  requireSecondFactor,
  roleOf,
  rolesOf,
} from '#core/identity';
import { LIVE_TENANT } from './memory.ts';

describe('roles', () => {
  test('the closed list and the names accepted for it', () => {
    for (const role of ROLES) expect(roleOf(role)).toBe(role);
    expect(
      ['agent', 'supervisor', 'compliance', 'dsi', 'audit', 'administrator'].map(roleOf),
    ).toEqual(['agent_l1', 'agent_l2', 'compliance_officer', 'dsi_admin', 'auditor', 'admin']);
    expect(['', 'root', 'ADMIN', 'toString', '__proto__'].map(roleOf)).toEqual(
      new Array(5).fill(undefined),
    );
    expect(rolesOf(['dsi', 'agent', 'agent_l1'])).toEqual(['agent_l1', 'dsi_admin']);
  });

  test('the data protection officer is of the third level, and no key is one', () => {
    expect(ROLE_LEVELS.data_protection_officer).toBe(3);
    expect(ROLES.filter((role) => !KEY_ROLES.includes(role))).toEqual(['data_protection_officer']);
  });

  test.each(ROLES)('a person with the role %s: second factor from level 2 on', (role) => {
    const principal: Principal = {
      environment: 'live',
      id: 'issuer|user',
      kind: 'user',
      mfa: false,
      roles: ['agent_l1', role],
      tenantId: LIVE_TENANT.id,
    };
    const check = (given: Partial<Principal>) => () =>
      requireSecondFactor({ ...principal, ...given });
    if (role === 'agent_l1' || role === 'developer') expect(check({})).not.toThrow();
    else expect(check({})).toThrow('mfa-required');
    expect(check({ mfa: true })).not.toThrow();
    expect(check({ kind: 'api-key' })).not.toThrow();
  });
});
