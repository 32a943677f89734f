/** Figures of screenings over HTTP (operations 2.5). */
import { toTimestamp } from '#platform/clock';
import {
  type KpiPeriod,
  type KpiPorts,
  readScreeningKpis,
  type ScreeningKpis,
  type ScreeningTally,
} from '#slices/sanctions';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { ScreeningKpisQuery, ScreeningKpisResult } from './kpiSchemas.ts';

export const kpiOperation = (parts: () => KpiPorts): Operation => ({
  id: 'getSanctionsKpis',
  method: 'GET',
  path: '/v1/sanctions/kpis',
  tag: 'Sanctions',
  summary: 'Figures of screenings, reviews and replays in a period',
  description:
    'Counted from the chain. `from` is where the first bucket of `series` begins; buckets are a ' +
    'minute, a quarter of an hour, two hours and a day long. `complete` is false while there are ' +
    'events that are not counted yet. `review` is about alerts of screenings.',
  roles: roles.figures,
  scope: 'screening:read',
  idempotency: 'none',
  limits: 'general',
  bodyBytesMax: 0,
  query: ScreeningKpisQuery,
  responses: { 200: { description: 'The figures', schema: ScreeningKpisResult } },
  async handle({ query, tenantId }) {
    const { period = '24h' } = query as { readonly period?: KpiPeriod };
    const ports = parts();
    const kpis = await readScreeningKpis(ports, { period, tenantId });
    return { body: presentKpis(kpis, { now: ports.clock.now(), period }), status: 200 };
  },
});

const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

const sumOf = (counts: Readonly<Record<string, number | undefined>>): number =>
  Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);

const countsOf = (tally: ScreeningTally) => {
  const total = sumOf(tally.screenings);
  return {
    screenings_total: total,
    by_decision: tally.screenings,
    by_channel: tally.channels,
    match_rate: ratio(total - (tally.screenings.CLEAR ?? 0), total),
    hits_total: tally.hits,
    hits_per_1000: total === 0 ? null : Math.round((tally.hits / total) * 100_000) / 100,
    suppressed_total: tally.suppressed,
    suppression_rate: ratio(tally.suppressed, tally.hits + tally.suppressed),
  };
};

export function presentKpis(
  { review, tally, ...kpis }: ScreeningKpis,
  { now, period }: { readonly now: number; readonly period: KpiPeriod },
) {
  const { closed_false_positive: fp = 0, closed_true_positive: tp = 0 } = tally.outcomes;
  const { different = 0, identical = 0, impossible = 0 } = tally.replays;
  return {
    period,
    from: toTimestamp(kpis.from),
    to: toTimestamp(kpis.to),
    complete: kpis.throughSeq >= kpis.headSeq,
    ...countsOf(tally),
    review: {
      pending: review.pending,
      more_pending: review.isCut,
      oldest_pending_s:
        review.oldestAt === undefined
          ? null
          : Math.max(0, Math.floor((now - review.oldestAt) / 1_000)),
      overdue: review.overdue,
      four_eyes_waiting: review.fourEyesWaiting,
      decided: tp + fp,
      true_positive: tp,
      false_positive: fp,
      precision: ratio(tp, tp + fp),
      time_to_decide_ms: kpis.decideMs ?? null,
    },
    replays: { total: different + identical + impossible, identical, different, impossible },
    chain: {
      verified_at: kpis.verifiedAt === undefined ? null : toTimestamp(kpis.verifiedAt),
      head_seq: kpis.headSeq,
      counted_seq: kpis.throughSeq,
    },
    series: kpis.series.map(({ at, tally: own }) => ({ at: toTimestamp(at), ...countsOf(own) })),
  };
}
