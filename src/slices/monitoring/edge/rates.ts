/** Exchange rates over HTTP: a version is sent whole, and any version can be read again. */
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { toTimestamp } from '#platform/clock';
import {
  type ExchangeRates,
  publishRates,
  RATES_BYTES_MAX,
  type RatesPorts,
  type RatesReadPorts,
  ratesInForce,
  readRatesCsv,
  readRatesJson,
  signedRates,
} from '#slices/monitoring';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { RatesQuery, RatesResult, RatesVersion } from './schemas.ts';
import { requireMediaType, wholeBody } from './wholeBody.ts';

/** What the routes are made of. */
export interface RatesOptions extends RatesReadPorts, Omit<RatesPorts, 'blobs' | 'clock'> {
  readonly blobs: RatesReadPorts['blobs'] & RatesPorts['blobs'];
  readonly clock: Clock;
  readonly baseOf: (tenantId: TenantId) => Promise<string>;
}

const PATH = '/v1/aml/rates';
const COMMON = { limits: 'general', path: PATH, tag: 'AML' } as const;

export const ratesOperations = (options: RatesOptions): readonly Operation[] => [
  getRates(options),
  putRates(options),
];

const getRates = (options: RatesOptions): Operation => ({
  ...COMMON,
  id: 'getRates',
  method: 'GET',
  summary: 'Exchange rates, of the version in force or of any before',
  problems: ['evidence-altered', 'not-found'],
  bodyBytesMax: 0,
  idempotency: 'none',
  roles: roles.follow,
  scope: 'transactions:read',
  query: RatesQuery,
  responses: { 200: { description: 'The version with its rates', schema: RatesResult } },
  handle: async ({ query, tenantId }: OperationContext) => {
    const asked = query as { readonly version?: number };
    const version = asked.version ?? (await ratesInForce(options, tenantId));
    if (version === 0) {
      throw new DomainError('not-found', { detail: 'no rates were published yet' });
    }
    const { record, stored } = await signedRates(options, { tenantId, version });
    const rates = Object.entries(stored.rates).flatMap(([currency, own]) =>
      own.map(([date, rate]) => ({ currency, date, rate })),
    );
    return { body: { ...present(record), rates }, status: 200 };
  },
});

const putRates = (options: RatesOptions): Operation => ({
  ...COMMON,
  id: 'putRates',
  method: 'PUT',
  summary: 'Publish the next version of exchange rates',
  description:
    'JSON `{base, rates: [{currency, date, rate}]}`, or CSV with these three columns. A version ' +
    'is whole: what it does not name has no rate. The rate is what one unit of the currency is ' +
    'worth in the base currency of the tenant. Content that is in force already ' +
    'changes nothing. A segment of transactions names the version that it was taken with.',
  problems: [
    'body-invalid',
    'body-missing',
    'csv-invalid',
    'json-malformed',
    'media-type-unsupported',
  ],
  bodyBytesMax: RATES_BYTES_MAX,
  idempotency: 'none',
  roles: roles.rates,
  scope: 'transactions:write',
  responses: { 200: { description: 'The version in force', schema: RatesVersion } },
  // JSON or CSV, so that the body is read here; the same content again changes nothing.
  handle: async (context) => {
    const { principal, request, tenantId } = context;
    const type = requireMediaType(request, ['application/json', 'text/csv']);
    const bytes = await wholeBody(request, RATES_BYTES_MAX);
    const base = await options.baseOf(tenantId);
    const published = await publishRates(options, {
      ...askerOf(context),
      base,
      rates: type === 'text/csv' ? readRatesCsv(bytes, base) : readRatesJson(bytes, base),
      requestedBy: principal.id,
      tenantId,
    });
    return { body: present(published), status: 200 };
  },
});

const present = (record: ExchangeRates) => ({
  version: record.ratesVersion,
  base: record.base,
  count: record.count,
  from: record.from ?? null,
  to: record.to ?? null,
  digest: record.digest,
  published_at: toTimestamp(record.publishedAt),
});
