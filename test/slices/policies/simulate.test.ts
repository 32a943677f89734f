/** Past screenings by two policies: what is compared, how many, for how long. */
import { describe, expect, test } from 'vitest';
import type { SealedEvent } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { SIMULATION_MS_MAX, type SimulationPorts, simulate } from '#slices/policies';
import { type ScreeningSettings, screeningSettings } from '#slices/screening';
import { SETTINGS, TENANT } from './policyDesk.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const BEFORE = SETTINGS.defaults.of(screeningSettings);
const AFTER: ScreeningSettings = { ...BEFORE, policyVersion: 2, topN: 10 };

/** One event a minute; every tenth is an entry, and of `erased` the query is gone. */
function eventAt(seq: number, erased: ReadonlySet<number>): SealedEvent {
  const type = seq % 10 === 0 ? 'entry' : 'screening';
  const open = JSON.stringify({ query_normalized: { names: [`name ${seq}`], variants: [] } });
  return {
    body: JSON.stringify({ reranker_version: BEFORE.rerankerVersion }),
    eventId: `event-${seq}` as never,
    hash: '',
    occurredAt: (START + seq * MINUTE_MS) as EpochMs,
    ...(erased.has(seq) ? {} : { open }),
    screeningId: `screening-${seq}` as never,
    seq,
    type,
  };
}

function house(length: number, erased: readonly number[] = []) {
  const gone = new Set(erased);
  const judged: string[] = [];
  let read = 0;
  let ms = 0;
  const at = (seq: number): SealedEvent | undefined => {
    read += 1;
    return seq >= 1 && seq <= length ? eventAt(seq, gone) : undefined;
  };
  const ports: SimulationPorts = {
    audit: {
      findBySeq: async (_, seq) => at(seq),
      head: async () => ({ hash: '', seq: length }),
      readEvents: async ({ fromSeq, limit }) =>
        Array.from({ length: limit }, (_, n) => at(fromSeq + n)).filter((one) => one !== undefined),
    },
    clock: { monotonicMs: () => ms },
    judge: async (query, { policyVersion }) => {
      const name = 'names' in query ? (query.names[0] ?? '') : query.name;
      judged.push(`${policyVersion} ${name}${'names' in query ? '' : ' typed'}`);
      const isFew = policyVersion === 2 && Number(name.slice('name '.length)) % 2 === 0;
      const hit = { ftm_id: 'Q1', typology: 'MATCH_PEP' };
      return isFew ? { decision: 'CLEAR', hits: [] } : { decision: 'MATCH_PEP', hits: [hit] };
    },
  };
  return {
    judged,
    pass: (by: number) => {
      ms += by;
    },
    ports,
    get read() {
      return read;
    },
  };
}

const ask = (given: { from?: number; sample?: number; to?: number } = {}) => ({
  after: AFTER,
  before: BEFORE,
  from: (START + (given.from ?? 0) * MINUTE_MS) as EpochMs,
  sample: given.sample ?? 1_000,
  tenantId: TENANT,
  to: (START + (given.to ?? 1e6) * MINUTE_MS) as EpochMs,
});

describe('a simulation', () => {
  test('tells by decision what would change, with examples', async () => {
    const { ports } = house(60, [5]);
    const found = await simulate(ports, ask());
    expect(found).toMatchObject({
      after: { CLEAR: 24, MATCH_PEP: 29 },
      before: { MATCH_PEP: 53 },
      changed: 24,
      erased: 1,
      hitsAfter: 29,
      hitsBefore: 53,
      isComplete: true,
      screened: 53,
      shifts: [{ count: 24, from: 'MATCH_PEP', to: 'CLEAR' }],
    });
    expect(found.examples).toHaveLength(20);
    expect(found.examples[0]).toMatchObject({
      after: { decision: 'CLEAR', hits: [] },
      screeningId: 'screening-2',
    });
  });

  test('looks at the time that was asked for, and at nothing after it', async () => {
    const { judged, ports } = house(600);
    await simulate(ports, ask({ from: 101, to: 105 }));
    expect(judged.filter((one) => one.startsWith('1 '))).toEqual(
      [101, 102, 103, 104].map((seq) => `1 name ${seq}`),
    );
  });

  test('spreads its sample over a long chain, and reads little more of it', async () => {
    const long = house(100_000);
    const found = await simulate(long.ports, ask({ sample: 50 }));
    // Where an entry stands, no screening is looked at.
    expect(found.screened).toBeGreaterThan(40);
    expect(long.read).toBeLessThan(150);
    const last = Number(long.judged.at(-1)?.split(' ').at(-1));
    expect(last).toBeGreaterThan(90_000);
  });

  test('ends with what it has found where its time is over', async () => {
    const slow = house(100);
    const { judge } = slow.ports;
    const ports: SimulationPorts = {
      ...slow.ports,
      judge: async (...of) => {
        slow.pass(SIMULATION_MS_MAX / 10);
        return judge(...of);
      },
    };
    expect(await simulate(ports, ask())).toMatchObject({ isComplete: false, screened: 5 });
  });

  test('ends where nobody waits for it any more', async () => {
    const { ports } = house(100);
    const gone = new AbortController();
    gone.abort();
    const left = simulate(ports, { ...ask(), signal: gone.signal });
    await expect(left).rejects.toMatchObject({ code: 'body-aborted' });
  });

  test('has names of an event read anew by a re-ranker that did not read them', async () => {
    const { judged, ports } = house(2);
    await simulate(ports, { ...ask(), after: { ...AFTER, rerankerVersion: '2.0.0' } });
    expect(judged).toEqual(['1 name 1', '2 name 1 typed', '1 name 2', '2 name 2 typed']);
  });
});
