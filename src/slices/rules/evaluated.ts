/** What came of a part of the log, and how evidence tells of it. */
import { type EntryContext, entry } from '#core/audit';
import { alertIdOf } from '#slices/alerts';
import { resultsRoot, storedDigest } from './digests.ts';
import type { EngineStep } from './engineStep.ts';
import type { PlannedAlerts } from './planAlerts.ts';
import { causeOf } from './ruleAlertCause.ts';
import type { RuleEngine } from './ruleEngine.ts';
import type { RuleSet } from './ruleSet.ts';
import { positionDigest } from './signedPosition.ts';
import type { RulePosition, RuleResult, StoredRuleAlert } from './tables.ts';

/** What is kept of a part: its hits, and what could not be said. */
export function resultOf(
  {
    engine,
    ruleSet,
    stored,
  }: {
    readonly engine: RuleEngine;
    readonly ruleSet: string;
    readonly stored: ReadonlyMap<string, StoredRuleAlert>;
  },
  {
    before,
    next,
    planned,
    step,
  }: {
    readonly before: RulePosition;
    readonly next: RulePosition;
    readonly planned: PlannedAlerts;
    readonly step: EngineStep;
  },
): RuleResult {
  const { tenantId } = next;
  const byId = new Map([...stored, ...planned.alerts.map((one) => [one.alertId, one] as const)]);
  const hits: RuleResult['hits'][number][] = [];
  for (const [tseq, names] of [...step.triggered].sort(([one], [other]) => one - other)) {
    if (tseq <= before.tseq) continue;
    const ids: string[] = [];
    let isBlocked = false;
    for (const name of names) {
      const alert = engine.alerts.get(name);
      if (alert === undefined || alert.mode === 'shadow') continue;
      const alertId = alertIdOf(tenantId, causeOf(alert));
      const { suppressionId } = byId.get(alertId) ?? {};
      if (suppressionId !== undefined) continue;
      ids.push(alertId);
      isBlocked ||= alert.triggers.some((one) => one.tseq === tseq && one.severity === 'Critical');
    }
    if (ids.length > 0) hits.push([tseq, isBlocked ? 'block' : 'review', ids.sort()]);
  }
  return {
    at: next.updatedAt,
    hits,
    late: step.late,
    notEvaluated: step.notEvaluated,
    ruleSet,
    shadow: planned.shadow,
    tenantId,
    tooLate: step.tooLate,
    tseqFrom: before.tseq + 1,
    tseqTo: next.tseq,
  };
}

/** Tells that a part was evaluated, by numbers. */
export const evaluatedEvent = ({ hits, tenantId, tseqFrom, tseqTo }: RuleResult) =>
  ({
    partition: tenantId,
    payload: { hits: hits.length, tseq_from: tseqFrom, tseq_to: tseqTo },
    topic: 'aml.rules.evaluated',
  }) as const;

/** The entry that tells by which rules a log is evaluated from now on. */
export const setEntry = (context: EntryContext, { digest, told }: RuleSet) =>
  entry(context, {
    action: 'aml.rules.set',
    actor: 'system:rules',
    members: { ...told, rule_set: digest },
    target: `rule-set:${digest}`,
  });

/** The entry of one commit: its alerts, and with the last one of a part what came of it. */
export function evaluatedEntry(
  context: EntryContext,
  { digest }: RuleSet,
  {
    alerts,
    position,
  }: {
    readonly alerts: readonly StoredRuleAlert[];
    readonly position?: { readonly next: RulePosition; readonly result?: RuleResult };
  },
) {
  const result = position?.result;
  return entry(context, {
    action: position === undefined ? 'aml.rules.alerted' : 'aml.rules.evaluated',
    actor: 'system:rules',
    members: {
      alerts: alerts.map((one) => ({ alert_id: one.alertId, digest: storedDigest(one) })),
      rule_set: digest,
      ...(position !== undefined && {
        icu: process.versions.icu ?? null,
        node: process.versions.node,
        position_digest: positionDigest(position.next),
      }),
      ...(result !== undefined && {
        hits: result.hits.length,
        late: result.late,
        not_evaluated: result.notEvaluated.map((one) => ({ ...one })),
        results_root: resultsRoot(result),
        too_late: result.tooLate,
        tseq_from: result.tseqFrom,
        tseq_to: result.tseqTo,
      }),
    },
    target: 'rules',
  });
}
