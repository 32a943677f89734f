/**
 * What rules in force could not say for want of something that a person can bring: one alert a day
 * and cause, so that nobody takes their silence for an answer.
 */
import { sha256Hex } from '#platform/crypto';
import type { RuleAlertDraft } from '#slices/alerts';
import type { NotEvaluated } from './engineStep.ts';
import { DAY_MS } from './spans.ts';

/** Rates can be loaded, and windows be shortened; a value that a sender left out stays out. */
const REASONS = ['fx:missing', 'history:not-held'] as const;
export const NOT_EVALUATED = 'RULES_NOT_EVALUATED';

/** Drafts of one part of the log. @param receivedAt of its last transaction */
export function notEvaluatedDrafts(
  all: readonly NotEvaluated[],
  receivedAt: number,
): readonly RuleAlertDraft[] {
  const day = Math.floor(receivedAt / DAY_MS);
  // A rule in shadow has its version in its name: it raises nothing, and misses nothing.
  const live = all.filter(({ ruleId }) => !ruleId.includes('@'));
  return REASONS.filter((reason) => live.some((one) => one.reason === reason)).map((reason) => ({
    cause: { day, kind: 'rules_not_evaluated', reason },
    hitsTotal: 0,
    rule: {
      // One a day: more of the same is no revision.
      digest: sha256Hex(`rules-not-evaluated-v1\0${reason}\0${day}`),
      ruleVersion: 1,
      severity: 'Medium',
      txIds: [],
      txTotal: 0,
    },
    ruleId: NOT_EVALUATED,
    score: 1,
    source: 'rules',
    type: 'monitoring',
    typology: reason,
  }));
}
