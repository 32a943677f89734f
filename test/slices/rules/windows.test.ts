/**
 * Windows that outlive their process: who begins again reads little of the log and comes to the
 * same alerts, byte for byte; what was exchanged, put back or erased is not read.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { dataKeyTable } from '#core/blobs';
import type { ErasureOrder } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { ingestKeyId, type Transaction } from '#slices/monitoring';
import {
  checkEvaluated,
  erasureOfWindows,
  RuleReplay,
  rulePositionTable,
  storedDigest,
} from '#slices/rules';
import type { Entry } from '../../../src/slices/rules/entry.ts';
import { readWindowLines, windowLines } from '../../../src/slices/rules/windowLines.ts';
import { entry } from './desk.ts';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from './house.ts';

let house: RuleHouse;
beforeEach(() => {
  house = openRuleHouse();
});

const HEAD = { baseCurrency: 'EUR', reachMs: 86_400_000, tseq: 9 };

describe('lines', () => {
  async function again(entries: readonly Entry[]): Promise<readonly Entry[] | undefined> {
    const kept = await readWindowLines(windowLines(HEAD, entries));
    expect(kept?.head).toEqual(HEAD);
    return kept?.entries;
  }

  test('give the same transactions, numbers beyond 2^53 among them', async () => {
    const ingest = { ingestId: 'i-1', keyVersion: 1 };
    const plain = { ...entry(1), ingest };
    const large = { ...entry(2), amount: 2n ** 80n, ingest, own: 2n ** 70n };
    const rich = {
      ...entry(3, { customer_id: 'VIP-1', to: 'B-1' }),
      facts: { age: 5, expectedTurnover: 2n ** 60n, residence: 'TN', riskTier: 'high' },
      ingest: { ingestId: 'i-2', keyVersion: 3 },
    };
    const unrated = { ...entry(4, { currency: 'XAF' }), ingest };
    expect(unrated.amount).toBe(undefined);
    expect(await again([plain, large, rich, unrated])).toEqual([plain, large, rich, unrated]);
    const reversed = { ...plain, reversedFrom: { ...plain, at: plain.at + 1, tseq: 2 } };
    expect((await again([reversed]))?.[0]).toEqual({
      ...plain,
      reversedFrom: { at: plain.at + 1, tseq: 2 },
    });
  });

  test('of another release are not read', async () => {
    let lines = '';
    for await (const piece of windowLines(HEAD, [entry(1)])) lines += piece.toString();
    const later = lines.replace('"format":1', '"format":2');
    const pieces = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from(later);
    };
    expect(await readWindowLines(pieces())).toBe(undefined);
  });

  // A member more is another format: windows of before it would lack it.
  test('have these members of a transaction', () => {
    const whole: Required<Entry> = {
      ...entry(1),
      crossBorder: true,
      ingest: { ingestId: 'i-1', keyVersion: 1 },
      reversedFrom: { at: 1, tseq: 1 },
      reverses: 'T-0',
      unrated: { ratesVersion: 1 },
    };
    expect(Object.keys(whole).sort()).toEqual(
      (
        'amount at countries crossBorder facts infoMissing ingest isCounted own ownUnit ' +
        'receivedAt reversedFrom reverses series terms texts tseq txId unrated verdicts'
      ).split(' '),
    );
  });
});

/** Late ones, a revision and a reversal among them. */
const BATCHES: readonly (readonly Transaction[])[] = [
  structuring('A-1', 10, '2026-03-10'),
  structuring('A-2', 20, '2026-03-11'),
  structuring('A-1', 30, '2026-03-09'),
  structuring('A-3', 40, '2026-03-12'),
  structuring('A-3', 40, '2026-03-12').map((one) => ({
    ...one,
    amount: '9500.00',
    revision: 1,
  })),
  structuring('A-2', 20, '2026-03-13').map((one, at) => ({
    ...one,
    reverses: `S-${20 + at}`,
    status: 'reversed' as const,
    tx_id: `R-${at}`,
  })),
  structuring('A-2', 50, '2026-03-14'),
  structuring('A-1', 60, '2026-03-11'),
];

async function run(dieAt?: (point: string) => void): Promise<void> {
  await house.publish();
  house.dieAt(dieAt);
  for (const batch of BATCHES) {
    await house.take(batch);
    for (let tries = 1; ; tries += 1) {
      try {
        await house.evaluate(tries > 1);
        break;
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'killed' || tries > 20) throw error;
      }
    }
  }
  house.dieAt(undefined);
}

const stored = async () =>
  (await house.stored())
    .map(({ alert, alertId }) => ({ alert, alertId }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1));

async function refusals(): Promise<readonly string[]> {
  const alerts = (await house.stored()).map((one) => ({
    digest: storedDigest(one),
    key: one.alertId,
  }));
  return checkEvaluated(house.parts, TENANT, { alerts, position: await house.position() });
}

test('who begins again reads what is behind the windows, not the whole log', async () => {
  house.keepEvery(6);
  await run();
  const { tseq = 0, windows } = (await house.position()) ?? {};
  expect(windows?.tseq).toBeGreaterThan(6);
  house.readFrom.length = 0;
  await house.take(structuring('A-9', 90, '2026-03-15'));
  await house.evaluate(true);
  expect(house.readFrom).not.toContain(1);
  expect(house.readFrom).toContain(tseq + 1);
  expect(house.unread).toEqual([]);
  expect(await new RuleReplay(house.parts, TENANT).run()).toEqual(await stored());
  expect(await refusals()).toEqual([]);
});

test.each(['read', 'evaluated', 'before commit', 'committed', 'windows put', 'windows kept'])(
  'whatever dies at %s: the alerts of a log that is read whole, byte for byte',
  async (where) => {
    house.keepEvery(4);
    let count = 0;
    await run((point) => {
      if (point === where && ++count % 2 === 1) throw new Error('killed');
    });
    expect(count).toBeGreaterThan(2);
    expect((await stored()).length).toBeGreaterThan(3);
    expect(await new RuleReplay(house.parts, TENANT).run()).toEqual(await stored());
    expect(house.unread).toEqual([]);
    expect(await refusals()).toEqual([]);
  },
);

describe('windows are not read', () => {
  beforeEach(async () => {
    house.keepEvery(6);
    await run();
    house.keepEvery(1_000);
    house.readFrom.length = 0;
    await house.take(structuring('A-9', 90, '2026-03-15'));
  });

  async function expectWhole(why: string): Promise<void> {
    await house.evaluate(true);
    expect(house.unread).toEqual([why]);
    expect(house.readFrom).toContain(1);
  }

  /** What was raised by a transaction that was erased since stays raised, and is in no replay. */
  async function expectSame(why: string): Promise<void> {
    await expectWhole(why);
    expect(await new RuleReplay(house.parts, TENANT).run()).toEqual(await stored());
  }

  test('once their blob is gone', async () => {
    house.blobs.delete((await house.position())?.windows?.blob ?? '');
    await expectSame('absent');
  });

  test('once their blob is another one', async () => {
    const blob = (await house.position())?.windows?.blob ?? '';
    const bytes = Buffer.from(house.blobs.get(blob) ?? []);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    house.blobs.set(blob, bytes);
    await expectSame('damaged');
  });

  test('once something of their log was erased, and memory has none of it', async () => {
    const { row } = await house.find('S-10');
    const named = { keyId: ingestKeyId(row.ingestId), tenantId: TENANT };
    const key = await house.ports.dataKeys.find(named);
    if (key === undefined) throw new Error('no key');
    const { record } = house.ports.dataKeys.without(key, [{ depth: 20, index: row.place }]);
    house.alter(dataKeyTable, { keyId: record.keyId }, record);
    await house.tellErased(row);
    await expectWhole('erased');
  });

  test('and nothing goes on where the position names others than were signed', async () => {
    const windows = (await house.position())?.windows;
    if (windows === undefined) throw new Error('no windows');
    house.alter(rulePositionTable, { tenantId: TENANT }, { windows: { ...windows, tseq: 1 } });
    const position = await house.parts.tables.find(rulePositionTable, {
      shard: 0,
      tenantId: TENANT,
    });
    expect(await checkEvaluated(house.parts, TENANT, { alerts: [], position })).toContainEqual(
      expect.stringContaining('position'),
    );
  });
});

test('the next windows end the key of those before', async () => {
  house.keepEvery(3);
  await house.publish();
  await house.take(structuring('A-1', 10));
  await house.evaluate();
  const first = (await house.position())?.windows;
  await house.take(structuring('A-1', 20, '2026-03-06'));
  await house.evaluate();
  const second = (await house.position())?.windows;
  expect([first?.keyVersion, second?.keyVersion]).toEqual([1, 2]);
  // Who brings the first blob back has nothing that opens it.
  house.blobs.set(second?.blob ?? '', house.blobs.get(first?.blob ?? '') ?? new Uint8Array());
  await house.take(structuring('A-1', 30, '2026-03-07'));
  await house.evaluate(true);
  expect(house.unread).toEqual(['damaged']);
});

test('memory forgets what was erased before it keeps windows again', async () => {
  house.keepEvery(9);
  await house.publish();
  await house.take(structuring('A-1', 10));
  await house.evaluate();
  const { row } = await house.find('S-10');
  const named = { keyId: ingestKeyId(row.ingestId), tenantId: TENANT };
  const key = await house.ports.dataKeys.find(named);
  if (key === undefined) throw new Error('no key');
  const { record } = house.ports.dataKeys.without(key, [{ depth: 20, index: row.place }]);
  house.alter(dataKeyTable, { keyId: record.keyId }, record);
  await house.tellErased(row);
  house.readFrom.length = 0;
  await house.take(structuring('A-1', 20, '2026-03-20'));
  await house.take(structuring('A-1', 30, '2026-03-25'));
  await house.evaluate();
  expect((await house.position())?.windows).toBe(undefined);
  await house.take(structuring('A-1', 40, '2026-03-28'));
  await house.evaluate();
  expect(house.readFrom).toContain(1);
  expect((await house.position())?.windows?.tseq).toBe(12);
});

test('a tenant that takes nothing more keeps no windows of what was erased', async () => {
  house.keepEvery(3);
  await house.publish();
  await house.take(structuring('A-1', 10));
  await house.evaluate();
  const erasure = erasureOfWindows(house.parts);
  const subject = { subjectRef: 'C-1', tenantId: TENANT };
  const order: ErasureOrder = {
    actor: 'system:erasure',
    asOf: Date.now() as EpochMs,
    now: Date.now() as EpochMs,
    pseudonym: '',
    reason: '',
    retentionYears: 0,
  };
  const named = { keyId: `rule-windows/${TENANT}`, tenantId: TENANT };
  const version = async () => (await house.ports.dataKeys.find(named))?.version;
  // Nothing of them was erased: they are good, and stay.
  await erasure.erase(subject, order);
  expect([await version(), await erasure.plan(subject, order)]).toEqual([1, []]);
  const { row } = await house.find('S-10');
  const key = await house.ports.dataKeys.find({
    keyId: ingestKeyId(row.ingestId),
    tenantId: TENANT,
  });
  if (key === undefined) throw new Error('no key');
  const { record } = house.ports.dataKeys.without(key, [{ depth: 20, index: row.place }]);
  house.alter(dataKeyTable, { keyId: record.keyId }, record);
  await house.tellErased(row);
  expect(await erasure.plan(subject, order)).toMatchObject([{ action: 'delete', rows: 1 }]);
  await erasure.erase(subject, order);
  await erasure.erase(subject, order);
  expect([await version(), await erasure.plan(subject, order)]).toEqual([2, []]);
  // Who begins again reads the log, to what is left of it.
  await house.take(structuring('A-1', 20, '2026-03-20'));
  await house.evaluate(true);
  expect(house.unread).toEqual(['absent']);
});
