/** The exclusions of a tenant as screenings take them: as they are now, or of a pinned set. */
import { createFreshCache } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Exclusion, Exclusions, ExclusionsInForce } from '#slices/screening';
import { subjectKeyName } from './addExclusion.ts';
import { heldIn, heldNow, lastSet, setDigest } from './exclusionSets.ts';
import type { ExclusionPorts, ExclusionReads } from './ports.ts';
import { type ExclusionRecord, type ExclusionSet, exclusionSetTable } from './tables.ts';

/** A change is seen by every process within two seconds (decisions 7.2). */
const AGE_MS_MAX = 1_000;
const TENANTS_KEPT_MAX = 10_000;

/** What is read, and who is told of rows that nobody signed. */
export interface InForcePorts extends ExclusionReads {
  readonly clock: Clock;
  readonly dataKeys: Pick<ExclusionPorts['dataKeys'], 'find'>;
  readonly onRefused: (tenantId: TenantId, exclusionIds: readonly string[]) => void;
}

interface Known {
  readonly set: ExclusionSet;
  readonly exclusions: Exclusions;
}

/** One for a process. */
export function exclusionsInForce(ports: InForcePorts): ExclusionsInForce {
  const kept = new Map<string, Known>();
  const cache = createFreshCache<Exclusions | undefined>({
    ageMsMax: AGE_MS_MAX,
    clock: ports.clock,
    entriesMax: TENANTS_KEPT_MAX,
    async load(tenant) {
      const tenantId = tenant as TenantId;
      const set = await lastSet(ports.tables, tenantId);
      if (set === undefined) return undefined;
      const known = kept.get(tenantId);
      // The rows may have been written past the service; the set that was read was as signed.
      if (known?.set.digest === set.digest && known.set.setNo === set.setNo) {
        return known.exclusions;
      }
      const exclusions = await readNow(ports, tenantId);
      kept.delete(tenantId);
      kept.set(tenantId, { exclusions, set });
      const [oldest] = kept.keys();
      if (kept.size > TENANTS_KEPT_MAX && oldest !== undefined) kept.delete(oldest);
      return exclusions;
    },
  });
  return async ({ digest, tenantId }) =>
    digest === undefined ? cache.get(tenantId) : readPinned(ports, tenantId, digest);
}

async function readNow(ports: InForcePorts, tenantId: TenantId): Promise<Exclusions> {
  let held = await heldNow(ports, tenantId);
  // A record that was changed between the two reads looks as if nobody had signed it.
  if (held.refused.length > 0) held = await heldNow(ports, tenantId);
  if (held.refused.length > 0) ports.onRefused(tenantId, held.refused);
  const { checked } = await ports.signed.of(tenantId);
  return asExclusions(ports, tenantId, { checked, members: held.members });
}

/** Undefined where no set of this digest is, or its exclusions are not what was signed. */
async function readPinned(
  ports: InForcePorts,
  tenantId: TenantId,
  digest: string,
): Promise<Exclusions | undefined> {
  const ask = { equal: { digest, tenantId }, index: 'byDigest', limit: 1 };
  const [set] = (await ports.tables.page(exclusionSetTable, ask)).records;
  if (set === undefined) return undefined;
  const { members, refused } = await heldIn(ports, set);
  if (refused.length > 0) ports.onRefused(tenantId, refused);
  const { checked } = set;
  return setDigest(members, checked) === digest
    ? asExclusions(ports, tenantId, { checked, members })
    : undefined;
}

async function asExclusions(
  ports: InForcePorts,
  tenantId: TenantId,
  { checked, members }: Pick<ExclusionSet, 'checked'> & { members: readonly ExclusionRecord[] },
): Promise<Exclusions> {
  const key = await ports.dataKeys.find(subjectKeyName(tenantId));
  const bySubject = new Map<string, Exclusion[]>();
  // Without its key a tenant's subjects are nobody: nothing is suppressed.
  for (const record of key === undefined ? [] : members) {
    const { exclusionId, expiresAt, ftmId, source, subjectDigest, subjectKey } = record;
    const known = bySubject.get(subjectKey) ?? [];
    known.push({ exclusionId, expiresAt, ftmId, source, subjectDigest });
    bySubject.set(subjectKey, known);
  }
  return {
    bySubject,
    checked: new Map(Object.entries(checked)),
    digest: setDigest(members, checked),
    key: key?.secret.toString('base64') ?? '',
  };
}
