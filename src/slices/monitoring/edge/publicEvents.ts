/** What transactions tell customers' systems: an alert, by ids and figures, and no name. */
import { Type } from 'typebox';
import type { PublicEvent, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { LISTED_PARTY_RULE, raisedAsSigned, SCREENED_RULES, SEVERITIES } from '#slices/alerts';
import { matchesOf, type RuleAlertFacts, TRIGGERING_MAX } from '#slices/monitoring';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';
import { ruleAlert } from '../asks.ts';

const TransactionAlert = Type.Object({
  alert_id: Type.String({ format: 'uuid' }),
  rule_id: Type.String(),
  rule_version: Type.Integer({ minimum: 1 }),
  account_id: Nullable('string'),
  severity: Type.Union(SEVERITIES.map((one) => Type.Literal(one))),
  triggering_tx_ids: Type.Array(Type.String(), { maxItems: TRIGGERING_MAX }),
  aggregate_value: Type.Union([
    Type.Object({ amount: Type.String(), currency: Type.String() }),
    Type.Null(),
  ]),
  window: Type.Union(
    [
      Type.Object({
        from: Type.String({ format: 'date-time' }),
        to: Type.String({ format: 'date-time' }),
      }),
      Type.Null(),
    ],
    { description: 'Where the value was taken of: after `from`, up to `to`' },
  ),
  created_at: Type.String({ format: 'date-time' }),
});

/** The rule that ships, which no tenant changes. */
const LISTED_PARTY_VERSION = 1;

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'aml.transaction.alert',
    catalogs: ['A', 'B'],
    about: 'alert_id',
    audience: 'tenant',
    description:
      'The monitoring of transactions raised an alert; `aml.alert.created` tells of it, too.',
    since: '2026-11-25',
    topic: 'aml.alert.created',
    schema: TransactionAlert,
    example: {
      alert_id: '5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa',
      rule_id: LISTED_PARTY_RULE,
      rule_version: LISTED_PARTY_VERSION,
      account_id: 'ACC-17',
      severity: 'Critical',
      triggering_tx_ids: ['TX-2026-000017'],
      aggregate_value: null,
      window: null,
      created_at: '2026-01-31T06:00:00.000Z',
    },
    dataOf: async ({ createdAt, partition, payload }, process) => {
      if (payload.type !== 'monitoring') return undefined;
      const tenantId = partition as TenantId;
      const alertId = String(payload.alert_id);
      const { keyRing, storage } = process;
      const raised = await raisedAsSigned(
        { audit: storage.audit, keyRing },
        { alertId, near: createdAt as EpochMs, tenantId },
      );
      if (raised.type !== 'monitoring') return undefined;
      const facts = SCREENED_RULES.includes(String(raised.rule_id))
        ? await listedParty(process, tenantId, String(raised.subject_ref))
        : await process.ask(ruleAlert)({ alertId, tenantId });
      if (facts === undefined) return undefined;
      return {
        ...facts,
        alert_id: raised.alert_id,
        created_at: raised.created_at,
        rule_id: raised.rule_id,
        severity: raised.severity,
      };
    },
  },
];

async function listedParty(
  { storage: { tables } }: SliceProcess,
  tenantId: TenantId,
  screeningId: string,
): Promise<RuleAlertFacts> {
  const { named } = await matchesOf({ tables }, { screeningId, tenantId });
  return {
    account_id: named[0]?.accountId ?? null,
    aggregate_value: null,
    rule_version: LISTED_PARTY_VERSION,
    triggering_tx_ids: named.map(({ txId }) => txId),
    window: null,
  };
}
