/** The report of a backtest: what was found, signed. It is kept as a blob, and drawn as a PDF. */
import { canonicalJson } from '#platform/canonicalJson';
import { toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { figuresOf, matrixOf, movementOf, segmentsOfTally } from './figures.ts';
import { REPRESENTATIVE_MIN } from './limits.ts';
import type { RiskBacktest, RiskPolicy } from './tables.ts';
import type { RiskTally } from './tally.ts';

/** As it is kept and shown. */
export type BacktestReport = ReturnType<typeof reportOf>;

/** What was found, signed. It says nothing of when or how often it was worked on. */
export function reportOf(
  { signer }: { readonly signer: Signer },
  backtest: RiskBacktest,
  { policy, tally }: { readonly policy: RiskPolicy; readonly tally: RiskTally },
) {
  const unrepresentative = tally.cases < REPRESENTATIVE_MIN ? ['unrepresentative'] : [];
  const report = {
    btr_id: backtest.btrId,
    confusion: matrixOf(tally.confusion),
    contributions: Object.entries(tally.contributions).map(([factor, sum]) => ({
      factor,
      mean: tally.cases === 0 ? 0 : sum / tally.cases,
    })),
    facts: { missing: tally.missing, rescreened: 0, stored: tally.cases },
    metrics: { ...figuresOf(tally), baseline_mismatch: tally.mismatches },
    movement: movementOf(tally),
    overrides: Object.entries(tally.overrides).map(([id, count]) => ({ count, id })),
    policy: { content_hash: policy.contentHash, policy_id: policy.policyId },
    population: {
      cases: tally.cases,
      from: toTimestamp(backtest.from),
      left_out: tally.leftOut,
      through_seq: backtest.throughSeq,
      to: toTimestamp(backtest.to),
    },
    segments: segmentsOfTally(tally),
    warnings: unrepresentative,
  };
  const signature = signer.sign(reportMessage(report));
  return { ...report, key_id: signer.keyId, signature: Buffer.from(signature).toString('base64') };
}

/** The bytes that are signed. */
export const reportMessage = (report: object): Uint8Array =>
  Buffer.from(`risk-backtest-v1\0${canonicalJson(report as never)}`);
/** Time that a backtest without a population looks back: two years. */
export const BACKTEST_PERIOD_MS = 730 * 86_400_000;
