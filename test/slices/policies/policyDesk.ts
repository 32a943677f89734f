/** Policies of made-up tenants over a real store and the real evidence, and people who sign. */
import { createAuditLog, type JsonRecord, newKeyRing, verifiedEvent } from '#core/audit';
import {
  approvalMessage,
  type GivenSignature,
  type Person,
  type Principal,
  type Role,
  SettingsTable,
  signedAuthorOf,
  type Tenant,
  tenantTable,
} from '#core/identity';
import { chainOf, type TableChange, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  type BrokenChain,
  createPoliciesInForce,
  findPolicy,
  firstPolicy,
  type PolicyAsk,
  type PolicyContent,
  type PolicyDeskPorts,
  type PolicyRecord,
  publicationSubject,
  saveDraft,
} from '#slices/policies';
import { screeningSettings } from '#slices/screening';
import type { MakeHarness } from '../../storage/contract/harness.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
const ISSUER = 'https://issuer.test';

/** The groups that policies are made of. */
export const SETTINGS = new SettingsTable([screeningSettings]);

const keyOf = (seed: number): Signer => signerFromSeed(new Uint8Array(32).fill(seed));

/** What signs the chains. */
export const SIGNER = keyOf(99);

const SEEDS = { aude: 5, carl: 1, cora: 2, dora: 3, dina: 4, omar: 6, zoe: 7 } as const;
export type Name = keyof typeof SEEDS;
const ROLES: Readonly<Record<Name, readonly Role[]>> = {
  aude: ['auditor'],
  carl: ['compliance_officer'],
  cora: ['compliance_director'],
  dina: ['dsi_admin'],
  dora: ['dsi_admin'],
  omar: ['agent_l2'],
  zoe: ['compliance_officer', 'dsi_admin'],
};

function personOf(name: Name, validFrom: EpochMs): Person {
  const publicKey = Buffer.from(keyOf(SEEDS[name]).publicKey.raw).toString('base64');
  return {
    accounts: [{ issuer: ISSUER, subject: name }],
    id: `0190dddd-0000-7000-8000-00000000000${SEEDS[name]}`,
    keys: [{ keyId: `key-${name}`, publicKey, validFrom }],
    name,
    roles: ROLES[name],
    tenantId: TENANT,
    version: 1,
  };
}

/** A content that keeps every rule, with this changed. */
export function changed(
  content: PolicyContent,
  change: { readonly [Key in keyof PolicyContent]?: Partial<PolicyContent[Key]> },
): PolicyContent {
  const members = Object.entries(change).map(([name, value]) => {
    const before = content[name as keyof PolicyContent];
    const isObject = typeof value === 'object' && value !== null;
    return [name, isObject ? { ...(before as object), ...value } : value];
  });
  return { ...content, ...Object.fromEntries(members) };
}

export type PolicyDesk = Awaited<ReturnType<typeof openPolicyDesk>>;

/** Two tenants with their first policies. */
export async function openPolicyDesk(makeHarness: MakeHarness) {
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = SIGNER;
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const persons = Object.fromEntries(
    (Object.keys(SEEDS) as Name[]).map((name) => [name, personOf(name, clock.now())]),
  ) as Record<Name, Person>;
  let broken: BrokenChain | undefined;
  let mayChangeLists = true;
  const tenantOf = (id: TenantId, kind: Tenant['kind'] = 'live'): Tenant => ({
    createdAt: clock.now(),
    id,
    kind,
    name: 'Test',
    settings: SETTINGS.ofNewTenant(),
    version: 1,
  });
  const ports: PolicyDeskPorts = {
    audit: storage.audit,
    clock,
    commit: audit.commit,
    editingLock: async () => broken,
    keyRing: newKeyRing(signer.publicKey),
    listPersons: async (tenantId) => (tenantId === TENANT ? Object.values(persons) : []),
    mayChangeLists: async () => mayChangeLists,
    random: systemRandom,
    tables: storage.tables,
  };
  const makeTenant = async (tenant: Tenant): Promise<void> => {
    const first = firstPolicy({ clock, random: systemRandom, settings: SETTINGS }, tenant);
    await audit.commit(chainOf(tenant.id), {
      bus: [],
      changes: [tenantTable.insert(tenant), ...first.changes],
      events: first.events,
    });
  };
  for (const id of [TENANT, OTHER]) await makeTenant(tenantOf(id));
  const policy = (policyVersion: number, tenantId = TENANT): Promise<PolicyRecord> =>
    findPolicy(ports, { policyVersion, tenantId });
  const as = (name: Name, tenantId = TENANT): PolicyAsk => ({
    principal: callerOf(persons[name], tenantId),
    tenantId,
  });
  return {
    as,
    /** A next version that differs, saved by this person. */
    async draft(name: Name, pep = 0.87, justification = 'Fewer alerts'): Promise<PolicyRecord> {
      const { content } = await policy(1);
      const wanted = changed(content, { thresholds: { pep } });
      return saveDraft(ports, as(name), { content: wanted, justification });
    },
    audit: storage.audit,
    clock,
    /** As they were signed. */
    entries: async (action: string, tenantId = TENANT): Promise<readonly JsonRecord[]> => {
      const chainId = chainOf(tenantId);
      const ask = { action, chainId, fromSeq: 1, limit: 1_000 };
      const events = await storage.audit.readEvents(ask);
      const { keyRing } = ports;
      return events.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
    },
    /** Written past the service. */
    alter: harness.alter,
    inForce: () =>
      createPoliciesInForce({
        ...ports,
        clock,
        tenants: { settings: async () => SETTINGS.resolve(SETTINGS.ofNewTenant()) },
      }),
    break: (of: BrokenChain | undefined) => {
      broken = of;
    },
    lendLists: (may: boolean) => {
      mayChangeLists = may;
    },
    makeTenant,
    persons,
    policy,
    ports,
    /** A change that some entry tells of, which says nothing of policies. */
    forge: (...changes: readonly TableChange[]) =>
      audit.commit(chainOf(TENANT), {
        bus: [],
        changes,
        events: [
          {
            eventId: crypto.randomUUID() as never,
            members: { action: 'test' },
            occurredAt: clock.now(),
            open: {},
            type: 'entry',
          },
        ],
      }),
    /** What this person signs of a draft now. */
    sign(
      record: PolicyRecord,
      name: Name,
      given: { readonly at?: number; readonly content_hash?: string } = {},
    ): GivenSignature {
      const { field, newValue, resource } = publicationSubject({
        ...record,
        contentHash: given.content_hash ?? record.contentHash,
      });
      const timestamp = toTimestamp((given.at ?? clock.now()) as EpochMs);
      const { id } = persons[name];
      const message = approvalMessage(
        { field, newValue, resource },
        { approver: id, author: signedAuthorOf(record), timestamp },
      );
      const signature = Buffer.from(keyOf(SEEDS[name]).sign(message)).toString('base64');
      return { signature, signer: id, timestamp };
    },
    /** The store's clock goes on meanwhile: a head that was offered and not taken is given on. */
    async whileTimePasses<Value>(work: () => Promise<Value>): Promise<Value> {
      const passing = setInterval(() => clock.advance(10), 10);
      try {
        return await work();
      } finally {
        clearInterval(passing);
      }
    },
    /** Lets another process have the heads. */
    closeLog: () => audit.close(),
    storage,
    tenantOf,
    async close(): Promise<void> {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
  };
}

function callerOf(person: Person, tenantId: TenantId): Principal {
  return {
    environment: 'live',
    id: `${ISSUER}|${person.name}`,
    kind: 'user',
    mfa: true,
    roles: person.roles,
    tenantId,
  };
}

export const machine = (tenantId = TENANT): PolicyAsk => ({
  principal: {
    environment: 'live',
    id: 'key-1',
    kind: 'api-key',
    mfa: false,
    roles: ['compliance_officer', 'dsi_admin'],
    tenantId,
  },
  tenantId,
});
