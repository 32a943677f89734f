/** Dual control cannot be replayed, self-approved or moved to another change. */
import { describe, expect, test } from 'vitest';
import {
  type ApprovalHeaders,
  approvalMessage,
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  type Principal,
  RISK_ROLE_PAIR,
  type Role,
  type RolePair,
  SANCTIONS_ROLE_PAIR,
  verifyDualControl,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { LIVE_TENANT, memoryIdentity, START } from './memory.ts';

const ISSUER = 'https://issuer.test';
const SIGNER = signerFromSeed(new Uint8Array(32).fill(7));
const STRANGER = signerFromSeed(new Uint8Array(32).fill(8));

function person(id: string, roles: readonly Role[], accounts: readonly string[]): Person {
  return {
    accounts: accounts.map((subject) => ({ issuer: ISSUER, subject })),
    id,
    keys: [
      {
        keyId: `${id}-key`,
        publicKey: Buffer.from(SIGNER.publicKey.raw).toString('base64'),
        validFrom: (START - 1_000) as EpochMs,
      },
    ],
    name: id,
    roles,
    tenantId: LIVE_TENANT.id,
    version: 1,
  };
}

const AUTHOR = person('person-author', ['dsi_admin'], ['dora']);
const APPROVER = person('person-approver', ['compliance_officer'], ['carl', 'carl-admin']);
const CALLER: Principal = {
  environment: 'live',
  id: `${ISSUER}|dora`,
  kind: 'user',
  mfa: true,
  roles: ['dsi_admin'],
  tenantId: LIVE_TENANT.id,
};
const SUBJECT: DualControlSubject = {
  field: 'cron_full',
  newValue: '0 0 2 ? * SUN',
  resource: 'sanctions_source:OFAC_SDN',
};

interface Attempt {
  readonly headers?: Partial<ApprovalHeaders>;
  readonly signedSubject?: DualControlSubject;
  readonly signedAs?: { readonly author?: string; readonly approver?: string };
  readonly signer?: typeof SIGNER;
  readonly timestamp?: string;
  readonly persons?: readonly Person[];
  readonly principal?: Principal;
  readonly rolePair?: RolePair;
  readonly now?: EpochMs;
}

function attempt(given: Attempt = {}) {
  const timestamp = given.timestamp ?? toTimestamp(START);
  const message = approvalMessage(given.signedSubject ?? SUBJECT, {
    approver: given.signedAs?.approver ?? APPROVER.id,
    author: given.signedAs?.author ?? AUTHOR.id,
    timestamp,
  });
  const signature = Buffer.from((given.signer ?? SIGNER).sign(message)).toString('base64');
  return verifyDualControl({
    headers: { approver: APPROVER.id, author: AUTHOR.id, signature, timestamp, ...given.headers },
    now: given.now ?? START,
    persons: given.persons ?? [AUTHOR, APPROVER],
    principal: given.principal ?? CALLER,
    rolePair: given.rolePair ?? SANCTIONS_ROLE_PAIR,
    subject: SUBJECT,
    tenantId: LIVE_TENANT.id,
  });
}

function codeOf(given: Attempt): string {
  try {
    attempt(given);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'none';
}

const at = (ms: number) => (START + ms) as EpochMs;
const withKeys = (one: Person, change: Partial<Person['keys'][number]>): Person => ({
  ...one,
  keys: one.keys.map((key) => ({ ...key, ...change })),
});

describe('an approval of dual control', () => {
  test('of this change, by another person with the other role, is accepted', () => {
    const approval = attempt();
    expect(approval).toMatchObject({ approver: APPROVER, author: AUTHOR });
    expect(approval.keyId).toBe('person-approver-key');
    expect(approval.consume).toMatchObject({
      op: 'insert',
      record: { expiresAt: START + 300_000, tenantId: LIVE_TENANT.id },
    });
  });

  test('signs the JCS of six members behind its own prefix', () => {
    const bytes = approvalMessage(SUBJECT, { approver: 'b', author: 'a', timestamp: 't' });
    expect(Buffer.from(bytes).toString()).toBe(
      'dual-control-v1\0{"approver":"b","author":"a","field":"cron_full",' +
        '"new_value":"0 0 2 ? * SUN","resource":"sanctions_source:OFAC_SDN","timestamp":"t"}',
    );
  });

  test('may have its roles the other way round', () => {
    const author = { ...AUTHOR, roles: ['compliance_officer'] as const };
    const approver = { ...APPROVER, roles: ['auditor'] as const };
    const principal = { ...CALLER, roles: ['compliance_officer'] as const };
    expect(codeOf({ persons: [author, approver], principal })).toBe('none');
  });

  test.each(['author', 'approver', 'signature', 'timestamp'] as const)(
    'without its header for the %s is 400',
    (name) => {
      for (const value of [undefined, '']) {
        expect(codeOf({ headers: { [name]: value } })).toBe('dual-control-header-missing');
      }
    },
  );

  test.each([
    ['another source', { ...SUBJECT, resource: 'sanctions_source:UN_SC' }],
    ['another field', { ...SUBJECT, field: 'cron_delta' }],
    ['another value', { ...SUBJECT, newValue: '0 0 3 ? * SUN' }],
    ['a value of another type', { ...SUBJECT, newValue: ['0 0 2 ? * SUN'] }],
  ])('for %s is refused', (_name, signedSubject) => {
    expect(codeOf({ signedSubject })).toBe('dual-control-signature-invalid');
  });

  test('for another author, approver or instant is refused', () => {
    const code = 'dual-control-signature-invalid';
    expect(codeOf({ signedAs: { author: 'person-x' } })).toBe(code);
    expect(codeOf({ signedAs: { approver: 'person-x' } })).toBe(code);
    expect(codeOf({ headers: { timestamp: toTimestamp(at(1_000)) } })).toBe(code);
  });

  test.each([
    [-300_000, 'none'],
    [300_000, 'none'],
    [-301_000, 'dual-control-expired'],
    [301_000, 'dual-control-expired'],
  ])('made %d ms from now: %s', (offset, code) => {
    expect(codeOf({ timestamp: toTimestamp(at(offset)) })).toBe(code);
  });

  test.each(['yesterday', '1767323045', '2026-01-02T03:04:05', '2026-01-02T03:04:05+00:00'])(
    'with the instant %j is refused',
    (timestamp) => {
      expect(codeOf({ timestamp })).toBe('dual-control-expired');
    },
  );

  test('by the author is refused, under whichever name', () => {
    const code = 'dual-control-same-person';
    const both = {
      ...AUTHOR,
      accounts: [...AUTHOR.accounts, { issuer: ISSUER, subject: 'second' }],
    };
    const persons = [both, APPROVER];
    const signedAs = { approver: AUTHOR.id };
    for (const approver of [
      AUTHOR.id,
      AUTHOR.id.toUpperCase(),
      `${ISSUER}|dora`,
      `${ISSUER}|second`,
    ]) {
      expect(codeOf({ headers: { approver }, persons, signedAs }), approver).toBe(code);
    }
    const second = { ...CALLER, id: `${ISSUER}|second` };
    expect(codeOf({ headers: { approver: AUTHOR.id }, persons, principal: second, signedAs })).toBe(
      code,
    );
  });

  test('needs both roles of the pair', () => {
    const code = 'dual-control-roles';
    const admin = { ...APPROVER, roles: ['admin', 'mlro'] as const };
    expect(codeOf({ persons: [AUTHOR, admin] })).toBe(code);
    const alike = { ...APPROVER, roles: ['dsi_admin'] as const };
    expect(codeOf({ persons: [AUTHOR, alike] })).toBe(code);
    expect(codeOf({ rolePair: RISK_ROLE_PAIR })).toBe(code);
    // One person with both roles does not replace the other.
    const double = { ...AUTHOR, roles: ['dsi_admin', 'compliance_officer'] as const };
    expect(codeOf({ persons: [double, { ...APPROVER, roles: ['agent_l1'] as const }] })).toBe(code);
  });

  test('takes from the author what token and registration both name', () => {
    const code = 'dual-control-roles';
    expect(codeOf({ principal: { ...CALLER, roles: ['admin'] } })).toBe(code);
    expect(codeOf({ principal: { ...CALLER, roles: [] } })).toBe(code);
    const demoted = { ...AUTHOR, roles: ['agent_l1'] as const };
    expect(codeOf({ persons: [demoted, APPROVER] })).toBe(code);
    // Each has a role of the pair, and no role is named by both.
    const auditor = { ...AUTHOR, roles: ['auditor', 'agent_l1'] as const };
    expect(codeOf({ persons: [auditor, APPROVER] })).toBe(code);
    const both = { ...CALLER, roles: ['agent_l1', 'dsi_admin', 'auditor'] as const };
    expect(attempt({ principal: both }).author.roles).toEqual(['dsi_admin']);
  });

  test('by an unknown approver, key or signature is refused', () => {
    const code = 'dual-control-signature-invalid';
    expect(codeOf({ headers: { approver: 'nobody' } })).toBe(code);
    expect(codeOf({ signer: STRANGER })).toBe(code);
    expect(codeOf({ persons: [AUTHOR, { ...APPROVER, keys: [] }] })).toBe(code);
    for (const signature of ['AAAA', 'no base64!', Buffer.alloc(64).toString('base64')]) {
      expect(codeOf({ headers: { signature } })).toBe(code);
    }
  });

  test('by a key that is revoked, or not yet valid, is refused', () => {
    const code = 'dual-control-signature-invalid';
    const revoked = withKeys(APPROVER, { revokedAt: at(-1) });
    expect(codeOf({ persons: [AUTHOR, revoked] })).toBe(code);
    const early = withKeys(APPROVER, { validFrom: at(1) });
    expect(codeOf({ persons: [AUTHOR, early] })).toBe(code);
  });

  test('is claimed by nobody but the person who calls', () => {
    const code = 'dual-control-signature-invalid';
    const other = person('person-other', ['dsi_admin'], ['otto']);
    const persons = [AUTHOR, APPROVER, other];
    expect(codeOf({ persons, principal: { ...CALLER, id: `${ISSUER}|otto` } })).toBe(code);
    expect(codeOf({ principal: { ...CALLER, id: `${ISSUER}|unregistered` } })).toBe(code);
    // Signing is for people (decisions 1.8).
    expect(codeOf({ principal: { ...CALLER, kind: 'api-key' } })).toBe(code);
  });

  test('counts once: the second use of it is stale', async () => {
    const { commit } = memoryIdentity();
    const use = () =>
      commit('chain' as never, { bus: [], changes: [attempt().consume], events: [] });
    await use();
    await expect(use()).rejects.toThrow('state-conflict');
  });
});

test.each([
  [['dsi_admin'], ['compliance_officer', 'compliance_director']],
  [['compliance_officer'], ['dsi_admin', 'auditor']],
  [
    ['auditor', 'compliance_director'],
    ['dsi_admin', 'auditor', 'compliance_officer', 'compliance_director'],
  ],
  [['agent_l2'], []],
] as const)('beside %s another role of the pair signs', (roles, others) => {
  const found = otherSignerRoles({ roles }, SANCTIONS_ROLE_PAIR);
  expect([...found].sort()).toEqual([...others].sort());
});
