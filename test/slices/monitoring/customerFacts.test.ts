/** Facts of customers: as of a time, as of a change, and as they were signed. */
import { describe, expect, test } from 'vitest';
import { type EpochMs, systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  checkFacts,
  customerFactTable,
  factsAt,
  factsReader,
  type GivenFacts,
  readFacts,
  readFactsCsv,
  recordFacts,
  transactionLogHeadTable,
} from '#slices/monitoring';
import { signedHouse } from '../../storage/signedHouse.ts';
import { OTHER_TENANT, TENANT } from './ledger.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`) as EpochMs;
const fact = (day: string, members: Partial<GivenFacts> = {}): GivenFacts => ({
  customerId: 'C-1',
  validFrom: at(day),
  ...members,
});

function openFacts() {
  const house = signedHouse([customerFactTable, transactionLogHeadTable]);
  let alter = <R>(row: R): R => row;
  const ports = {
    ...house,
    clock: systemClock,
    random: systemRandom,
    tables: {
      find: house.tables.find,
      page: (async (table, ask) => {
        const page = await house.tables.page(table, ask);
        return { ...page, records: page.records.map(alter) };
      }) as typeof house.tables.page,
    },
  };
  return {
    alterAll: (change: <R>(row: R) => R) => {
      alter = change;
    },
    check: () => checkFacts(ports, TENANT),
    of: (factsSeq: number, tenantId = TENANT) =>
      factsReader(ports).of({ customerIds: ['C-1', 'C-9'], factsSeq, tenantId }),
    record: (...facts: GivenFacts[]) =>
      recordFacts(ports, { actor: 'key:1', facts, tenantId: TENANT }),
  };
}

describe('facts of a customer', () => {
  test('hold from their time on, and as of a change others are not known', async () => {
    const desk = openFacts();
    await desk.record(fact('2026-01-01', { riskTier: 'low' }));
    await desk.record(fact('2026-03-01', { riskTier: 'high' }), fact('2026-02-01', {}));
    // Said later of the same time: it replaces what was said before.
    await desk.record(fact('2026-01-01', { riskTier: 'standard' }));
    const tierAt = async (factsSeq: number, day: string) =>
      factsAt((await desk.of(factsSeq)).get('C-1') ?? [], at(day))?.riskTier;
    expect(await tierAt(4, '2025-12-31')).toBeUndefined();
    expect(await tierAt(1, '2026-03-02')).toBe('low');
    expect(await tierAt(4, '2026-01-15')).toBe('standard');
    expect(await tierAt(3, '2026-01-15')).toBe('low');
    expect(await tierAt(4, '2026-02-15')).toBeUndefined();
    expect(await tierAt(4, '2026-03-01')).toBe('high');
    expect((await desk.of(4)).get('C-9')).toEqual([]);
    expect((await desk.of(4, OTHER_TENANT)).get('C-1')).toEqual([]);
    expect(await desk.check()).toEqual({ count: 4, refusals: [] });
  });

  test('that somebody changed, or took away, are not read', async () => {
    const desk = openFacts();
    await desk.record(fact('2026-01-01', { riskTier: 'very_high' }));
    desk.alterAll((row) => ({ ...row, riskTier: 'low' }));
    await expect(desk.of(1)).rejects.toMatchObject({ code: 'evidence-altered' });
    expect((await desk.check()).refusals).toHaveLength(1);
  });

  test('are refused by member, each fault', () => {
    const read = readFacts(
      {
        customer_id: '',
        expected_turnover: { amount: '1.234', currency: 'EUR' },
        opened_at: '2026-02-30',
        residence: 'Tunis',
        risk_tier: 'enormous',
        valid_from: 'yesterday',
      },
      { now: at('2026-03-01'), zone: 'UTC' },
    );
    expect('violations' in read && read.violations.map(({ pointer }) => pointer)).toEqual([
      '/customer_id',
      '/valid_from',
      '/risk_tier',
      '/expected_turnover/amount',
      '/opened_at',
      '/residence',
    ]);
  });

  test('of a CSV are read by row, and a day begins in the tenant’s zone', () => {
    const csv = 'customer_id,valid_from,risk_tier\nC-1,2026-07-01,high\nC-2,,low\n';
    const now = at('2026-08-01');
    expect(readFactsCsv(Buffer.from(csv), { now, zone: 'Africa/Tunis' })).toEqual([
      { customerId: 'C-1', riskTier: 'high', validFrom: Date.parse('2026-06-30T23:00:00Z') },
      { customerId: 'C-2', riskTier: 'low', validFrom: now },
    ]);
    expect(() =>
      readFactsCsv(Buffer.from('customer_id,residence\nC-1,TUN\n'), { now, zone: 'UTC' }),
    ).toThrow(expect.objectContaining({ code: 'body-invalid' }));
  });
});
