/**
 * Alerts are compared with the chain (decision 3.1b): each revision has an entry with its digest.
 * An alert that was changed past the service is refused before anybody works on it. `doctor` and
 * `audit verify --state` compare all of them with their last entries, and so find those that were
 * put back as they once were, invented or removed, too.
 */
import {
  type AuditStore,
  entryPages,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  seqSince,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { alertDigest, targetOf } from './alert.ts';
import { auditActions } from './auditActions.ts';
import { type Alert, alertTable } from './tables.ts';

/** What the chain is read with. */
export interface SignedAlertPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** The digest that an entry gives this alert; undefined where it is about others. */
function digestIn(entry: JsonRecord, alert: Pick<Alert, 'alertId'>): string | undefined {
  if (entry.target === targetOf(alert)) return entry.alert_digest as string | undefined;
  const raised = (entry.alerts ?? []) as readonly Raised[];
  return raised.find(({ alert_id }) => alert_id === alert.alertId)?.alert_digest;
}

interface Raised {
  readonly alert_id: string;
  readonly alert_digest: string;
}

/** Whether an entry of its action, signed, has the digest of this alert. */
export async function isAsSigned(
  { audit, keyRing }: SignedAlertPorts,
  alert: Alert,
): Promise<boolean> {
  const chainId = chainOf(alert.tenantId);
  const { action } = alert;
  const digest = alertDigest(alert);
  const near = await seqSince(audit, chainId, alert.updatedAt);
  for (const range of [{ fromSeq: near }, { fromSeq: 1, toSeq: near - 1 }]) {
    for await (const page of entryPages(audit, { action, chainId, ...range })) {
      const found = page.find((event) => digestIn(storedMembers(event), alert) === digest);
      if (found === undefined) continue;
      const entry = verifiedEvent(found, { chainId, keyRing });
      return entry !== undefined && digestIn(entry, alert) === digest;
    }
  }
  return false;
}

/**
 * What is wrong with the alerts of a tenant, in words; how many there are. It keeps some hundred
 * bytes for each alert that was ever raised.
 */
export async function checkAlerts(
  ports: SignedAlertPorts & { readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const told = await lastDigests(ports, tenantId);
  const refusals: string[] = [...told.bad];
  let count = 0;
  const records = everyRecord(ports.tables, alertTable, { equal: { tenantId }, index: 'newest' });
  for await (const alert of records) {
    const last = told.digests.get(alert.alertId);
    told.digests.delete(alert.alertId);
    if (last !== alertDigest(alert)) {
      refusals.push(`alert ${alert.alertId}: it is not what its last entry made it`);
    }
    count += 1;
  }
  const gone = [...told.digests.keys()].map((id) => `alert ${id}: its record is gone`);
  return { count, refusals: [...refusals, ...gone] };
}

/** The digest of each alert by its last entry; entries that are not signed are told. */
async function lastDigests(
  { audit, keyRing }: SignedAlertPorts,
  tenantId: TenantId,
): Promise<{ readonly digests: Map<string, string>; readonly bad: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const found: { readonly seq: number; readonly id: string; readonly digest: string }[] = [];
  const bad: string[] = [];
  for (const action of Object.keys(auditActions)) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const entry = verifiedEvent(event, { chainId, keyRing });
        if (entry === undefined) bad.push(`entry seq ${event.seq}: it is not what was signed`);
        else found.push(...digestsOf(entry, event));
      }
    }
  }
  found.sort((one, other) => one.seq - other.seq);
  return { bad, digests: new Map(found.map(({ digest, id }) => [id, digest])) };
}

function digestsOf(entry: JsonRecord, { seq }: Pick<SealedEvent, 'seq'>) {
  const raised = (entry.alerts ?? []) as readonly Raised[];
  const one = /^alert:(.+)$/.exec(String(entry.target))?.[1];
  const changed = { alert_digest: String(entry.alert_digest), alert_id: one ?? '' };
  return [...raised, ...(one === undefined ? [] : [changed])].map((told) => ({
    digest: told.alert_digest,
    id: told.alert_id,
    seq,
  }));
}
