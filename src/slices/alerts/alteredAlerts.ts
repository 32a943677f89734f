/**
 * Alerts that were found not to be what was signed: told once in the tenant's chain, with whoever
 * has to know, and shown beside each list until they are mended. A list cannot show them by itself:
 * which filter a row passes is said by the row.
 */
import {
  type AuditStore,
  type CommitEvidence,
  type EntryContext,
  entry,
  type KeyRing,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';

/** Alerts that one entry names; beyond, their number says that there are more. */
export const ALTERED_TOLD_MAX = 100;

const ACTION = 'aml.alert.altered';
const TARGET = 'alerts:altered';

/** What the chain is read with. */
export interface AlteredPorts {
  readonly audit: Pick<AuditStore, 'lastEntries'>;
  readonly keyRing: KeyRing;
}

/** Ids of those that stand altered, as the last entry tells. Throws `evidence-altered`. */
export async function toldAltered(
  { audit, keyRing }: AlteredPorts,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const chainId = chainOf(tenantId);
  const [last] = await audit.lastEntries({ chainId, targets: [TARGET] });
  if (last === undefined) return [];
  const told = verifiedEvent(last, { chainId, keyRing });
  if (told?.action !== ACTION || told.target !== TARGET) {
    const detail = `event ${last.seq} of ${chainId}: what it says of altered alerts was not signed`;
    throw new DomainError('evidence-altered', { detail });
  }
  return told.altered as readonly string[];
}

/** Tells which stand altered now, where that is another set than was told; answers whether. */
export async function tellAltered(
  ports: EntryContext & { readonly commit: CommitEvidence },
  tenantId: TenantId,
  of: { readonly altered: readonly string[]; readonly told: readonly string[] },
): Promise<boolean> {
  const { altered, told } = of;
  const named = altered.slice(0, ALTERED_TOLD_MAX).toSorted();
  if (named.join() === told.join()) return false;
  const isOver = altered.length === 0;
  await ports.commit(chainOf(tenantId), {
    bus: [
      {
        partition: tenantId,
        payload: { tenantId },
        topic: isOver ? 'aml.alerts.restored' : 'aml.alerts.altered',
      },
    ],
    changes: [],
    events: [
      entry(ports, {
        action: ACTION,
        actor: 'system:alerts',
        members: { altered: named, altered_total: altered.length },
        severity: isOver ? 'NOTICE' : 'ALERT',
        target: TARGET,
      }),
    ],
  });
  return true;
}
