/** Facts of customers over HTTP: of one, or of many as a CSV. */
import type { Static } from 'typebox';
import type { Asker, IdempotencyRecord } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import {
  CUSTOMER_ID_CHARS_MAX,
  FACT_BYTES_MAX,
  FACTS_TOGETHER,
  type FactsPorts,
  type GivenFacts,
  type RecordedFacts,
  readFacts,
  readFactsCsv,
  recordFacts,
} from '#slices/monitoring';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { FactsBody, FactsCsv, FactsRecorded } from './schemas.ts';
import { requireMediaType, wholeBody } from './wholeBody.ts';

/** What the routes are made of. */
export interface FactsOptions extends Omit<FactsPorts, 'clock'> {
  readonly clock: Clock;
  readonly zoneOf: (tenantId: TenantId) => Promise<string>;
}

const PATH = '/v1/aml/customers';
const COMMON = {
  idempotency: 'required',
  limits: 'general',
  roles: roles.facts,
  scope: 'transactions:write',
  tag: 'AML',
} as const;
const FACTS_BODY_BYTES_MAX = 64 * 1024;
/** Facts that cost as much as one call. */
const FACTS_PER_TOKEN = 200;

export const factsOperations = (options: FactsOptions): readonly Operation[] => [
  putFacts(options),
  postFacts(options),
];

const putFacts = (options: FactsOptions): Operation => ({
  ...COMMON,
  id: 'putCustomerFacts',
  method: 'PUT',
  path: `${PATH}/{customer_id}/facts`,
  summary: 'What is known of a customer from a time on',
  description:
    'Whole: what it does not name is not known from then on. Facts of before stay, and what was ' +
    'judged by them can be judged again.',
  bodyBytesMax: FACTS_BODY_BYTES_MAX,
  body: FactsBody,
  example: {
    expected_turnover: { amount: '25000.00', currency: 'EUR' },
    residence: 'TN',
    risk_tier: 'high',
    valid_from: '2026-01-01',
  },
  responses: { 200: { description: 'It is recorded', schema: FactsRecorded } },
  handle: async (context) => {
    const body = context.body as Static<typeof FactsBody>;
    const read = readFacts(
      { ...body, customer_id: context.params.customer_id ?? '' },
      { now: options.clock.now(), zone: await options.zoneOf(context.tenantId) },
    );
    if ('facts' in read) return record(options, context, [read.facts]);
    throw new DomainError('body-invalid', {
      detail: 'expected facts of a customer',
      violations: read.violations,
    });
  },
});

const postFacts = (options: FactsOptions): Operation => ({
  ...COMMON,
  id: 'addCustomerFacts',
  method: 'POST',
  path: `${PATH}/facts`,
  summary: 'What is known of many customers, as a CSV',
  description:
    'Nothing is recorded where a row is wrong. Sent again it says the same again, which changes ' +
    `nothing. Columns: customer_id (up to ${CUSTOMER_ID_CHARS_MAX} characters), valid_from, ` +
    'risk_tier, expected_turnover, expected_turnover_currency, opened_at, residence.',
  problems: ['csv-invalid'],
  bodyBytesMax: FACT_BYTES_MAX,
  upload: {
    mediaType: 'application/json',
    furtherTypes: ['text/csv'],
    receive: async (context, { isAnswered }) => {
      const { request, tenantId } = context;
      requireMediaType(request, ['text/csv']);
      const bytes = await wholeBody(request, FACT_BYTES_MAX);
      const zone = await options.zoneOf(tenantId);
      const facts = readFactsCsv(bytes, { now: options.clock.now(), zone });
      if (facts.length === 0) {
        throw new DomainError('csv-invalid', { detail: 'expected at least one row' });
      }
      if (!isAnswered) await context.charge(Math.floor(facts.length / FACTS_PER_TOKEN));
      return { bodyDigest: sha256Hex(bytes), value: facts };
    },
    schema: FactsCsv,
  },
  responses: { 200: { description: 'All are recorded', schema: FactsRecorded } },
  handle: (context) => record(options, context, context.body as readonly GivenFacts[]),
});

/** Where the process dies between two commits, the same call again records all of them. */
async function record(
  options: FactsOptions,
  context: OperationContext,
  facts: readonly GivenFacts[],
) {
  const keep = keptUnder(context.idempotency, options.clock).idempotency;
  let first: number | undefined;
  let last = 0;
  for (let from = 0; from < facts.length; from += FACTS_TOGETHER) {
    const some = facts.slice(from, from + FACTS_TOGETHER);
    const isLast = from + some.length === facts.length;
    const recorded = await recordFacts(options, {
      ...(askerOf(context) satisfies Asker),
      facts: some,
      tenantId: context.tenantId,
      ...(isLast &&
        keep && {
          idempotency: (one: RecordedFacts): IdempotencyRecord =>
            keep({ body: answerOf(first ?? one.first, one.last, facts.length), status: 200 }),
        }),
    });
    first ??= recorded.first;
    last = recorded.last;
  }
  return { body: answerOf(first ?? last, last, facts.length), status: 200 };
}

const answerOf = (first: number, last: number, recorded: number): string =>
  JSON.stringify({ recorded, facts_from: first, facts_to: last });
