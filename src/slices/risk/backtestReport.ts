/** The report of a backtest: what was found, signed. It is kept as a blob, and drawn as a PDF. */
import { canonicalJson } from '#platform/canonicalJson';
import { toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { figuresOf, matrixOf, movementOf, outcomesOf, segmentsOfTally, wilson } from './figures.ts';
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
    baseline: counted(tally.baselines).map(([policy_hash, cases]) => ({ cases, policy_hash })),
    btr_id: backtest.btrId,
    confusion: matrixOf(tally.confusion),
    contributions: Object.entries(tally.contributions).map(([factor, sum]) => ({
      factor,
      mean: tally.cases === 0 ? 0 : sum / tally.cases,
    })),
    facts: { missing: tally.missing, rescreened: 0, stored: tally.cases },
    lists: counted(tally.lists).map(([name, cases]) => {
      const [source, list_digest, content_digest] = name.split(' ');
      return { cases, content_digest, list_digest, source };
    }),
    metrics: { ...figuresOf(tally), baseline_mismatch: tally.mismatches },
    movement: movementOf(tally),
    movers: tally.movers,
    outcomes: { found: outcomesOf(tally), unread: tally.unread },
    overrides: Object.entries(tally.overrides).map(([id, count]) => ({ count, id })),
    policy: { content_hash: policy.contentHash, policy_id: policy.policyId },
    population: {
      cases: tally.cases,
      from: toTimestamp(backtest.from),
      left_out: tally.leftOut,
      ...(backtest.segments !== undefined && { segments: [...backtest.segments] }),
      through_seq: backtest.throughSeq,
      to: toTimestamp(backtest.to),
    },
    segments: segmentsOfTally(tally),
    warnings: unrepresentative,
  };
  const signature = signer.sign(reportMessage(report));
  return { ...report, key_id: signer.keyId, signature: Buffer.from(signature).toString('base64') };
}

/** By name, so that the order in which they were met says nothing. */
const counted = (counts: Readonly<Record<string, number>>): [string, number][] =>
  Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));

/** The bytes that are signed. */
export const reportMessage = (report: object): Uint8Array =>
  Buffer.from(`risk-backtest-v1\0${canonicalJson(report as never)}`);
/** Time that a backtest without a population looks back: two years. */
export const BACKTEST_PERIOD_MS = 730 * 86_400_000;

/** Totals of fewer cases are not told: they would tell of single clients. */
const REPORTED_MIN = 10;

/**
 * Totals of clients who were reported to the authority later: for compliance alone, apart from the
 * report, and signed, so that nobody guesses it from its digest.
 */
export function reportedOf(
  { signer }: { readonly signer: Signer },
  { btrId }: Pick<RiskBacktest, 'btrId'>,
  { outcomes }: RiskTally,
) {
  const { cases, highAfter, highBefore } = outcomes.reported ?? NONE;
  const told = (count: number): number | null => (count < REPORTED_MIN ? null : count);
  const share = (count: number) => (told(count) === null ? null : wilson(count, cases));
  const found = {
    btr_id: btrId,
    cases: told(cases),
    high_after: told(highAfter),
    high_before: told(highBefore),
    outcome: 'reported',
    recall_after: share(highAfter),
    recall_before: share(highBefore),
  };
  const text = `risk-backtest-reported-v1\0${canonicalJson(found as never)}`;
  const signature = Buffer.from(signer.sign(Buffer.from(text))).toString('base64');
  return { ...found, key_id: signer.keyId, signature };
}

const NONE = { cases: 0, highAfter: 0, highBefore: 0 };
