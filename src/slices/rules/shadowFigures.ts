/**
 * What a version in shadow would have raised: the alerts that its evaluation has stored, each
 * compared with its entry, so that nobody signs a version upon figures that were edited.
 */
import type { SignedRecords } from '#core/audit';
import type { Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { shadowKey } from './compileRule.ts';
import type { RulePlace } from './ruleRecord.ts';
import { signedAlert } from './signedPosition.ts';
import { ruleAlertTable, type StoredRuleAlert } from './tables.ts';

/** Alerts that one answer counts: the latest ones. */
export const SHADOW_ALERTS_MAX = 500;

/** What shadows are read with. */
export interface ShadowPorts {
  /** Compares alerts with their last entries (signedPosition.ts). */
  readonly signedPositions: SignedRecords;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** Alerts of a version in shadow, by their last transactions. */
export interface ShadowFigures {
  /** Latest first. */
  readonly alerts: readonly StoredRuleAlert[];
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** Alerts whose last transaction occurred at `since` or later. Throws `evidence-altered`. */
export async function shadowFigures(
  ports: ShadowPorts,
  { ruleId, ruleVersion, since, tenantId }: RulePlace & { readonly since: EpochMs },
): Promise<ShadowFigures> {
  const { next, records } = await ports.tables.page(ruleAlertTable, {
    direction: 'descending',
    equal: { ruleId: shadowKey(ruleId, ruleVersion), tenantId },
    from: since,
    index: 'byRule',
    limit: SHADOW_ALERTS_MAX,
  });
  const alerts: StoredRuleAlert[] = [];
  for (const { alertId } of records) {
    const alert = await signedAlert(ports, { alertId, tenantId });
    if (alert !== undefined) alerts.push(alert);
  }
  return { alerts, isWhole: next === undefined };
}
