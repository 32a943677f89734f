/** Exclusions over HTTP: seen, added, approved, revoked (operations.md S12). */
import type { EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  addExclusion,
  approveExclusion,
  type ExclusionPorts,
  type ExclusionRecord,
  exclusionPartsOf,
  findExclusion,
  readExclusions,
  revokeExclusion,
  usesOf,
} from '#slices/exclusions';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import { instantOf } from '../../../api/instants.ts';
import { kept } from '../../../api/keptAnswer.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { etagOf, presentExclusion } from './presentation.ts';
import {
  type Add,
  AddBody,
  ExclusionResult,
  ExclusionsAdded,
  ExclusionsPage,
  ExclusionsQuery,
} from './schemas.ts';

const BODY_BYTES_MAX = 64 * 1024;

interface RouteOptions {
  readonly ports: ExclusionPorts;
  readonly cursors: CursorCodec;
  readonly identity: GatewayProcess['identity'];
}

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors, identity } = process;
  const options = {
    cursors,
    identity,
    get ports() {
      return exclusionPartsOf(process);
    },
  };
  return [list(options), get(options), add(options), approve(options), revoke(options)];
}

const COMMON = {
  tag: 'Sanctions',
  limits: 'general',
} as const;
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'exclusions:read',
} as const;
const DECIDING = {
  ...COMMON,
  roles: roles.decide,
  scope: 'exclusions:write',
} as const;
const PATH = '/v1/sanctions/exclusions';
const ONE = `${PATH}/{exclusion_id}`;
const DECISION_PROBLEMS = [
  'exclusion-altered',
  'exclusion-unknown',
  'list-altered',
  'state-conflict',
] as const;

const list = (options: RouteOptions): Operation => ({
  ...READING,
  id: 'listExclusions',
  path: PATH,
  summary: 'Exclusions, latest first',
  description:
    'A page looks at a bounded number of them. Where the filters leave out so many, it is short, ' +
    'or empty, and has a `next_cursor`; in every other case only the last page is short.',
  query: ExclusionsQuery,
  responses: { 200: { description: 'A page of exclusions', schema: ExclusionsPage } },
  async handle(context) {
    const { query, tenantId } = context;
    const { cursors, ports } = options;
    const asked = query as Readonly<Record<string, never>>;
    const { cursor, ftm_id, limit = PAGE_LIMIT_DEFAULT, status, subject_ref } = asked;
    const filters = {
      ...(ftm_id !== undefined && { ftm_id }),
      ...(status !== undefined && { status }),
      ...(subject_ref !== undefined && { subject_ref }),
    };
    const scope = { filters, list: 'listExclusions', tenantId };
    const position = cursor === undefined ? undefined : cursors.decode(scope, cursor);
    const now = ports.clock.now();
    const { exclusions, next } = await readExclusions(ports, {
      limit,
      mayReadOn: () => mayGoOn(context),
      now,
      tenantId,
      ...(ftm_id !== undefined && { ftmId: ftm_id }),
      ...(status !== undefined && { status }),
      ...(subject_ref !== undefined && { subjectRef: subject_ref }),
      ...(position !== undefined && {
        after: { createdAt: Number(position.key) as EpochMs, exclusionId: position.id },
      }),
    });
    const behind = next && cursors.encode(scope, { id: next.exclusionId, key: next.createdAt });
    const data = await presentAll(options, exclusions);
    return { body: { data, next_cursor: behind ?? null }, status: 200 };
  },
});

async function presentAll({ ports }: RouteOptions, records: readonly ExclusionRecord[]) {
  const now = ports.clock.now();
  const uses = await usesOf(ports, records);
  return records.map((record) =>
    presentExclusion(record, { now, use: uses.get(record.exclusionId) }),
  );
}

const get = (options: RouteOptions): Operation => ({
  ...READING,
  id: 'getExclusion',
  path: ONE,
  summary: 'One exclusion',
  problems: ['exclusion-unknown'],
  responses: { 200: { description: 'The exclusion', schema: ExclusionResult } },
  async handle(context) {
    const record = await findExclusion(options.ports, placeOf(context));
    const [body] = await presentAll(options, [record]);
    return { body: body ?? {}, headers: [['etag', etagOf(record)] as const], status: 200 };
  },
});

const placeOf = ({ params, tenantId }: OperationContext) => ({
  exclusionId: params.exclusion_id ?? '',
  tenantId,
});

const add = (options: RouteOptions): Operation => ({
  ...DECIDING,
  id: 'addExclusion',
  method: 'POST',
  path: PATH,
  summary: 'Say that a subject is not a listed party',
  description:
    'The hit is one that a screening has found. From then on the same subject has no hit of that ' +
    'entry; every screening says in its event, and in `suppressed`, what was left out. Hits of ' +
    'sanctions lists need a second person. It ends at its time, when it is revoked, and when ' +
    'the list publishes other names, dates, places, identifiers, citizenships or categories.',
  problems: [
    'evidence-altered',
    'exclusion-invalid',
    'list-altered',
    'not-found',
    'person-required',
    'state-conflict',
  ],
  idempotency: 'required',
  bodyBytesMax: BODY_BYTES_MAX,
  body: AddBody,
  example: {
    ftm_id: 'ofac-36',
    reason: 'Another date and another place of birth',
    reason_code: 'dob_differs',
    screening_id: '019a0b2c-7d4e-7000-8000-000000000000',
  },
  responses: { 201: { description: 'Active, or proposed', schema: ExclusionsAdded } },
  async handle(context) {
    const { ports } = options;
    const body = context.body as Add;
    const now = ports.clock.now();
    const answer = kept(ports, context, {
      present: (records: readonly ExclusionRecord[]) => ({
        data: records.map((record) => presentExclusion(record, { now })),
      }),
      status: 201,
    });
    const ask = {
      by: await callerOf(options, context),
      ftmId: body.ftm_id,
      reason: body.reason,
      reasonCode: body.reason_code,
      screeningId: body.screening_id,
      ...(body.expires_at !== undefined && {
        expiresAt: instantOf(body.expires_at, '/expires_at'),
      }),
      ...(body.subject_ref !== undefined && { subjectRef: body.subject_ref }),
    };
    return answer.reply(await addExclusion(ports, ask, answer.idempotency.idempotency));
  },
});

const callerOf = ({ identity }: RouteOptions, { ip, principal }: OperationContext) =>
  actorOf({ identity }, principal, ip === '' ? undefined : ip);

type Decide = typeof approveExclusion;

const approve = (options: RouteOptions): Operation => ({
  ...DECIDING,
  id: 'approveExclusion',
  method: 'POST',
  path: `${ONE}/approve`,
  summary: 'Agree with a proposed exclusion',
  description: 'Another registered person than the one who proposed it. It holds within a second.',
  problems: [...DECISION_PROBLEMS, 'four-eyes-same-person', 'person-required'],
  idempotency: 'required',
  conditions: 'version',
  bodyBytesMax: 0,
  responses: { 200: { description: 'The exclusion, active', schema: ExclusionResult } },
  handle: (context) => decide(options, context, approveExclusion),
});

const revoke = (options: RouteOptions): Operation => ({
  ...DECIDING,
  id: 'revokeExclusion',
  method: 'DELETE',
  path: ONE,
  summary: 'End an exclusion, or refuse a proposed one',
  description: 'Its hits are hits again within two seconds. Its record stays.',
  problems: [...DECISION_PROBLEMS],
  idempotency: 'none',
  conditions: 'version',
  bodyBytesMax: 0,
  responses: { 200: { description: 'The exclusion, revoked', schema: ExclusionResult } },
  handle: (context) => decide(options, context, revokeExclusion),
});

async function decide(options: RouteOptions, context: OperationContext, act: Decide) {
  const { ports } = options;
  const { exclusionId, tenantId } = placeOf(context);
  const uses = await usesOf(ports, [{ exclusionId, tenantId }]);
  const now = ports.clock.now();
  const answer = kept(ports, context, {
    present: ([record]: readonly ExclusionRecord[]) =>
      record === undefined ? {} : presentExclusion(record, { now, use: uses.get(exclusionId) }),
    status: 200,
  });
  const matches = ifMatch(context.request.header('if-match'));
  const ask = {
    by: await callerOf(options, context),
    exclusionIds: [exclusionId],
    ...(matches !== undefined && {
      isExpected: (version: number) => matches(etagOf({ version })),
    }),
  };
  const records = await act(ports, ask, answer.idempotency.idempotency);
  const [record] = records;
  const headers = record === undefined ? [] : [['etag', etagOf(record)] as const];
  return { ...answer.reply(records), headers };
}
