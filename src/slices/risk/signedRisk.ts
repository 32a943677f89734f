/**
 * Policies and clients are compared with the chain (decision 3.1b): each revision of a policy has
 * an entry with its digest, and so has each evaluation of a client. What was changed, put back or
 * removed past the service is refused by name before anything is decided by it.
 */
import {
  type AuditStore,
  entryPages,
  type KeyRing,
  lookSettled,
  type SettlingAudit,
  SignedRecords,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { type RiskClient, type RiskPolicy, riskClientTable, riskPolicyTable } from './tables.ts';

const IN_FORCE = 'in force';
const POLICY_ACTIONS = [
  'risk.policy.drafted',
  'risk.policy.shadowed',
  'risk.policy.unshadowed',
  'risk.policy.submitted',
  'risk.policy.reminded',
  'risk.policy.approved',
  'risk.policy.rejected',
  'risk.policy.withdrawn',
  'risk.policy.published',
  'risk.policy.effective',
  'risk.backtest.ended',
] as const;
/** Entries that tell of a client. */
export const CLIENT_ACTIONS = [
  'risk.evaluated',
  'risk.client.overridden',
  'risk.client.override_ended',
  'risk.client.erased',
] as const;

/** SHA-256 hex of all of a policy’s record. */
export const policyDigest = (record: RiskPolicy): string =>
  sha256Hex(`risk-policy-v1\0${canonicalJson(record as never)}`);
/** SHA-256 hex of all of a client’s record. */
export const clientDigest = (record: RiskClient): string =>
  sha256Hex(`risk-client-v1\0${canonicalJson(record as never)}`);

/** As entries name them. */
export const policyTarget = ({ policyId }: Pick<RiskPolicy, 'policyId'>): string =>
  `risk-policy:${policyId}`;
export const clientTarget = ({ clientId }: Pick<RiskClient, 'clientId'>): string =>
  `risk-client:${clientId}`;

/** The member of an entry that holds policies to it. */
export const heldPolicies = (...records: readonly RiskPolicy[]) => ({
  policies: records.map((record) => ({
    digest: policyDigest(record),
    policy_id: record.policyId,
    ...(record.standing === 'in_force' && { in_force: true }),
  })),
});

interface Held {
  readonly digest: string;
  readonly policy_id: string;
  readonly in_force?: true;
}
const heldIn = (members: Readonly<Record<string, unknown>>): readonly Held[] =>
  (members.policies ?? []) as readonly Held[];

/** One for a process. Each rejects with `state-altered`. */
export interface SignedRisk {
  /** Undefined is an answer. */
  findPolicy(key: Pick<RiskPolicy, 'policyId' | 'tenantId'>): Promise<RiskPolicy | undefined>;
  /** Undefined: the tenant has published none. */
  inForce(tenantId: TenantId): Promise<RiskPolicy | undefined>;
  /** Undefined: nobody has evaluated them. */
  findClient(key: Pick<RiskClient, 'clientId' | 'tenantId'>): Promise<RiskClient | undefined>;
  /** All of a tenant that are not what was signed, in words. */
  check(tenantId: TenantId): Promise<readonly string[]>;
}

/** What records and the chain are read with. */
export interface SignedRiskPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'lastEntries' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly tables: Pick<Tables, 'find' | 'findUnique' | 'page'>;
}

export function signedRisk(ports: SignedRiskPorts): SignedRisk {
  const { tables } = ports;
  const policies = new SignedRecords(ports, {
    actions: POLICY_ACTIONS,
    digestIn: (entry, key) => {
      const isIt = (one: Held) =>
        key === IN_FORCE ? one.in_force === true : policyTarget(policyOf(one)) === key;
      return heldIn(entry).find(isIt)?.digest;
    },
    keysOf: (entry) =>
      heldIn(entry).flatMap((one) => [
        policyTarget(policyOf(one)),
        ...(one.in_force ? [IN_FORCE] : []),
      ]),
  });
  const policy = (tenantId: TenantId, key: string, read: () => Promise<RiskPolicy | undefined>) =>
    policies.settled(chainOf(tenantId), read, (found) => ({
      digest: found ? policyDigest(found) : null,
      key,
    }));
  const lookAtPolicy = ({ policyId, tenantId }: Pick<RiskPolicy, 'policyId' | 'tenantId'>) =>
    policy(tenantId, policyTarget({ policyId }), () =>
      tables.find(riskPolicyTable, { policyId, tenantId }),
    );
  return {
    findPolicy: async (key) => asSigned(policyTarget(key), await lookAtPolicy(key)),
    inForce: async (tenantId) =>
      asSigned(
        'the risk policy in force',
        await policy(tenantId, IN_FORCE, () =>
          tables.findUnique(riskPolicyTable, 'inForce', { tenantId }),
        ),
      ),
    findClient: async (key) => asSigned(clientTarget(key), await lookAtClient(ports, key)),
    async check(tenantId) {
      const refusals: string[] = [];
      const known = new Set<string>([IN_FORCE]);
      const all = { equal: { tenantId }, index: 'key' } as const;
      for await (const record of everyRecord(tables, riskPolicyTable, all)) {
        known.add(policyTarget(record));
        const { refusal } = await lookAtPolicy(record);
        if (refusal !== undefined) refusals.push(`${policyTarget(record)}: ${refusal}`);
      }
      const gone = await policies.missing(chainOf(tenantId), known);
      refusals.push(...gone.map((name) => `${name}: its record is gone`));
      return [...refusals, ...(await checkClients(ports, tenantId))];
    },
  };
}

const policyOf = ({ policy_id: policyId }: Held) => ({ policyId });

function asSigned<Found>(
  name: string,
  { found, refusal }: { readonly found: Found; readonly refusal: string | undefined },
): Found {
  if (refusal === undefined) return found;
  throw new DomainError('state-altered', { detail: `${name}: ${refusal}` });
}

/** The store finds the last entry by its target: a look costs the same however many there are. */
function lookAtClient(
  { audit, keyRing, tables }: SignedRiskPorts,
  { clientId, tenantId }: Pick<RiskClient, 'clientId' | 'tenantId'>,
) {
  const chainId = chainOf(tenantId);
  const target = clientTarget({ clientId });
  return lookSettled(audit, async () => {
    const found = await tables.find(riskClientTable, { clientId, tenantId });
    const [event] = await audit.lastEntries({ chainId, targets: [target] });
    if (event === undefined) {
      return { chainId, found, refusal: found && 'no entry of its chain tells of it' };
    }
    const told = verifiedEvent(event, { chainId, keyRing });
    if (told === undefined) {
      return {
        chainId,
        found,
        refusal: `its last entry, seq ${event.seq}, is not what was signed`,
      };
    }
    if (found === undefined) {
      const isErased = told.record_digest === null;
      const refusal = isErased ? undefined : `its record is gone: seq ${event.seq} tells of it`;
      return { chainId, found, refusal };
    }
    const isIt = told.record_digest === clientDigest(found);
    return {
      chainId,
      found,
      refusal: isIt ? undefined : `it is not what the entry seq ${event.seq} made it`,
    };
  });
}

async function checkClients(ports: SignedRiskPorts, tenantId: TenantId): Promise<string[]> {
  const { audit, tables } = ports;
  const refusals: string[] = [];
  const known = new Set<string>();
  const all = { equal: { tenantId }, index: 'key' } as const;
  for await (const record of everyRecord(tables, riskClientTable, all)) {
    const target = clientTarget(record);
    known.add(target);
    const { refusal } = await lookAtClient(ports, record);
    if (refusal !== undefined) refusals.push(`${target}: ${refusal}`);
  }
  const chainId = chainOf(tenantId);
  for (const action of CLIENT_ACTIONS) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const target = String(storedMembers(event).target);
        if (known.has(target)) continue;
        known.add(target);
        const clientId = target.slice(clientTarget({ clientId: '' }).length);
        const { refusal } = await lookAtClient(ports, { clientId, tenantId });
        if (refusal !== undefined) refusals.push(`${target}: ${refusal}`);
      }
    }
  }
  return refusals;
}
