/** Alerts as lists and one by one. */
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type Alert,
  type AlertFilter,
  findAlert,
  needsSecond,
  notesOf,
  readAlerts,
  subjectOf,
  toldAltered,
  workerOf,
} from '#slices/alerts';
import type { CursorCodec } from '../../../api/cursor.ts';
import { instantOf } from '../../../api/instants.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AlertParts } from './parts.ts';
import { presentAll } from './presentAll.ts';
import { etagOf, presentDetail } from './presentation.ts';
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
      'short, or empty, and has a `next_cursor`; in every other case only the last page is ' +
      'short. Fifty alerts cost a token, and so does each chunk of a batch that they are of, and ' +
      'each further two hundred that are looked at. One that is not what was signed has a ' +
      '`fault`, and stands in `altered` on every page, also where the filters leave it out.',
    problems: ['evidence-altered'],
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
      'not-found',
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
    mayReadOn: () => mayGoOn(context),
    tenantId,
    ...(position !== undefined && { afterSeq: Number(position.key) }),
  });
  await context.charge(evidenceTokens(alerts));
  const data = await presentAll(options, { alerts, by: readingCaller(context.request), tenantId });
  const next = nextSeq === undefined ? null : options.cursors.encode(scope, placeOf(nextSeq));
  const altered = await toldAltered(options, tenantId);
  return { body: { data, next_cursor: next, altered }, status: 200 };
}

const placeOf = (seq: number) => ({ id: String(seq), key: seq });

/** Alerts whose evidence one token pays for. */
const ALERTS_PER_TOKEN = 50;
/** Subjects of a chunk, about. */
const CHUNK_SUBJECTS = 1_000;

/** What the evidence of a page costs: a token for so many alerts, and one for each chunk. */
function evidenceTokens(alerts: readonly Alert[]): number {
  const chunks = alerts.flatMap(({ cause }) =>
    cause?.kind === 'batch_subject' // a forged record may have none
      ? [`${cause.batchId}/${Math.floor(cause.ordinal / CHUNK_SUBJECTS)}`]
      : [],
  );
  const tokens = Math.ceil(alerts.length / ALERTS_PER_TOKEN) + new Set(chunks).size;
  // The call itself has paid for the first.
  return Math.max(0, tokens - 1);
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
  if (!(await options.signed.isAsSigned(alert))) throw new DomainError('alert-altered');
  const settings = await options.settingsOf(tenantId);
  const body = presentDetail(alert, {
    isClosableByOne: !needsSecond(settings, alert, 'closed_false_positive'),
    notes: await notesOf(options, place),
    now: options.clock.now(),
    subject: await subjectOf(options, alert, readingCaller(request)),
  });
  return { body, headers: [['etag', etagOf(alert)] as const], status: 200 };
}
