/**
 * Policies are compared with the chain (decision 3.1b): every revision of a record has an entry
 * with its digest. A policy that was changed, put back or removed past the service is refused by
 * name before anything is decided by it.
 */
import {
  EntryPlaces,
  entryPages,
  type JsonRecord,
  lookSettled,
  type SealedEvent,
  signedEntry,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, everyRecord, type TenantId } from '#core/kernel';
import { auditActions } from './auditActions.ts';
import { recordDigest } from './policyRecord.ts';
import type { PolicyReadPorts } from './ports.ts';
import { type PolicyRecord, policyTable } from './tables.ts';

/** Tenants whose publications a process keeps the places of. */
const CHAINS_MAX = 10_000;
const PUBLISHED = 'SANCTIONS_POLICY_PUBLISHED';
const IN_FORCE = 'in force';
const ACTIONS = Object.keys(auditActions);

interface Held {
  readonly digest: string;
  readonly version: number;
}

const heldIn = (members: Readonly<Record<string, unknown>>): readonly Held[] =>
  (members.policies ?? []) as readonly Held[];

/** The digest that an entry gives this version; undefined where it is about others. */
const digestIn = (members: JsonRecord, { policyVersion }: Pick<PolicyRecord, 'policyVersion'>) =>
  heldIn(members).find(({ version }) => version === policyVersion)?.digest;

/** Throws `state-altered`, naming the policy, where a refusal stays. */
async function requireSigned<Found>(
  { audit }: Pick<PolicyReadPorts, 'audit'>,
  tenantId: TenantId,
  look: () => Promise<{ readonly found: Found; readonly refusal: string | undefined }>,
): Promise<Found> {
  const chainId = chainOf(tenantId);
  const { found, refusal } = await lookSettled(audit, async () => ({ ...(await look()), chainId }));
  if (refusal === undefined) return found;
  throw new DomainError('state-altered', { detail: `policy of ${tenantId}: ${refusal}` });
}

/** The policy in force, as the last publication of the tenant's chain made it. */
export class SignedInForce {
  readonly #ports: PolicyReadPorts;
  readonly #chains = new Map<TenantId, EntryPlaces>();
  /** Digest by tenant, of what the last publication says. */
  readonly #good = new Map<TenantId, string>();

  constructor(ports: PolicyReadPorts) {
    this.#ports = ports;
  }

  /**
   * The record in force; undefined where none was ever published. Throws `state-altered`.
   */
  read(
    tenantId: TenantId,
    find: () => Promise<PolicyRecord | undefined>,
  ): Promise<PolicyRecord | undefined> {
    return requireSigned(this.#ports, tenantId, async () => {
      const found = await find();
      return { found, refusal: await this.#refusal(tenantId, found) };
    });
  }

  async #refusal(
    tenantId: TenantId,
    record: PolicyRecord | undefined,
  ): Promise<string | undefined> {
    const places = this.#places(tenantId);
    await places.readOn();
    const seq = places.of(IN_FORCE).at(-1);
    if (record === undefined) {
      return seq === undefined ? undefined : `the one that seq ${seq} published is gone`;
    }
    const named = `version ${record.policyVersion}`;
    if (seq === undefined) return `${named}: no entry tells of its publication`;
    const digest = recordDigest(record);
    if (this.#good.get(tenantId) === digest) return undefined;
    const entry = await signedEntry(this.#ports, { chainId: chainOf(tenantId), seq });
    if (entry === undefined) return `the entry of its publication, seq ${seq}, is altered`;
    if (digestIn(entry, record) !== digest) {
      return `${named}: it is not what the publication of seq ${seq} put in force`;
    }
    this.#good.set(tenantId, digest);
    return undefined;
  }

  #places(tenantId: TenantId): EntryPlaces {
    const known = this.#chains.get(tenantId);
    if (known !== undefined) return known;
    const places = new EntryPlaces({
      actions: [PUBLISHED],
      audit: this.#ports.audit,
      chainId: chainOf(tenantId),
      keysOf: () => [IN_FORCE],
      onFound: () => this.#good.delete(tenantId),
    });
    this.#chains.set(tenantId, places);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > CHAINS_MAX && oldest !== undefined) {
      this.#chains.delete(oldest);
      this.#good.delete(oldest);
    }
    return places;
  }
}

/** Looks at a record that others change at the same time; each begins anew after a change. */
const LOOKS_MAX = 50;

/**
 * The record of one version, as its last entry made it, whatever its state. For changes, which are
 * rare: it reads all entries of the tenant's policies. Throws `state-altered`.
 */
export const signedPolicy = (
  ports: PolicyReadPorts,
  record: PolicyRecord,
): Promise<PolicyRecord> => {
  const { policyVersion, tenantId } = record;
  const chainId = chainOf(tenantId);
  const { audit } = ports;
  const places = new EntryPlaces({ actions: ACTIONS, audit, chainId, keysOf: versionsIn });
  return requireSigned(ports, tenantId, async () => {
    const { found, seq } = await lookStill(ports, places, record);
    const told = seq === undefined ? undefined : await signedEntry(ports, { chainId, seq });
    const isSigned = told !== undefined && digestIn(told, found) === recordDigest(found);
    const refusal = `version ${policyVersion}: it is not what its last entry made it`;
    return { found, refusal: isSigned ? undefined : refusal };
  });
};

/** The record with the place of its last entry, between which nobody has changed it. */
async function lookStill(
  { tables }: PolicyReadPorts,
  places: EntryPlaces,
  record: PolicyRecord,
): Promise<{ readonly found: PolicyRecord; readonly seq: number | undefined }> {
  const { policyVersion, tenantId } = record;
  const lastSeq = async (): Promise<number | undefined> => {
    await places.readOn();
    return places.of(String(policyVersion)).at(-1);
  };
  let seq = await lastSeq();
  for (let looks = 1; ; looks += 1) {
    const found = (await tables.find(policyTable, { policyVersion, tenantId })) ?? record;
    const after = await lastSeq();
    if (after === seq || looks === LOOKS_MAX) return { found, seq: after };
    seq = after;
  }
}

const versionsIn = (event: SealedEvent): readonly string[] =>
  heldIn(storedMembers(event)).map(({ version }) => String(version));

/** What is wrong with the policies of a tenant, in words; how many there are. */
export async function checkPolicies(
  { audit, keyRing, tables }: PolicyReadPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const told = new Map<number, { readonly digest: string; readonly seq: number }>();
  const refusals: string[] = [];
  for (const action of ACTIONS) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const entry = verifiedEvent(event, { chainId, keyRing });
        if (entry === undefined) refusals.push(`entry seq ${event.seq} is not what was signed`);
        for (const { digest, version } of heldIn(entry ?? {})) {
          const { seq = 0 } = told.get(version) ?? {};
          if (event.seq > seq) told.set(version, { digest, seq: event.seq });
        }
      }
    }
  }
  let count = 0;
  for await (const record of everyRecord(tables, policyTable, {
    equal: { tenantId },
    index: 'key',
  })) {
    const last = told.get(record.policyVersion);
    told.delete(record.policyVersion);
    if (last?.digest !== recordDigest(record)) {
      refusals.push(`version ${record.policyVersion}: it is not what its last entry made it`);
    }
    count += 1;
  }
  const gone = [...told.keys()].map((version) => `version ${version}: its record is gone`);
  return { count, refusals: [...refusals, ...gone] };
}
