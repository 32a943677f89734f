/** What people look at before they sign a version: its shadow, and its backtests. */
import { Type } from 'typebox';
import type { Role } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  BACKTEST_DAYS_MAX,
  findRule,
  gravityOf,
  listBacktests,
  SHADOW_ALERTS_MAX,
  type ShadowFigures,
  type StoredRuleAlert,
  shadowFigures,
} from '#slices/rules';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentBacktest } from './presentation.ts';
import { placeOf, READING, type RuleRouteOptions, VERSION } from './routeOptions.ts';
import { BacktestResult } from './schemas.ts';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
const DAY_CHARS = 'YYYY-MM-DD'.length;
const EXAMPLES_MAX = 10;
const EXAMPLE_TX_MAX = 10;

const Query = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({ default: DAYS_DEFAULT, maximum: BACKTEST_DAYS_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

const Figures = Type.Object({
  rule_id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  alerts: Type.Integer({ minimum: 0 }),
  complete: Type.Boolean({
    description: `Whether these are all: an answer counts the latest ${SHADOW_ALERTS_MAX}`,
  }),
  subjects: Type.Integer({ minimum: 0 }),
  by_day: Type.Array(
    Type.Object({ day: Type.String({ format: 'date' }), alerts: Type.Integer({ minimum: 1 }) }),
    { description: 'By the UTC day of the last transaction, earliest first; empty days left out' },
  ),
  examples: Type.Array(
    Type.Object({
      subject_kind: Type.String(),
      subject_key: Type.String({ description: 'Keyed digest of the subject' }),
      severity: Type.String(),
      score: Type.Number(),
      last_at: Type.String({ format: 'date-time' }),
      tx_ids: Type.Array(Type.String(), { description: 'The first ten' }),
      text: Type.Unsafe<object>({ description: 'In fr, ar and en', type: 'object' }),
    }),
    { description: 'The latest ten; none for a role that sees no payments' },
  ),
});

export const figureOperations = (options: RuleRouteOptions): Operation[] => [
  shadow(options),
  backtests(options),
];

const shadow = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'getRuleShadow',
  path: `${VERSION}/shadow`,
  problems: ['evidence-altered', 'rule-unknown'],
  summary: 'What a version in shadow would have raised, as it was evaluated and signed',
  query: Query,
  responses: { 200: { description: 'Its alerts in figures', schema: Figures } },
  async handle(context) {
    const ports = options.ports();
    const { ruleId, ruleVersion, tenantId } = await findRule(ports, placeOf(context));
    const { days = DAYS_DEFAULT } = context.query as { readonly days?: number };
    const to = ports.clock.now();
    const from = (to - days * DAY_MS) as EpochMs;
    const found = await shadowFigures(ports, { ruleId, ruleVersion, since: from, tenantId });
    return {
      body: {
        rule_id: ruleId,
        version: ruleVersion,
        from: toTimestamp(from),
        to: toTimestamp(to),
        ...present(found, mayKnow(context.principal)),
      },
      status: 200,
    };
  },
});

function present({ alerts, isWhole }: ShadowFigures, isShown: boolean) {
  const days = new Map<string, number>();
  for (const { lastAt } of alerts) {
    const day = toTimestamp(lastAt as EpochMs).slice(0, DAY_CHARS);
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return {
    alerts: alerts.length,
    complete: isWhole,
    subjects: new Set(alerts.map(({ alert }) => alert.subject.key)).size,
    by_day: [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(presentDay),
    examples: (isShown ? alerts.slice(0, EXAMPLES_MAX) : []).map(presentExample),
  };
}

/** Who signs for operations sees figures; payments are for those who work on them. */
const mayKnow = ({ roles: held }: { readonly roles: readonly Role[] }): boolean =>
  held.some((role) => roles.readPayments.some((one) => one === role));

const presentDay = ([day, alerts]: readonly [string, number]) => ({ alerts, day });

const presentExample = ({ alert, lastAt }: StoredRuleAlert) => ({
  subject_kind: alert.subject.kind,
  subject_key: alert.subject.key,
  ...gravityOf(alert),
  last_at: toTimestamp(lastAt as EpochMs),
  tx_ids: alert.triggers.slice(0, EXAMPLE_TX_MAX).map(({ txId }) => txId),
  text: alert.explanation.text,
});

const backtests = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'listRuleBacktests',
  path: `${VERSION}/backtests`,
  problems: ['rule-unknown', 'state-altered'],
  summary: 'Backtests of a version, latest first',
  responses: {
    200: {
      description: 'The latest ones',
      schema: Type.Object({ data: Type.Array(BacktestResult), next_cursor: Type.Null() }),
    },
  },
  async handle(context) {
    const ports = options.ports();
    const place = await findRule(ports, placeOf(context));
    const data = (await listBacktests(ports, place)).map(presentBacktest);
    return { body: { data, next_cursor: null }, status: 200 };
  },
});
