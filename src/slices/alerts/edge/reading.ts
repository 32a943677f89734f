/** Alerts as lists and one by one. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type Alert,
  type AlertFilter,
  findAlert,
  needsSecond,
  notesOf,
  readAlerts,
  subjectOf,
  subjectsOf,
  workerOf,
} from '#slices/alerts';
import type { ReadingCaller } from '#slices/batches';
import type { CursorCodec } from '../../../api/cursor.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AlertParts } from './parts.ts';
import { etagOf, presentAlert, presentDetail } from './presentation.ts';
import { READING_REFUSALS, readingCaller } from './readingCaller.ts';
import { AlertDetail, type AlertsAsk, AlertsPage, AlertsQuery } from './schemas.ts';

/** What the operations of alerts are made of. */
export interface AlertRouteOptions extends AlertParts {
  readonly cursors: CursorCodec;
}

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'alerts:read',
  tag: 'AML',
} as const;

export const readingOperations = (options: AlertRouteOptions): Operation[] => [
  {
    ...READING,
    id: 'listAlerts',
    path: '/v1/aml/alerts',
    summary: 'Alerts, latest first',
    description:
      'A page looks at a bounded number of alerts. Where the filters leave out so many, it is ' +
      'short, or empty, and has a `next_cursor`; in every other case only the last page is short.',
    query: AlertsQuery,
    responses: { 200: { description: 'A page of alerts', schema: AlertsPage } },
    handle: (context) => list(options, context),
  },
  {
    ...READING,
    id: 'getAlert',
    path: '/v1/aml/alerts/{alert_id}',
    problems: [
      'alert-altered',
      'alert-unknown',
      'evidence-altered',
      'results-altered',
      ...READING_REFUSALS,
    ],
    summary: 'One alert, with its hits and notes',
    description: 'Its ETag is the version that If-Match of a change may name.',
    responses: { 200: { description: 'The alert', schema: AlertDetail } },
    handle: (context) => get(options, context),
  },
];

async function list(options: AlertRouteOptions, context: OperationContext) {
  const { tenantId } = context;
  const query = context.query as unknown as AlertsAsk;
  const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filters } = query;
  const scope = { filters, list: 'listAlerts', tenantId };
  const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
  const { alerts, nextSeq } = await readAlerts(options, {
    filter: await filterOf(options, context, filters),
    limit,
    tenantId,
    ...(position !== undefined && { afterSeq: Number(position.key) }),
  });
  const data = await presentAll(options, alerts, readingCaller(context.request));
  const next = nextSeq === undefined ? null : options.cursors.encode(scope, placeOf(nextSeq));
  return { body: { data, next_cursor: next }, status: 200 };
}

const placeOf = (seq: number) => ({ id: String(seq), key: seq });

/** Rows of alerts; the evidence of each is read, and a chunk of a batch once for all of its own. */
export async function presentAll(
  options: AlertParts,
  alerts: readonly Alert[],
  by?: ReadingCaller,
) {
  const now = options.clock.now();
  const subjectIn = subjectsOf(options, alerts, by);
  const rows = [];
  for (const alert of alerts) {
    rows.push(presentAlert(alert, { now, subject: await subjectIn(alert) }));
  }
  return rows;
}

/** The filters of a query as the rules have them. */
export async function filterOf(
  options: AlertParts,
  { principal }: Pick<OperationContext, 'principal'>,
  query: Omit<AlertsAsk, 'cursor' | 'limit'>,
): Promise<AlertFilter> {
  const { assignee, from, severity, sla, source, status, subject, to, type } = query;
  const isMine = assignee === 'me';
  const worker = isMine ? (await workerOf(options, principal)).actor : assignee;
  return {
    ...(from !== undefined && { from: instantOf(from, '?from') }),
    ...(severity !== undefined && { severity }),
    ...(sla !== undefined && { isOverdue: sla === 'breached' }),
    ...(source !== undefined && { source }),
    ...(status !== undefined && { status }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(to !== undefined && { to: instantOf(to, '?to') }),
    ...(type !== undefined && { type }),
    ...(worker !== undefined && { assignee: worker }),
  };
}

async function get(options: AlertRouteOptions, { params, request, tenantId }: OperationContext) {
  const place = { alertId: params.alert_id ?? '', tenantId };
  const alert = await findAlert(options, place);
  const settings = await options.settingsOf(tenantId);
  const body = presentDetail(alert, {
    isClosableByOne: !needsSecond(settings, alert, 'closed_false_positive'),
    notes: await notesOf(options, place),
    now: options.clock.now(),
    subject: await subjectOf(options, alert, readingCaller(request)),
  });
  return { body, headers: [['etag', etagOf(alert)] as const], status: 200 };
}
