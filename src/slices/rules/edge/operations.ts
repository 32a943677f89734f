/** Rules, backtests and suppressions over HTTP (monitoring.md 2.1b). */
import type { EpochMs } from '#platform/clock';
import {
  allRules,
  type Backtest,
  discardRule,
  draftRule,
  etagOf,
  findBacktest,
  findRule,
  publishRule,
  type RuleRecord,
  requestBacktest,
  SCREENING_SCENARIOS,
  saveRule,
  shadowRule,
} from '#slices/rules';
import { SIGNING_PROBLEMS, signaturesIn } from '../../../api/givenSignatures.ts';
import { instantOf } from '../../../api/instants.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { dryRunOperation } from './dryRunOperation.ts';
import { EXAMPLE_RULE } from './exampleRule.ts';
import { figureOperations } from './figureOperations.ts';
import { rulePartsOf } from './parts.ts';
import { presentBacktest, presentRule } from './presentation.ts';
import {
  answerChange,
  CHANGE_PROBLEMS,
  CHANGING,
  placeOf,
  READING,
  RULES,
  type RuleRouteOptions,
  VERSION,
} from './routeOptions.ts';
import { rulePage } from './rulePage.ts';
import {
  BacktestBody,
  type BacktestGiven,
  BacktestResult,
  type Publish,
  PublishBody,
  RulesPage,
  RulesQuery,
  RuleVersion,
  type Save,
  SaveBody,
} from './schemas.ts';
import { suppressionOperations } from './suppressionOperations.ts';

const DAY_MS = 86_400_000;
const BACKTEST_DAYS_DEFAULT = 90;

export function operations(process: GatewayProcess): readonly Operation[] {
  const options: RuleRouteOptions = {
    cursors: process.cursors,
    ports: () => rulePartsOf(process),
    wake: (tenantId) => process.wake('rules', tenantId),
  };
  return [
    listRules(options),
    draft(options),
    getRule(options),
    save(options),
    discard(options),
    dryRunOperation(options, process),
    backtest(options),
    getBacktest(options),
    shadow(options),
    publish(options),
    ...figureOperations(options),
    ...suppressionOperations(options),
  ];
}

export const pages = (process: GatewayProcess): readonly PublicPage[] => [rulePage(process.origin)];

const listRules = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'listRules',
  path: RULES,
  summary: 'All versions of all rules, those of the default pack among them',
  query: RulesQuery,
  responses: { 200: { description: 'The rules', schema: RulesPage } },
  async handle({ query, tenantId }) {
    const ports = options.ports();
    const now = ports.clock.now();
    const { rule_id, status } = query as { rule_id?: string; status?: string };
    const data = (await allRules(ports, tenantId))
      .toSorted((one, other) =>
        one.ruleId === other.ruleId ? other.ruleVersion - one.ruleVersion : 0,
      )
      .map((record) => presentRule(record, now))
      .filter((one) => rule_id === undefined || one.rule_id === rule_id)
      .filter((one) => status === undefined || one.status === status);
    return { body: { data, decided_by_screening: SCREENING_SCENARIOS }, status: 200 };
  },
});

const draft = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'draftRule',
  method: 'POST',
  path: RULES,
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'rule-invalid'],
  summary: 'Draft a rule, or the next version of one',
  description:
    'Every violation of the language is told at once. A rule has one version at a time that is ' +
    'not yet in force. Only registered persons change rules, no API key does.',
  body: SaveBody,
  example: { content: EXAMPLE_RULE, justification: 'Cash below our own threshold' },
  responses: { 201: { description: 'The draft', schema: RuleVersion } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => draftRule(ports, ask, context.body as Save),
      statusOf: () => 201,
    }),
});

const getRule = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'getRule',
  path: VERSION,
  problems: ['rule-unknown'],
  summary: 'One version of a rule',
  responses: { 200: { description: 'The version', schema: RuleVersion } },
  async handle(context) {
    const ports = options.ports();
    const record = await findRule(ports, placeOf(context));
    return {
      body: presentRule(record, ports.clock.now()),
      headers: [['etag', etagOf(record)]],
      status: 200,
    };
  },
});

const save = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'saveRule',
  method: 'PUT',
  path: VERSION,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'rule-invalid'],
  summary: 'Replace a version that is not yet in force; it is a draft again',
  body: SaveBody,
  example: { content: EXAMPLE_RULE, justification: 'A lower bound' },
  responses: { 200: { description: 'The draft', schema: RuleVersion } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        saveRule(ports, { ...ask, ...placeOf(context) }, context.body as Save),
      statusOf: () => 200,
    }),
});

const discard = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'discardRule',
  method: 'DELETE',
  path: VERSION,
  bodyBytesMax: 0,
  conditions: 'version',
  idempotency: 'none',
  problems: [...CHANGE_PROBLEMS],
  summary: 'Discard a version that is not in force',
  responses: { 200: { description: 'The version, discarded', schema: RuleVersion } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => discardRule(ports, { ...ask, ...placeOf(context) }),
      statusOf: () => 200,
    }),
});

const shadow = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'shadowRule',
  method: 'POST',
  path: `${VERSION}/shadow`,
  bodyBytesMax: 0,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS],
  summary: 'Evaluate a version beside those in force; it raises nothing',
  responses: { 200: { description: 'The version, in shadow', schema: RuleVersion } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => shadowRule(ports, { ...ask, ...placeOf(context) }),
      statusOf: () => 200,
    }),
});

const publish = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'publishRule',
  method: 'POST',
  path: `${VERSION}/publish`,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, ...SIGNING_PROBLEMS, 'rule-invalid', 'rule-untested'],
  roles: roles.publish,
  summary: 'Sign a version; the second signature puts it into force',
  description:
    'Two persons sign, one of compliance and one of DSI. The first signature counts for seven ' +
    'days, and any edit voids it. It was backtested, or was in shadow, before. The part of the ' +
    'log that is evaluated next is evaluated by it, whole.',
  body: PublishBody,
  example: { signature: `${'A'.repeat(86)}==`, timestamp: '2026-01-31T06:00:00.000Z' },
  responses: {
    200: { description: 'The version, in force', schema: RuleVersion },
    202: { description: 'The version, waiting for the second person', schema: RuleVersion },
  },
  handle: (context) => {
    const { comment } = context.body as Publish;
    const signatures = signaturesIn(context.body as Publish);
    return answerChange(options, context, {
      change: (ports, ask) =>
        publishRule(ports, {
          ...ask,
          ...placeOf(context),
          signatures,
          ...(comment !== undefined && { comment }),
        }),
      statusOf: ({ status }: RuleRecord) => (status === 'published' ? 200 : 202),
    });
  },
});

const backtest = (options: RuleRouteOptions): Operation => ({
  ...CHANGING,
  id: 'backtestRule',
  method: 'POST',
  path: `${VERSION}/backtest`,
  idempotency: 'required',
  problems: ['person-required', 'rule-unknown', 'state-altered'],
  summary: 'Evaluate a version upon the stored history; the report comes later',
  description:
    'A draft counts as backtested once its report is there. Facts and rates are those of then.',
  body: BacktestBody,
  example: { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' },
  responses: { 202: { description: 'Queued', schema: BacktestResult } },
  async handle(context) {
    const ports = options.ports();
    const now = ports.clock.now();
    const given = context.body as BacktestGiven;
    const to = given.to === undefined ? now : instantOf(given.to, '/to');
    const from =
      given.from === undefined
        ? ((to - BACKTEST_DAYS_DEFAULT * DAY_MS) as EpochMs)
        : instantOf(given.from, '/from');
    const answer = kept(ports, context, { present: presentBacktest, status: 202 });
    const made: Backtest = await requestBacktest(
      ports,
      { ...askedBy(context), ...placeOf(context), ...answer.idempotency },
      { from, to },
    );
    options.wake(context.tenantId);
    return answer.reply(made);
  },
});

const getBacktest = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'getBacktest',
  path: '/v1/aml/rule-backtests/{backtest_id}',
  problems: ['backtest-unknown', 'state-altered'],
  summary: 'A backtest, with its report once it has ended',
  responses: { 200: { description: 'The backtest', schema: BacktestResult } },
  handle: async ({ params, tenantId }) => ({
    body: presentBacktest(
      await findBacktest(options.ports(), { backtestId: params.backtest_id ?? '', tenantId }),
    ),
    status: 200,
  }),
});
