/** What alerts tell customers' systems: that one was raised, by ids and figures. */
import { Type } from 'typebox';
import type { PublicData, PublicEvent, TenantId, ToldEvent } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { ALERT_STATUSES, ALERT_TYPES, raisedAsSigned, SEVERITIES } from '#slices/alerts';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';

const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

const ALERT_ID = '5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa';

const AlertCreated = Type.Object({
  alert_id: Type.String({ format: 'uuid' }),
  seq: Type.Integer({ description: 'Dense within the tenant', minimum: 1 }),
  type: oneOf(ALERT_TYPES),
  severity: oneOf(SEVERITIES),
  source: Type.String({ description: 'Id of a list, or `rules`' }),
  rule_id: Nullable('string'),
  subject_ref: Nullable('string', { description: 'Id of a screening or of a batch’s subject' }),
  score: Type.Number({ maximum: 1, minimum: 0 }),
  status: oneOf(ALERT_STATUSES),
  case_id: Nullable('string'),
  created_at: Type.String({ format: 'date-time' }),
});

const AggregateValue = Type.Unsafe<object | null>({
  properties: {
    name: { type: 'string' },
    value: { type: 'string' },
    bound: { type: 'string' },
    unit: { type: 'string' },
  },
  type: ['object', 'null'],
});

const AlertPublished = Type.Object({
  alertId: Type.String({ format: 'uuid' }),
  ruleId: Nullable('string'),
  accountId: Nullable('string'),
  severity: oneOf(SEVERITIES),
  triggeringTxIds: Type.Array(Type.String(), { maxItems: 100 }),
  aggregateValue: AggregateValue,
});

const CREATED = Object.keys(AlertCreated.properties);

const COMMON = {
  audience: 'tenant',
  description: 'An alert was raised, for people to look at.',
  since: '2026-11-23',
  topic: 'aml.alert.created',
} as const;

/** The outbox says which alert it is; what is told of it is what was signed. */
const raised = (
  { createdAt, partition, payload }: ToldEvent,
  { keyRing, storage: { audit } }: SliceProcess,
): Promise<PublicData> =>
  raisedAsSigned(
    { audit, keyRing },
    {
      alertId: String(payload.alert_id),
      near: createdAt as EpochMs,
      tenantId: partition as TenantId,
    },
  );

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    ...COMMON,
    name: 'aml.alert.created',
    catalogs: ['A'],
    twin: 'aml.alert.published',
    about: 'alert_id',
    schema: AlertCreated,
    example: {
      alert_id: ALERT_ID,
      seq: 42,
      type: 'screening',
      severity: 'Critical',
      source: 'DEMO',
      rule_id: null,
      subject_ref: '019a0b2c-7d4e-7000-8000-000000000000',
      score: 0.97,
      status: 'open',
      case_id: null,
      created_at: '2026-01-31T06:00:00.000Z',
    },
    dataOf: async (told, process) => {
      const alert = await raised(told, process);
      return Object.fromEntries(CREATED.map((name) => [name, alert[name] ?? null]));
    },
  },
  {
    ...COMMON,
    name: 'aml.alert.published',
    catalogs: ['B'],
    twin: 'aml.alert.created',
    about: 'alertId',
    schema: AlertPublished,
    example: {
      alertId: ALERT_ID,
      ruleId: null,
      accountId: null,
      severity: 'Critical',
      triggeringTxIds: [],
      aggregateValue: null,
    },
    dataOf: async (told, process) => {
      const { account_id, aggregate_value, alert_id, rule_id, severity, triggering_tx_ids } =
        await raised(told, process);
      return {
        accountId: account_id,
        aggregateValue: aggregate_value ?? null,
        alertId: alert_id,
        ruleId: rule_id,
        severity,
        triggeringTxIds: triggering_tx_ids ?? [],
      };
    },
  },
];
