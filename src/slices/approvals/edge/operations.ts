/** Changes under dual control asked for, seen and decided (decision 8.6). */
import type { Static } from 'typebox';
import type { Json } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type ApprovalPorts,
  type ApprovalRequest,
  askForChange,
  EXAMINED_MAX,
  readInbox,
} from '#slices/approvals';
import type { CursorCodec } from '../../../api/cursor.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { decisionOperations } from './decisions.ts';
import { getApproval } from './getApproval.ts';
import { presentRequest } from './presentation.ts';
import { ApprovalResult, ApprovalsPage, ApprovalsQuery, type Ask, AskBody } from './schemas.ts';

/** As of the operations whose changes are asked for. */
const ASK_BODY_BYTES_MAX = 64 * 1024;

export interface ApprovalRouteOptions extends ApprovalPorts {
  readonly cursors: CursorCodec;
}

export function operations(process: GatewayProcess): readonly Operation[] {
  const { approvableOf, clock, commit, cursors, keyRing, random, storage } = process;
  return approvalOperations({
    approvableOf,
    audit: storage.audit,
    clock,
    commit,
    cursors,
    keyRing,
    listPersons: process.identity.listPersons,
    random,
    tables: storage.tables,
  });
}

export const approvalOperations = (options: ApprovalRouteOptions): Operation[] => [
  createApproval(options),
  listApprovals(options),
  getApproval(options),
  ...decisionOperations(options),
];

function createApproval(options: ApprovalRouteOptions): Operation {
  return {
    id: 'createApproval',
    method: 'POST',
    path: '/v1/approvals',
    tag: 'Operations',
    summary: 'Ask for a change that another person has to sign',
    description:
      'Whatever takes the headers of dual control can be asked for: the same values, the same ' +
      'checks, the same signed bytes. The author is the registered person who calls. A request ' +
      'waits seven days. It is stale once what it is to change has changed otherwise.',
    roles: roles.take,
    scope: 'approvals:write',
    problems: ['dual-control-roles', 'person-required', 'state-conflict'],
    passesOn: true,
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: ASK_BODY_BYTES_MAX,
    body: AskBody,
    example: {
      field: 'cron_full',
      new_value: '0 0 2 ? * SUN',
      reason: 'Weekly is enough',
      resource: 'sanctions_source:OFAC_SDN',
    },
    responses: { 201: { description: 'The request, open', schema: ApprovalResult } },
    async handle(context) {
      const { field, new_value, reason, resource } = context.body as Ask;
      const now = options.clock.now();
      const answerOf = kept(options, context, {
        present: (request: ApprovalRequest) => presentRequest(request, now),
        status: 201,
      });
      const request = await askForChange(options, {
        ...askedBy(context),
        ...answerOf.idempotency,
        field,
        newValue: new_value as Json,
        reason,
        resource,
      });
      return answerOf.reply(request);
    },
  };
}

function listApprovals(options: ApprovalRouteOptions): Operation {
  return {
    id: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    tag: 'Operations',
    summary: 'Requests that the caller asked for or may decide, latest first',
    description:
      `A page looks at ${EXAMINED_MAX} of the tenant’s requests at most; each further two ` +
      'hundred cost a token. Where the filters or the caller’s roles leave out so many, it ' +
      'has fewer than `limit` requests, or none, and a `next_cursor`; in every other case ' +
      'only the last page is short.',
    roles: roles.take,
    scope: 'approvals:read',
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    query: ApprovalsQuery,
    responses: { 200: { description: 'A page of requests', schema: ApprovalsPage } },
    handle: (context) => list(options, context),
  };
}

async function list(options: ApprovalRouteOptions, context: OperationContext) {
  const { principal, tenantId } = context;
  const query = context.query as unknown as Static<typeof ApprovalsQuery>;
  const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filters } = query;
  const scope = { filters, list: 'listApprovals', tenantId };
  const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
  const { mine, resource, state } = filters;
  const { next: behind, requests } = await readInbox(options, {
    limit,
    mayReadOn: () => mayGoOn(context),
    principal,
    tenantId,
    ...(mine !== undefined && { isMine: mine }),
    ...(resource !== undefined && { resource }),
    ...(state !== undefined && { state }),
    ...(position !== undefined && {
      after: { approvalId: position.id, requestedAt: Number(position.key) as EpochMs },
    }),
  });
  const next =
    behind && options.cursors.encode(scope, { id: behind.approvalId, key: behind.requestedAt });
  const now = options.clock.now();
  const data = requests.map((request) => presentRequest(request, now));
  return { body: { data, next_cursor: next ?? null }, status: 200 };
}
