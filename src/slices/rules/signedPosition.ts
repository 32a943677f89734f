/**
 * How far rules have come, and what they have found, compared with the chain: a position that was
 * put back would evaluate again in vain, one that was put on would leave transactions out, and an
 * alert that was taken away would be forgotten.
 */
import { type JsonRecord, type SignedRecordPorts, SignedRecords } from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { storedDigest } from './digests.ts';
import { type RulePosition, ruleAlertTable, type StoredRuleAlert } from './tables.ts';

const POSITION = 'position';

interface ToldAlert {
  readonly alert_id: string;
  readonly digest: string;
}

const alertsIn = ({ alerts = [] }: JsonRecord) => alerts as readonly ToldAlert[];

/** What compares them; one for a process. */
export const signedPositions = (ports: SignedRecordPorts): SignedRecords =>
  new SignedRecords(ports, {
    actions: ['aml.rules.evaluated', 'aml.rules.alerted'],
    digestIn: (entry, key) =>
      key === POSITION
        ? String(entry.position_digest)
        : alertsIn(entry).find(({ alert_id }) => alert_id === key)?.digest,
    keysOf: (entry) => [
      ...(entry.position_digest === undefined ? [] : [POSITION]),
      ...alertsIn(entry).map(({ alert_id }) => alert_id),
    ],
  });

/** SHA-256 hex of a position, as entries name it. */
export const positionDigest = (position: RulePosition): string =>
  sha256Hex(`rule-position-v1\0${canonicalJson(position)}`);

interface Ports {
  readonly signedPositions: SignedRecords;
}

/** Throws `state-altered`. The first one of a tenant is of no entry. */
export async function requirePosition(
  { signedPositions: signed }: Ports,
  position: RulePosition,
): Promise<void> {
  const isFirst = position.version === 1 && position.tseq === 0;
  const digest = isFirst ? null : positionDigest(position);
  const chainId = chainOf(position.tenantId);
  const refusal = await signed.refusal(chainId, { digest, key: POSITION });
  if (refusal === undefined) return;
  const detail = `position of the rules of ${position.tenantId}: ${refusal}`;
  throw new DomainError('state-altered', { detail });
}

/** Throws `state-altered` where an alert is not what its last entry made it. */
async function requireStored(
  { signedPositions: signed }: Ports,
  tenantId: TenantId,
  alerts: readonly { readonly key: string; readonly digest: string }[],
): Promise<void> {
  const chainId = chainOf(tenantId);
  for (const one of alerts) {
    const refusal = await signed.refusal(chainId, one);
    if (refusal === undefined) continue;
    const detail = `alert ${one.key} of a rule of ${tenantId}: ${refusal}`;
    throw new DomainError('state-altered', { detail });
  }
}

/** Alerts by id whose last trigger is not before a time. Throws `state-altered`. */
export async function storedSince(
  ports: Ports & { readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
  since: number,
): Promise<Map<string, StoredRuleAlert>> {
  const found = new Map<string, StoredRuleAlert>();
  const ask = { equal: { tenantId }, from: Math.max(0, since), index: 'byTime' };
  for await (const one of everyRecord(ports.tables, ruleAlertTable, ask)) {
    found.set(one.alertId, one);
  }
  const kept = [...found.values()].map((one) => ({ digest: storedDigest(one), key: one.alertId }));
  await requireStored(ports, tenantId, kept);
  return found;
}

/** The alert as its last entry made it. Throws `evidence-altered`. */
export async function signedAlert(
  { signedPositions, tables }: Ports & { readonly tables: Pick<Tables, 'find'> },
  place: { readonly tenantId: TenantId; readonly alertId: string },
): Promise<StoredRuleAlert | undefined> {
  const { alertId, tenantId } = place;
  const { found, refusal } = await signedPositions.settled(
    chainOf(tenantId),
    () => tables.find(ruleAlertTable, { alertId, tenantId }),
    (stored) => ({
      digest: stored === undefined ? null : storedDigest(stored),
      key: alertId,
    }),
  );
  if (refusal === undefined) return found;
  const detail = `alert ${alertId} of a rule: ${refusal}`;
  throw new DomainError('evidence-altered', { detail });
}

/** What is wrong with position and alerts of a tenant, in words. */
export async function checkEvaluated(
  { signedPositions: signed }: Ports,
  tenantId: TenantId,
  of: {
    readonly position: RulePosition | undefined;
    readonly alerts: readonly { readonly key: string; readonly digest: string }[];
  },
): Promise<readonly string[]> {
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  const { alerts, position } = of;
  const isFirst = position === undefined || (position.version === 1 && position.tseq === 0);
  const digest = isFirst ? null : positionDigest(position);
  const refusal = await signed.refusal(chainId, { digest, key: POSITION });
  if (refusal !== undefined) refusals.push(`position: ${refusal}`);
  for (const one of alerts) {
    const odd = await signed.refusal(chainId, one);
    if (odd !== undefined) refusals.push(`alert ${one.key} of a rule: ${odd}`);
  }
  const known = new Set([POSITION, ...alerts.map(({ key }) => key)]);
  for (const key of await signed.missing(chainId, known)) {
    refusals.push(`alert ${key} of a rule: its record is gone`);
  }
  return refusals;
}
