/** Suppressions over HTTP: seen, asked for, agreed with, ended. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  approveSuppression,
  endSuppression,
  type Suppression,
  suppress,
  suppressionEtag,
  suppressionTable,
} from '#slices/rules';
import { changeAnswer } from '../../../api/changeAnswer.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentSuppression } from './presentation.ts';
import { READING, type RuleRouteOptions } from './routeOptions.ts';
import {
  type Suppress,
  SuppressBody,
  SuppressionResult,
  SuppressionsPage,
  SuppressionsQuery,
} from './schemas.ts';

const PATH = '/v1/aml/suppressions';
const ONE = `${PATH}/{suppression_id}`;
const BODY_BYTES_MAX = 64 * 1024;
const DECIDING = {
  bodyBytesMax: BODY_BYTES_MAX,
  limits: 'general',
  roles: roles.suppress,
  scope: 'alerts:write',
  tag: 'AML',
} as const;
const PROBLEMS = [
  'person-required',
  'state-altered',
  'state-conflict',
  'suppression-unknown',
] as const;

export const suppressionOperations = (options: RuleRouteOptions): Operation[] => [
  list(options),
  add(options),
  approve(options),
  end(options),
];

const list = (options: RuleRouteOptions): Operation => ({
  ...READING,
  id: 'listSuppressions',
  path: PATH,
  summary: 'Suppressions, latest first',
  query: SuppressionsQuery,
  responses: { 200: { description: 'A page of suppressions', schema: SuppressionsPage } },
  async handle({ query, tenantId }) {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as { cursor?: string; limit?: number };
    const scope = { filters: {}, list: 'listSuppressions', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const ports = options.ports();
    const now = ports.clock.now();
    const { next, records } = await ports.tables.page(suppressionTable, {
      direction: 'descending',
      equal: { tenantId },
      index: 'newest',
      limit,
      ...(position !== undefined && { after: [Number(position.key), position.id] }),
    });
    const last = records.at(-1);
    const behind =
      next === undefined || last === undefined
        ? null
        : options.cursors.encode(scope, { id: last.suppressionId, key: last.createdAt });
    return {
      body: { data: records.map((one) => presentSuppression(one, now)), next_cursor: behind },
      status: 200,
    };
  },
});

const add = (options: RuleRouteOptions): Operation => ({
  ...DECIDING,
  id: 'addSuppression',
  method: 'POST',
  path: PATH,
  idempotency: 'required',
  problems: ['person-required', 'state-conflict', 'suppression-invalid'],
  summary: 'Let a rule raise nothing more about the subject of an alert',
  description:
    'What meets the rule is stored and counted as before. For rules of High and Critical another ' +
    'registered person agrees.',
  body: SuppressBody,
  example: {
    alert_id: '5f9d0e4b-93d1-8c1e-9a55-0a2f4de2c1aa',
    expires_at: '2026-03-31T00:00:00Z',
    reason: 'Salaries of the month, paid out by this account',
  },
  responses: { 201: { description: 'Active, or proposed', schema: SuppressionResult } },
  async handle(context) {
    const { alert_id: alertId, expires_at, reason } = context.body as Suppress;
    const expiresAt = instantOf(expires_at, '/expires_at');
    return answer(options, context, 201, (ports, ask) =>
      suppress(ports, ask, { alertId, expiresAt, reason }),
    );
  },
});

const approve = (options: RuleRouteOptions): Operation => ({
  ...DECIDING,
  id: 'approveSuppression',
  method: 'POST',
  path: `${ONE}/approve`,
  bodyBytesMax: 0,
  idempotency: 'required',
  conditions: 'version',
  problems: [...PROBLEMS, 'second-person-required'],
  summary: 'Agree with a proposed suppression',
  responses: { 200: { description: 'The suppression, active', schema: SuppressionResult } },
  handle: (context) =>
    answer(options, context, 200, (ports, ask) =>
      approveSuppression(ports, ask, context.params.suppression_id ?? ''),
    ),
});

const end = (options: RuleRouteOptions): Operation => ({
  ...DECIDING,
  id: 'endSuppression',
  method: 'DELETE',
  path: ONE,
  bodyBytesMax: 0,
  idempotency: 'none',
  conditions: 'version',
  problems: [...PROBLEMS],
  summary: 'End a suppression, or refuse a proposed one',
  responses: { 200: { description: 'The suppression, ended', schema: SuppressionResult } },
  handle: (context) =>
    answer(options, context, 200, (ports, ask) =>
      endSuppression(ports, ask, context.params.suppression_id ?? ''),
    ),
});

function answer(
  options: RuleRouteOptions,
  context: OperationContext,
  status: number,
  change: (
    ports: ReturnType<RuleRouteOptions['ports']>,
    ask: Parameters<typeof suppress>[1],
  ) => Promise<Suppression>,
) {
  const ports = options.ports();
  const now = ports.clock.now();
  return changeAnswer<Suppression>(ports, context, {
    change: (ask) => change(ports, ask),
    etagOf: suppressionEtag,
    present: (record) => presentSuppression(record, now),
    status,
  });
}
