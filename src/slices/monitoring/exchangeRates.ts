/**
 * Exchange rates of a tenant: what one unit of another currency was worth in its own on a day. Each
 * version is whole and never changes; a segment of the log names the one that it was taken with, so
 * that an amount is converted alike whenever it is read again.
 */

import type { KeyRing } from '#core/audit';
import {
  type Asker,
  type AuditStore,
  type CommitEvidence,
  entry,
  verifiedEvent,
} from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { chainOf, DomainError, type Tables, type TenantId, type Violation } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';
import { exponentOf, minorUnits } from './money.ts';
import type { RatesReader, RatesTable } from './ports.ts';
import { type ExchangeRates, exchangeRatesTable, transactionLogHeadTable } from './tables.ts';
import type { Money } from './transaction.ts';

/** Rates of one version: 170 currencies of a year and some. */
export const RATES_MAX = 70_000;

/** Bytes of one version as it is sent. */
export const RATES_BYTES_MAX = 8 * 1024 ** 2;

/** One rate as it is sent. */
export interface GivenRate {
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Decimal string: how much of the base one unit is worth. */
  readonly rate: string;
}

/** What the blob of a version holds: currencies and dates in order. */
interface StoredRates {
  readonly base: string;
  readonly rates: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

/** What publishes rates. */
export interface RatesPorts {
  readonly tables: Pick<Tables, 'find'>;
  readonly commit: CommitEvidence;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** A whole version, as it is sent. */
export interface PublishRates extends Asker {
  readonly tenantId: TenantId;
  readonly base: string;
  readonly rates: readonly GivenRate[];
  readonly requestedBy: string;
}

const RATE = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,12})?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const ZERO = /^[0.]+$/;

/** Everything that is wrong with rates; `at` says where the n-th stands. */
export function rateViolations(
  rates: readonly GivenRate[],
  base: string,
  at: (place: number, member: keyof GivenRate) => string,
): readonly Violation[] {
  const seen = new Set<string>();
  return rates.flatMap(({ currency, date, rate }, place): Violation[] => {
    if (exponentOf(currency) === undefined || currency === base) {
      const detail = `expected a currency of ISO 4217 that is in use and is not ${base}`;
      return [{ code: 'currency', detail, pointer: at(place, 'currency') }];
    }
    if (!isDate(date)) {
      return [{ code: 'format', detail: 'expected YYYY-MM-DD', pointer: at(place, 'date') }];
    }
    if (!RATE.test(rate) || ZERO.test(rate)) {
      const detail = 'expected a decimal string over 0, 12 digits before and after the point';
      return [{ code: 'format', detail, pointer: at(place, 'rate') }];
    }
    const key = `${currency}/${date}`;
    if (seen.has(key)) {
      const detail = 'expected one rate of a currency and a day';
      return [{ code: 'duplicate', detail, pointer: at(place, 'date') }];
    }
    seen.add(key);
    return [];
  });
}

const isDate = (text: string): boolean => {
  if (!DATE.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};

/** The next version; the one in force where it says the same. Rates were checked before. */
export async function publishRates(ports: RatesPorts, ask: PublishRates): Promise<ExchangeRates> {
  const { tenantId } = ask;
  const text = canonicalJson(storedOf(ask));
  const digest = sha256Hex(text);
  const key = { log: 'rates', tenantId } as const;
  const head = await ports.tables.find(transactionLogHeadTable, key);
  const before =
    head && (await ports.tables.find(exchangeRatesTable, { ratesVersion: head.tseq, tenantId }));
  if (before?.digest === digest) return before;
  const now = ports.clock.now();
  const { address } = await ports.blobs.put(Buffer.from(text));
  const dates = ask.rates.map(({ date }) => date).sort();
  const next: ExchangeRates = {
    base: ask.base,
    blob: address,
    count: ask.rates.length,
    digest,
    ...(dates[0] !== undefined && { from: dates[0] }),
    publishedAt: now,
    requestedBy: ask.requestedBy,
    tenantId,
    ...(dates.length > 0 && { to: dates.at(-1) ?? '' }),
    ratesVersion: (head?.tseq ?? 0) + 1,
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [
      transactionLogHeadTable.put(
        { ...key, tseq: next.ratesVersion, version: (head?.version ?? 0) + 1 },
        head?.version ?? 0,
      ),
      exchangeRatesTable.insert(next),
    ],
    events: [
      entry(ports, {
        action: 'aml.rates.published',
        actor: ask.actor,
        at: now,
        ...(ask.ip !== undefined && { ip: ask.ip }),
        members: {
          base: next.base,
          count: next.count,
          rates_digest: digest,
          rates_version: next.ratesVersion,
        },
        target: ratesTarget({ tenantId, version: next.ratesVersion }),
      }),
    ],
  });
  return next;
}

interface RatesPlace {
  readonly tenantId: TenantId;
  readonly version: number;
}

const ratesTarget = ({ tenantId, version }: RatesPlace): string => `rates:${tenantId}/${version}`;

function storedOf({ base, rates }: Pick<PublishRates, 'base' | 'rates'>): StoredRates {
  const byCurrency: Record<string, [string, string][]> = {};
  for (const { currency, date, rate } of rates) {
    byCurrency[currency] ??= [];
    byCurrency[currency].push([date, rate]);
  }
  for (const own of Object.values(byCurrency)) own.sort(([a], [b]) => (a < b ? -1 : 1));
  return { base, rates: byCurrency };
}

/** What reads rates. */
export interface RatesReadPorts {
  readonly audit: Pick<AuditStore, 'lastEntries'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'find'>;
}

/** Versions that were read stay in memory: they are few and never change. */
const KEPT_MAX = 8;

/** Rates as they were signed; throws `evidence-altered` where they are others. */
export function ratesReader(ports: RatesReadPorts): RatesReader {
  const kept = new Map<string, RatesTable>();
  return {
    of: async ({ tenantId, version }) => {
      if (version === 0) return undefined;
      const name = ratesTarget({ tenantId, version });
      const known = kept.get(name);
      if (known !== undefined) return known;
      const { stored } = await signedRates(ports, { tenantId, version });
      const table = { ...stored, rates: new Map(Object.entries(stored.rates)), version };
      kept.set(name, table);
      for (const oldest of [...kept.keys()].slice(0, -KEPT_MAX)) kept.delete(oldest);
      return table;
    },
  };
}

/** A version with its rates, compared with its entry. Throws `not-found`, `evidence-altered`. */
export async function signedRates(
  ports: RatesReadPorts,
  of: RatesPlace,
): Promise<{ readonly record: ExchangeRates; readonly stored: StoredRates }> {
  const record = await ports.tables.find(exchangeRatesTable, {
    ratesVersion: of.version,
    tenantId: of.tenantId,
  });
  if (record === undefined) throw new DomainError('not-found', { detail: 'no such rates' });
  const chainId = chainOf(of.tenantId);
  const [event] = await ports.audit.lastEntries({ chainId, targets: [ratesTarget(of)] });
  const signed = event && verifiedEvent(event, { chainId, keyRing: ports.keyRing });
  const bytes = await ports.blobs.get(record.blob);
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
  if (signed?.rates_version === of.version && signed.rates_digest === sha256Hex(text)) {
    return { record, stored: JSON.parse(text) as StoredRates };
  }
  const detail = `rates of version ${of.version}: they are not what was signed`;
  throw new DomainError('evidence-altered', { detail });
}

/** The version in force; 0: there is none. */
export const ratesInForce = async (
  { tables }: Pick<RatesReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<number> =>
  (await tables.find(transactionLogHeadTable, { log: 'rates', tenantId }))?.tseq ?? 0;

/** Days that a rate is good for. */
const RATE_DAYS = 7;
const DAY_MS = 86_400_000;

/** An amount in the smallest unit of the base currency. */
export interface BaseAmount {
  readonly minor: bigint;
}

/**
 * The amount at the last rate of that day or of seven days before it, rounded half to even once.
 * Undefined where there is none: who needs it cannot decide.
 *
 * @param date YYYY-MM-DD, the day of the event
 */
export function toBase(
  table: RatesTable | undefined,
  { amount, currency }: Money,
  { base, date }: { readonly base: string; readonly date: string },
): BaseAmount | undefined {
  const minor = minorUnits(amount);
  if (currency === base) return { minor };
  const from = exponentOf(currency);
  const to = exponentOf(base);
  if (table === undefined || table.base !== base || from === undefined || to === undefined) {
    return undefined;
  }
  const rate = rateOn(table.rates.get(currency) ?? [], date);
  if (rate === undefined) return undefined;
  const [whole = '0', fraction = ''] = rate.split('.');
  const scaled = minor * BigInt(`${whole}${fraction}`);
  // amount × 10^-from × rate × 10^to, of which the rate brings its own digits.
  const shift = from + fraction.length - to;
  if (shift <= 0) return { minor: scaled * 10n ** BigInt(-shift) };
  return { minor: halfEven(scaled, 10n ** BigInt(shift)) };
}

/** The last one that is not after the day, nor too old. Ordered by date. */
function rateOn(rates: readonly (readonly [string, string])[], date: string): string | undefined {
  let low = 0;
  let high = rates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rates[middle]?.[0] ?? '') <= date) low = middle + 1;
    else high = middle;
  }
  const [day, rate] = rates[low - 1] ?? [];
  if (day === undefined || Date.parse(date) - Date.parse(day) > RATE_DAYS * DAY_MS)
    return undefined;
  return rate;
}

function halfEven(value: bigint, by: bigint): bigint {
  const whole = value / by;
  const twice = (value % by) * 2n;
  if (twice > by || (twice === by && whole % 2n === 1n)) return whole + 1n;
  return whole;
}

/** What a process reads rates with. */
export const ratesReaderOf = (process: {
  readonly blobs: RatesReadPorts['blobs'];
  readonly keyRing: KeyRing;
  readonly storage: {
    readonly audit: RatesReadPorts['audit'];
    readonly tables: RatesReadPorts['tables'];
  };
}): RatesReader => {
  const { blobs, keyRing, storage } = process;
  return ratesReader({ audit: storage.audit, blobs, keyRing, tables: storage.tables });
};
