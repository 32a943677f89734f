/** Watched customers over HTTP: added, seen, removed; and how far they are compared. */
import type { Actor } from '#core/audit';
import { DomainError, type Violation } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { readSubject, type Subject } from '#slices/intake';
import {
  findCoverage,
  findMonitored,
  monitoredTable,
  type RegisterCounts,
  type RegisterPorts,
  registerSubjects,
  removeMonitored,
  rescreeningState,
  type SignedEntries,
  SUBJECTS_BYTES_MAX,
  signedEntries,
} from '#slices/rescreening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { CursorCodec } from '../../../api/cursor.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { presentMonitored, presentState } from './presentation.ts';
import {
  MonitoredPage,
  MonitoredQuery,
  MonitoredResult,
  type Register,
  RegisterBody,
  RegisterResult,
  RescreeningResult,
} from './schemas.ts';

/** Customers that cost as much as one call. */
const SUBJECTS_PER_TOKEN = 200;
const PATH = '/v1/sanctions/monitored-subjects';

interface RouteOptions extends RegisterPorts {
  readonly cursors: CursorCodec;
  readonly entries: SignedEntries;
  readonly wake: GatewayProcess['wake'];
}

export function operations(process: GatewayProcess): readonly Operation[] {
  const { clock, commit, cursors, keyRing, random, storage, wake } = process;
  const { audit, tables } = storage;
  const entries = signedEntries({ audit, keyRing });
  const options = { clock, commit, cursors, entries, random, tables, wake };
  return [register(options), list(options), get(options), remove(options), state(options)];
}

const COMMON = { tag: 'Sanctions', limits: 'general' } as const;
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'rescreening:read',
} as const;
const WRITING = { ...COMMON, roles: roles.write, scope: 'rescreening:write' } as const;

const actorOf = ({ principal }: OperationContext): Actor =>
  `${principal.kind === 'user' ? 'user' : 'key'}:${principal.id}`;

const register = (options: RouteOptions): Operation => ({
  ...WRITING,
  id: 'addMonitoredSubjects',
  method: 'POST',
  path: PATH,
  summary: 'Have customers screened with every list that changes',
  description:
    'Each is screened at once, and again whenever a changed entry of a list is ' +
    'near. A known reference with other data is changed; one that is the same is left as it is. ' +
    'Hits raise alerts.',
  idempotency: 'required',
  bodyBytesMax: SUBJECTS_BYTES_MAX,
  body: RegisterBody,
  tokensOf: (body) => 1 + Math.floor((body as Register).subjects.length / SUBJECTS_PER_TOKEN),
  example: {
    subjects: [
      { dob: '1980-02-03', external_id: 'C-1', full_name: 'Jane Roe', type: 'individual' },
    ],
  },
  responses: { 200: { description: 'What came of them', schema: RegisterResult } },
  async handle(context) {
    const { ip, tenantId } = context;
    const subjects = subjectsOf((context.body as Register).subjects);
    const answer = kept(options, context, {
      present: (counts: RegisterCounts) => counts,
      status: 200,
    });
    const counts = await registerSubjects(options, {
      ...answer.idempotency,
      actor: actorOf(context),
      addedBy: 'api',
      ...(ip !== '' && { ip }),
      subjects,
      tenantId,
    });
    options.wake('rescreening', tenantId);
    return answer.reply(counts);
  },
});

/** Throws `body-invalid` with every violation. */
function subjectsOf(values: readonly unknown[]): readonly Subject[] {
  const subjects: Subject[] = [];
  const violations: Violation[] = [];
  for (const [place, value] of values.entries()) {
    const read = readSubject(value, countries);
    if (read.violations === undefined) subjects.push(read.subject);
    else {
      violations.push(
        ...read.violations.map((one) => ({
          ...one,
          pointer: `/subjects/${place}${one.pointer}`,
        })),
      );
    }
  }
  if (violations.length > 0) throw new DomainError('body-invalid', { violations });
  return subjects;
}

const list = (options: RouteOptions): Operation => ({
  ...READING,
  id: 'listMonitoredSubjects',
  path: PATH,
  summary: 'Customers that are watched',
  query: MonitoredQuery,
  responses: { 200: { description: 'A page of them', schema: MonitoredPage } },
  async handle({ query, tenantId }) {
    const { cursors, tables } = options;
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as Readonly<Record<string, never>>;
    const scope = { filters: {}, list: 'listMonitoredSubjects', tenantId };
    const place = cursor === undefined ? undefined : cursors.decode(scope, cursor);
    const coverage = await findCoverage(options, tenantId);
    const page = await tables.page(monitoredTable, {
      equal: { state: 'active', tenantId },
      index: 'byState',
      limit,
      ...(place !== undefined && { after: [place.id, tenantId, place.id] }),
    });
    const last = page.next === undefined ? undefined : page.records.at(-1);
    const next = last && cursors.encode(scope, { id: last.subjectId, key: 0 });
    const data = page.records.map((record) => presentMonitored(record, coverage));
    return { body: { data, next_cursor: next ?? null }, status: 200 };
  },
});

const get = (options: RouteOptions): Operation => ({
  ...READING,
  id: 'getMonitoredSubject',
  path: `${PATH}/{subject_ref}`,
  summary: 'One customer that is watched',
  problems: ['monitored-unknown'],
  responses: { 200: { description: 'The customer', schema: MonitoredResult } },
  async handle({ params, tenantId }) {
    const subjectRef = params.subject_ref ?? '';
    const record = await findMonitored(options, { subjectRef, tenantId });
    const body = presentMonitored(record, await findCoverage(options, tenantId));
    return { body, status: 200 };
  },
});

const remove = (options: RouteOptions): Operation => ({
  ...WRITING,
  id: 'removeMonitoredSubject',
  method: 'DELETE',
  path: `${PATH}/{subject_ref}`,
  summary: 'Watch a customer no more',
  description: 'What is known of the customer is taken away; alerts and evidence stay.',
  problems: ['monitored-unknown'],
  idempotency: 'none',
  bodyBytesMax: 0,
  responses: { 200: { description: 'The customer, removed', schema: MonitoredResult } },
  async handle(context) {
    const { ip, params, tenantId } = context;
    const removed = await removeMonitored(options, {
      actor: actorOf(context),
      ...(ip !== '' && { ip }),
      subjectRef: params.subject_ref ?? '',
      tenantId,
    });
    return { body: presentMonitored(removed, undefined), status: 200 };
  },
});

const state = (options: RouteOptions): Operation => ({
  ...READING,
  id: 'getRescreening',
  path: '/v1/sanctions/rescreening',
  summary: 'How far customers are compared with the lists, the last runs, and batches taken over',
  responses: { 200: { description: 'Coverage and runs', schema: RescreeningResult } },
  async handle({ tenantId }) {
    const body = presentState(await rescreeningState(options, tenantId));
    return { body, status: 200 };
  },
});
