/** Figures of screenings against counting the very events, whatever is counted twice or anew. */
import { expect, test } from 'vitest';
import type { SealedEvent } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Alert, alertTable } from '#slices/alerts';
import {
  chainWalkTable,
  fillAnew,
  KPI_PERIOD_NAMES,
  KPI_PERIODS,
  RegisterFill,
  readScreeningKpis,
  registerProgressTable,
  screeningBucketTable,
  screeningUsageTable,
} from '#slices/sanctions';
import { DECISIONS, registeredHitTable, registeredScreeningTable } from '#slices/screening';
import { presentKpis } from '../../../../src/slices/sanctions/edge/kpis.ts';
import { modelHouse } from '../../../storage/modelHouse.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const NOW = Date.UTC(2026, 5, 15, 12, 30, 30) as EpochMs;
const DAY_MS = 24 * 3_600_000;
const EVENTS = 10_000;

/** The same numbers each time: 0 to below 1. */
function drawing(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

interface Made {
  readonly at: EpochMs;
  readonly kind: 'screening' | 'closed' | 'replay' | 'other';
  readonly word: string;
  readonly channel: string;
  readonly hits: number;
  readonly suppressed: number;
}

function makeEvents(): { readonly made: readonly Made[]; readonly events: readonly SealedEvent[] } {
  const draw = drawing();
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(draw() * values.length)] as Value;
  // Most of them within the last day.
  const times = Array.from({ length: EVENTS }, () => NOW - draw() ** 4 * 45 * DAY_MS).sort(
    (one, other) => one - other,
  );
  const made = times.map((time): Made => {
    const kind = pick([
      'screening',
      'screening',
      'screening',
      'closed',
      'replay',
      'other',
    ] as const);
    const words = {
      closed: ['closed_true_positive', 'closed_false_positive'],
      other: [''],
      replay: ['identical', 'different', 'impossible'],
      screening: DECISIONS,
    };
    const isHit = kind === 'screening' && draw() < 0.5;
    return {
      at: Math.floor(time) as EpochMs,
      channel: pick(['unit', 'batch_item']),
      hits: isHit ? Math.ceil(draw() * 3) : 0,
      kind,
      suppressed: isHit ? Math.floor(draw() * 3) : 0,
      word: pick<string>(words[kind]),
    };
  });
  return { events: made.map(eventOf), made };
}

function eventOf(one: Made, place: number): SealedEvent {
  const { at, channel, hits, kind, suppressed, word } = one;
  const seq = place + 1;
  const common = { eventId: `event-${seq}`, hash: '', occurredAt: at, seq };
  const actions = {
    closed: 'aml.alert.closed',
    other: 'case.reassigned',
    replay: word === 'different' ? 'SANCTIONS_REPLAY_DIFFERENT' : 'SANCTIONS_REPLAYED',
  };
  if (kind !== 'screening') {
    const body = { outcome: word, result: word, target: `alert:alert-${seq}` };
    const entry = { action: actions[kind], body: JSON.stringify(body), type: 'entry' };
    return { ...common, ...entry } as unknown as SealedEvent;
  }
  const body = {
    candidates: Array.from({ length: hits }, (_, n) => ({
      ftm_id: `q-${n}`,
      primary_name: `Name ${n}`,
      typology: word,
    })),
    ...(channel === 'unit' ? {} : { channel }),
    requested_by: 'key-1',
    screening_id: `screening-${seq}`,
    ...(seq % 5 === 0 && { cached: true }),
    ...(suppressed > 0 && { suppressed: Array.from({ length: suppressed }, () => ({})) }),
    verdict: { decision: word },
  };
  const screening = { body: JSON.stringify(body), screeningId: body.screening_id };
  return { ...common, ...screening, type: 'screening' } as unknown as SealedEvent;
}

/** Alerts that are closed five minutes after they were raised; every third is of a batch. */
const alertsOf = (made: readonly Made[]): readonly Alert[] =>
  made.flatMap(({ at, kind }, place) =>
    kind === 'closed'
      ? [
          {
            alertId: `alert-${place + 1}`,
            createdAt: at - 300_000,
            status: 'closed_false_positive',
            tenantId: TENANT,
            type: place % 3 === 0 ? 'batch' : 'screening',
            version: 1,
          } as unknown as Alert,
        ]
      : [],
  );

function openFigures() {
  const { events, made } = makeEvents();
  const house = modelHouse([
    alertTable,
    chainWalkTable,
    registerProgressTable,
    registeredHitTable,
    registeredScreeningTable,
    screeningBucketTable,
    screeningUsageTable,
  ]);
  house.seed(alertTable, ...alertsOf(made));
  const clock = { monotonicMs: () => 0, now: () => NOW };
  const audit = {
    head: async () => ({ hash: '', seq: EVENTS }),
    listChains: async () => [
      { chainId: chainOf(TENANT), checkpointSeq: 0, head: { hash: '', seq: EVENTS } },
    ],
    readEvents: async ({ fromSeq, limit }: { readonly fromSeq: number; readonly limit: number }) =>
      events.slice(fromSeq - 1, fromSeq - 1 + limit),
  };
  const ports = { audit, clock, holder: 'test', tables: house.tables };
  const shown = async (period: (typeof KPI_PERIOD_NAMES)[number]) =>
    presentKpis(await readScreeningKpis(ports, { period, tenantId: TENANT }), { now: NOW, period });
  return { fill: new RegisterFill(ports), house, made, ports, shown };
}

function counted(made: readonly Made[], from: number, to: number) {
  const own = made
    .map((one, place) => ({ ...one, place }))
    .filter(({ at }) => at >= from && at < to);
  const of = (kind: Made['kind']) => own.filter((one) => one.kind === kind);
  const words = (all: readonly Made[], name: 'channel' | 'word') => {
    const counts: Record<string, number> = {};
    for (const one of all) counts[one[name]] = (counts[one[name]] ?? 0) + 1;
    return counts;
  };
  const screenings = of('screening');
  const closed = of('closed').filter(({ place }) => place % 3 !== 0);
  const total = (name: 'hits' | 'suppressed') =>
    screenings.reduce((sum, one) => sum + one[name], 0);
  const cached = screenings.filter(({ place }) => (place + 1) % 5 === 0).length;
  return {
    cache_hit_ratio:
      screenings.length === 0 ? null : Math.round((cached / screenings.length) * 10_000) / 10_000,
    by_channel: words(screenings, 'channel'),
    by_decision: words(screenings, 'word'),
    hits_total: total('hits'),
    replays: { total: of('replay').length },
    review: { decided: closed.length },
    screenings_total: screenings.length,
    suppressed_total: total('suppressed'),
  };
}

test('every period is what counting its events gives, once and anew', async () => {
  const { fill, made, ports, shown } = openFigures();
  const empty = await shown('24h');
  expect(empty).toMatchObject({
    complete: false,
    hits_per_1000: null,
    match_rate: null,
    review: { precision: null, time_to_decide_ms: null },
    screenings_total: 0,
    suppression_rate: null,
  });
  expect(await fill.sweep([TENANT], new AbortController().signal)).toBe(EVENTS);
  const before = [];
  for (const period of KPI_PERIOD_NAMES) {
    const kpis = await shown(period);
    before.push(kpis);
    const { bucketMs, buckets } = KPI_PERIODS[period];
    const [from, to] = [Date.parse(kpis.from), Date.parse(kpis.to)];
    expect([to - from, kpis.complete]).toEqual([buckets * bucketMs, true]);
    expect(kpis).toMatchObject(counted(made, from, to));
    expect(kpis.series).toHaveLength(buckets);
    for (const { at, ...own } of kpis.series) {
      const {
        replays: _,
        review: __,
        cache_hit_ratio: ___,
        ...told
      } = counted(made, Date.parse(at), Date.parse(at) + bucketMs);
      expect(own).toMatchObject(told);
    }
    const sum = kpis.series.reduce((count, one) => count + one.screenings_total, 0);
    expect(sum).toBe(kpis.screenings_total);
  }
  expect(before[3]?.review.time_to_decide_ms).toMatchObject({ p50: 300_000 });
  expect(await fill.sweep([TENANT], new AbortController().signal)).toBe(0);
  expect(await fillAnew(ports, TENANT)).toBe(true);
  expect((await shown('1h')).complete).toBe(false);
  expect(await fill.sweep([TENANT], new AbortController().signal)).toBe(EVENTS);
  for (const [place, period] of KPI_PERIOD_NAMES.entries()) {
    expect(await shown(period)).toEqual(before[place]);
  }
});

test('events that are met twice are counted once', async () => {
  const { fill, house, made, shown } = openFigures();
  await fill.fill(TENANT);
  // A process that died behind its buckets, and before its place was kept.
  const key = { of: 'register', tenantId: TENANT } as const;
  await house.tables.saveWork(registerProgressTable, { key, work: { throughSeq: EVENTS - 150 } });
  expect(await fill.fill(TENANT)).toBe(150);
  const kpis = await shown('30d');
  expect(kpis).toMatchObject(counted(made, Date.parse(kpis.from), Date.parse(kpis.to)));
});
