/** Exchange rates: published by version, read as signed, and used by a table of hard cases. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  exchangeRatesTable,
  publishRates,
  type RatesTable,
  ratesReader,
  readRatesCsv,
  readRatesJson,
  toBase,
  transactionLogHeadTable,
} from '#slices/monitoring';
import { signedHouse } from '../../storage/signedHouse.ts';
import { TENANT } from './ledger.ts';

const tableOf = (rates: Readonly<Record<string, readonly (readonly [string, string])[]>>) =>
  ({ base: 'EUR', rates: new Map(Object.entries(rates)), version: 1 }) satisfies RatesTable;

describe('an amount in the base currency', () => {
  const table = tableOf({
    JPY: [['2026-03-05', '0.0061']],
    KWD: [['2026-03-05', '3.005']],
    USD: [
      ['2026-02-20', '0.9'],
      ['2026-03-02', '0.92'],
      ['2026-03-05', '0.925'],
    ],
  });
  test.each([
    ['the base itself', '12.34', 'EUR', '2026-03-05', 1234n],
    ['the rate of the day', '100.00', 'USD', '2026-03-05', 9250n],
    ['the last one before it', '100.00', 'USD', '2026-03-04', 9200n],
    ['seven days old, still good', '100.00', 'USD', '2026-02-27', 9000n],
    ['eight days old', '100.00', 'USD', '2026-02-28', undefined],
    ['before the first', '100.00', 'USD', '2026-02-19', undefined],
    ['no digits', '1000', 'JPY', '2026-03-05', 610n],
    ['three digits', '1.234', 'KWD', '2026-03-05', 371n],
    ['a half goes to the even number below', '0.10', 'USD', '2026-03-05', 9n],
    ['a half goes to the even number above', '0.06', 'USD', '2026-03-05', 6n],
    ['beyond what a double counts', '999999999999999.99', 'USD', '2026-03-05', 92499999999999999n],
    ['a currency without rates', '1.00', 'GBP', '2026-03-05', undefined],
  ])('%s', (_, amount, currency, date, minor) => {
    const found = toBase(table, { amount, currency }, { base: 'EUR', date });
    expect(found?.minor).toBe(minor);
  });

  test('is not known where the table is of another base, or there is none', () => {
    const money = { amount: '1.00', currency: 'USD' };
    expect(toBase(table, money, { base: 'TND', date: '2026-03-05' })).toBeUndefined();
    expect(toBase(undefined, money, { base: 'EUR', date: '2026-03-05' })).toBeUndefined();
  });
});

function openRates() {
  const house = signedHouse([exchangeRatesTable, transactionLogHeadTable]);
  const stored = new Map<string, Uint8Array>();
  const blobs = {
    get: async (address: string) => stored.get(address),
    put: async (bytes: Uint8Array | AsyncIterable<Uint8Array>) => {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('rates are put whole');
      const address = createHash('sha256').update(bytes).digest('hex');
      stored.set(address, bytes);
      return { address, bytes: bytes.length };
    },
  };
  const ports = { ...house, blobs, clock: systemClock, random: systemRandom };
  const publish = (rate: string) =>
    publishRates(ports, {
      actor: 'key:1',
      base: 'EUR',
      rates: [{ currency: 'USD', date: '2026-03-05', rate }],
      requestedBy: 'key-1',
      tenantId: TENANT,
    });
  return { house, publish, reader: () => ratesReader(ports), stored };
}

describe('rates', () => {
  test('have versions, and the same content changes nothing', async () => {
    const { house, publish, reader } = openRates();
    expect(await publish('0.9')).toMatchObject({ ratesVersion: 1 });
    expect(await publish('0.9')).toMatchObject({ ratesVersion: 1 });
    expect(await publish('0.8')).toMatchObject({ ratesVersion: 2 });
    expect(house.events).toHaveLength(2);
    const first = await reader().of({ tenantId: TENANT, version: 1 });
    expect(first?.rates.get('USD')).toEqual([['2026-03-05', '0.9']]);
    expect(await reader().of({ tenantId: TENANT, version: 0 })).toBeUndefined();
  });

  test('that somebody changed are not read', async () => {
    const { publish, reader, stored } = openRates();
    const { blob } = await publish('0.9');
    stored.set(blob, Buffer.from('{"base":"EUR","rates":{"USD":[["2026-03-05","9"]]}}'));
    await expect(reader().of({ tenantId: TENANT, version: 1 })).rejects.toMatchObject({
      code: 'evidence-altered',
    });
  });

  test.each([
    ['no currency', 'XXA,2026-03-05,1', 'currency'],
    ['the base itself', 'EUR,2026-03-05,1', 'currency'],
    ['no day', 'USD,2026-02-30,1', 'date'],
    ['zero', 'USD,2026-03-05,0.00', 'rate'],
    ['a comma', 'USD,2026-03-05,"0,9"', 'rate'],
    ['a day twice', 'USD,2026-03-05,1\nUSD,2026-03-05,2', 'date'],
  ])('are refused: %s', (_, row, column) => {
    const read = () => readRatesCsv(Buffer.from(`currency,date,rate\n${row}\n`), 'EUR');
    expect(read).toThrow(expect.objectContaining({ code: 'body-invalid' }));
    try {
      read();
    } catch (error) {
      const [first] = (error as { violations: { pointer: string }[] }).violations;
      expect(first?.pointer).toMatch(new RegExp(`^/[23]/${column}$`));
    }
  });

  test('as JSON name their base', () => {
    const rate = { currency: 'USD', date: '2026-03-05', rate: '0.9' };
    const bytes = (body: object) => Buffer.from(JSON.stringify(body));
    expect(readRatesJson(bytes({ base: 'EUR', rates: [rate] }), 'EUR')).toEqual([rate]);
    for (const wrong of [
      { base: 'TND', rates: [rate] },
      { rates: [rate] },
      { base: 'EUR', rates: [{ ...rate, more: '1' }] },
      { base: 'EUR', more: 1, rates: [] },
    ]) {
      expect(() => readRatesJson(bytes(wrong), 'EUR')).toThrow(
        expect.objectContaining({ code: 'body-invalid' }),
      );
    }
  });
});
