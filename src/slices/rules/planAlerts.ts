/**
 * What becomes of alerts that a step of the engine has made or changed: stored, and raised for
 * people, unless their rule is in shadow, somebody has suppressed it for the subject, or it raised
 * too many in an hour: then the rest stand under one alert, and none is dropped.
 */
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { alertIdOf, type RuleAlertDraft } from '#slices/alerts';
import type { EngineStep } from './engineStep.ts';
import type { Entry } from './entry.ts';
import { STORM_ALERTS_MAX } from './limits.ts';
import { gravityOf, lastTrigger, type RuleAlert } from './ruleAlert.ts';
import { causeOf } from './ruleAlertCause.ts';
import type { RuleEngine } from './ruleEngine.ts';
import { activeSuppressions, type SuppressionPorts, suppressionFor } from './suppressions.ts';
import type { RulePosition, StoredRuleAlert, Suppression } from './tables.ts';

/** Transactions of an alert that are named. */
const NAMED_MAX = 100;
const HOUR_MS = 3_600_000;

/** What is to be written and raised. */
export interface PlannedAlerts {
  readonly alerts: readonly StoredRuleAlert[];
  readonly drafts: readonly (RuleAlertDraft & { readonly alertId: string })[];
  readonly storms: RulePosition['storms'];
  /** New alerts of rules in shadow, by rule and version. */
  readonly shadow: Readonly<Record<string, number>>;
}

/** What a plan knows of the tenant. */
export interface PlanContext {
  readonly tenantId: TenantId;
  readonly engine: RuleEngine;
  readonly stored: ReadonlyMap<string, StoredRuleAlert>;
  readonly storms: RulePosition['storms'];
}

/** Plans the alerts of one step. */
export class AlertPlanner {
  readonly #ports: SuppressionPorts;
  readonly #of: PlanContext;
  readonly #storms: Record<string, { readonly hour: number; readonly count: number }>;
  readonly #shadow: Record<string, number> = {};
  readonly #drafts = new Map<string, RuleAlertDraft & { readonly alertId: string }>();

  constructor(ports: SuppressionPorts, of: PlanContext) {
    this.#ports = ports;
    this.#of = of;
    this.#storms = { ...of.storms };
  }

  /** @param entries those that were taken with the step: they say when it was. */
  async plan(
    { changed, lateAlerts }: Pick<EngineStep, 'changed' | 'lateAlerts'>,
    entries: readonly Entry[],
  ): Promise<PlannedAlerts> {
    const { engine, tenantId } = this.#of;
    const suppressions =
      changed.length === 0 ? [] : await activeSuppressions(this.#ports, tenantId);
    const hour = Math.floor((entries.at(-1)?.receivedAt ?? 0) / HOUR_MS);
    const alerts: StoredRuleAlert[] = [];
    for (const name of changed) {
      const alert = engine.alerts.get(name);
      if (alert === undefined) continue;
      const planned = this.#planOne(alert, { hour, isLate: lateAlerts.has(name), suppressions });
      if (planned !== undefined) alerts.push(planned);
    }
    return {
      alerts,
      drafts: [...this.#drafts.values()],
      shadow: this.#shadow,
      storms: this.#storms,
    };
  }

  #planOne(
    alert: RuleAlert,
    {
      hour,
      isLate,
      suppressions,
    }: {
      readonly hour: number;
      readonly isLate: boolean;
      readonly suppressions: readonly Suppression[];
    },
  ): StoredRuleAlert | undefined {
    const { stored, tenantId } = this.#of;
    const alertId = alertIdOf(tenantId, causeOf(alert));
    const known = stored.get(alertId);
    // A step that is repeated after a crash finds what it had written.
    if (known !== undefined && canonicalJson(known.alert) === canonicalJson(alert)) {
      if (known.groupId === undefined && known.suppressionId === undefined)
        this.#raise(alertId, alert);
      return undefined;
    }
    const suppression = suppressionFor(suppressions, alert);
    const isLive = alert.mode === 'live' && suppression === undefined;
    if (alert.mode === 'shadow' && known === undefined) {
      this.#shadow[alert.ruleId] = (this.#shadow[alert.ruleId] ?? 0) + 1;
    }
    const wasRaised = known?.alert.mode === 'live' && known.suppressionId === undefined;
    const groupId = isLive ? this.#groupOf(alert, { hour, known, wasRaised }) : undefined;
    if (isLive && groupId === undefined) this.#raise(alertId, alert);
    return {
      alert,
      alertId,
      ...(groupId !== undefined && { groupId }),
      ...((isLate || known?.isLate === true) && { isLate: true as const }),
      lastAt: lastTrigger(alert)?.at ?? 0,
      ruleId: alert.ruleId,
      ...(suppression !== undefined && { suppressionId: suppression.suppressionId }),
      tenantId,
      version: (known?.version ?? 0) + 1,
    };
  }

  /** The alert under which it stands; undefined: it stands for itself. */
  #groupOf(
    { ruleId }: RuleAlert,
    of: {
      readonly hour: number;
      readonly known: StoredRuleAlert | undefined;
      readonly wasRaised: boolean;
    },
  ): string | undefined {
    if (of.wasRaised) return of.known?.groupId;
    const storm = this.#storms[ruleId];
    const count = storm?.hour === of.hour ? storm.count + 1 : 1;
    this.#storms[ruleId] = { count, hour: of.hour };
    if (count <= STORM_ALERTS_MAX) return undefined;
    const cause = { hour: of.hour, kind: 'rule_storm', ruleId } as const;
    const alertId = alertIdOf(this.#of.tenantId, cause);
    this.#drafts.set(alertId, {
      alertId,
      cause,
      hitsTotal: 0,
      rule: {
        aggregate: {
          bound: String(STORM_ALERTS_MAX),
          name: 'alerts_of_the_hour',
          unit: 'number',
          value: `>${STORM_ALERTS_MAX}`,
        },
        digest: sha256Hex(`rule-storm-v1\0${ruleId}\0${of.hour}`),
        ruleVersion: 1,
        severity: 'High',
        txIds: [],
        txTotal: 0,
      },
      ruleId,
      score: 1,
      source: 'rules',
      type: 'monitoring',
      typology: 'RULE_STORM',
    });
    return alertId;
  }

  #raise(alertId: string, alert: RuleAlert): void {
    const { engine } = this.#of;
    const { score, severity } = gravityOf(alert);
    const last = lastTrigger(alert);
    const accountId = last && engine.entryOf(last.txId)?.texts.account;
    this.#drafts.set(alertId, {
      ...(accountId !== undefined && { accountId }),
      alertId,
      cause: causeOf(alert),
      hitsTotal: 0,
      rule: {
        ...(alert.explanation.aggregate && { aggregate: alert.explanation.aggregate }),
        digest: sha256Hex(canonicalJson(alert)),
        ...(!alert.holds && { isOver: true as const }),
        ruleVersion: last?.version ?? 1,
        severity,
        txIds: alert.triggers.slice(0, NAMED_MAX).map(({ txId }) => txId),
        txTotal: alert.triggers.length,
      },
      ruleId: alert.ruleId,
      score,
      source: 'rules',
      type: 'monitoring',
      typology: alert.ruleId,
    });
  }
}

/** What is raised with these of them. */
export const draftsOf = (
  { drafts }: PlannedAlerts,
  alerts: readonly StoredRuleAlert[],
): PlannedAlerts['drafts'] => {
  const ids = new Set(
    alerts.flatMap(({ alertId, groupId }) => (groupId === undefined ? [alertId] : [groupId])),
  );
  return drafts.filter(({ alertId }) => ids.has(alertId));
};
