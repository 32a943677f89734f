/** Ingestion runs (interface.md 4.9; force refresh of 4.8): their history, and their start. */
import type { Static } from 'typebox';
import { SANCTIONS_ROLE_PAIR } from '#core/identity';
import { DomainError, type SourceId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type ListRun,
  type RunPorts,
  type RunStore,
  type SignedSources,
  SOURCE_IDS,
} from '#slices/ingestion';
import type { ListStore } from '#slices/lists';
import { askerOf } from '../../../api/asker.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import {
  type ApprovalOptions,
  approvedBy,
  requireApproval,
} from '../../../api/dualControlHeaders.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { approvableShrink } from './approvableChanges.ts';
import { type ListOperators, refuseSandbox } from './listOperators.ts';
import {
  presentRun,
  presentRunDetail,
  RunDetail,
  RunResult,
  RunsPage,
  RunsQuery,
  TriggerQuery,
} from './runSchemas.ts';
import { start } from './runStart.ts';
import { type ApproveRun, ApproveRunBody } from './sourceSchemas.ts';
import { isShown, knownSource, READING } from './sources.ts';

const APPROVE_BODY_BYTES_MAX = 64 * 1024;

export interface RunRouteOptions extends ApprovalOptions, RunPorts {
  readonly clock: Clock;
  readonly lists: Pick<ListStore, 'findSource'>;
  readonly runs: Pick<RunStore, 'findRun' | 'listRuns'>;
  readonly cursors: CursorCodec;
  readonly operators: ListOperators;
  readonly isAirGapped: boolean;
  readonly signed: Pick<SignedSources, 'check' | 'requireUnused'>;
  readonly wake: (runId: string) => void;
}

export function runOperations(options: RunRouteOptions): Operation[] {
  return [
    listRuns(options),
    getRun(options),
    triggerRun(options),
    refreshList(options),
    approveRun(options),
  ];
}

const STARTING = {
  idempotency: 'required',
  limits: 'general',
  method: 'POST',
  responses: { 202: { description: 'The run, under way', schema: RunResult } },
  scope: 'lists:write',
  tag: 'Sanctions',
} as const;

function listRuns(options: RunRouteOptions): Operation {
  return {
    ...READING,
    id: 'listRuns',
    path: '/v1/sanctions/etl/runs',
    summary: 'Ingestion runs of the last 90 days, latest start first',
    query: RunsQuery,
    responses: { 200: { description: 'A page of runs', schema: RunsPage } },
    async handle(context) {
      const query = context.query as unknown as Static<typeof RunsQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filters } = query;
      const scope = { filters, list: 'listRuns', tenantId: context.tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const found = await options.runs.listRuns({
        ...filterOf(filters, context),
        // One more than asked for says whether there is a next page.
        limit: limit + 1,
        ...(position !== undefined && {
          before: { runId: position.id, startedAt: Number(position.key) as EpochMs },
        }),
      });
      const runs = found.slice(0, limit);
      const last = found.length > limit ? runs.at(-1) : undefined;
      const isOperator = await options.operators.isOperator(context.principal);
      return {
        body: {
          data: runs.map((run) => presentRun(run, isOperator)),
          next_cursor:
            last === undefined
              ? null
              : options.cursors.encode(scope, { id: last.runId, key: last.startedAt }),
        },
        status: 200,
      };
    },
  };
}

/**
 * What the caller asks for and may know of, so that a page is cut from what is shown. Throws
 * `query-invalid` for an instant that is none.
 */
function filterOf(
  filters: Omit<Static<typeof RunsQuery>, 'cursor' | 'limit'>,
  caller: Pick<OperationContext, 'principal'>,
) {
  const { since, sourceId, status } = filters;
  const startedAt = since === undefined ? undefined : instantOf(since, '?since');
  const shown = SOURCE_IDS.filter((one) => isShown(one, caller)).map((one) => one as SourceId);
  return {
    ...(startedAt !== undefined && { since: startedAt }),
    sourceIds: shown.filter((one) => sourceId === undefined || one === sourceId),
    ...(status !== undefined && { status }),
  };
}

function getRun(options: RunRouteOptions): Operation {
  return {
    ...READING,
    id: 'getRun',
    path: '/v1/sanctions/etl/runs/{runId}',
    summary: 'One run with its log and statistics',
    problems: ['run-unknown'],
    responses: { 200: { description: 'The run', schema: RunDetail } },
    async handle(context) {
      const isOperator = await options.operators.isOperator(context.principal);
      const run = await findRun(options, context.params.runId ?? '', context);
      return { body: presentRunDetail(run, isOperator), status: 200 };
    },
  };
}

/** Throws `run-unknown`, also for what the caller may not know of. */
export async function findRun(
  options: Pick<RunRouteOptions, 'runs'>,
  runId: string,
  caller: Pick<OperationContext, 'principal'>,
): Promise<ListRun> {
  const run = await options.runs.findRun(runId);
  if (run === undefined || !isShown(run.sourceId, caller)) throw new DomainError('run-unknown');
  return run;
}

function triggerRun(options: RunRouteOptions): Operation {
  return {
    ...STARTING,
    id: 'triggerRun',
    path: '/v1/sanctions/etl/sources/{sourceId}/trigger',
    summary: 'Start a run by hand',
    problems: ['source-unknown', 'state-conflict'],
    description: '`state-conflict` while one of this source is under way.',
    roles: roles.run,
    bodyBytesMax: 0,
    query: TriggerQuery,
    async handle(context) {
      await options.operators.require(context.principal);
      const { kind = 'full' } = context.query as Static<typeof TriggerQuery>;
      const sourceId = knownSource(context.params.sourceId ?? '', context);
      refuseSandbox(context.principal, sourceId);
      return start(options, { ...asked(options, context), ask: { kind, sourceId } });
    },
  };
}

function refreshList(options: RunRouteOptions): Operation {
  return {
    ...STARTING,
    id: 'refreshList',
    path: '/v1/sanctions/lists/{source}/refresh',
    summary: 'Fetch a list anew, whatever its publisher says of changes',
    problems: ['source-unknown', 'state-conflict'],
    roles: roles.administer,
    bodyBytesMax: 0,
    async handle(context) {
      await options.operators.require(context.principal);
      const sourceId = knownSource(context.params.source ?? '', context);
      refuseSandbox(context.principal, sourceId);
      const ask = { isForced: true, kind: 'full', sourceId } as const;
      return start(options, { ...asked(options, context), ask });
    },
  };
}

function approveRun(options: RunRouteOptions): Operation {
  return {
    ...STARTING,
    id: 'approveRun',
    path: '/v1/sanctions/etl/runs/{runId}/approve',
    summary: 'Run again what stopped because the list shrank, under dual control',
    problems: ['run-unknown', 'state-conflict'],
    description:
      'Of a run that failed with `list-shrunk`. The approver signs `resource` = ' +
      '`sanctions_list_run:<run id>`, `field` = `shrink_approved`, `new_value` = true. The list ' +
      'is fetched again, and may then lose what the refused run tells, `removed_count` entities ' +
      'of the file with `file_sha256`: a file that takes away others, or more, fails with ' +
      '`list-shrunk` again, and waits for a release of its own.',
    approval: 'dual-control',
    roles: roles.change,
    bodyBytesMax: APPROVE_BODY_BYTES_MAX,
    body: ApproveRunBody,
    example: { approval_reason: 'The publisher delisted a programme' },
    async handle(context) {
      await options.operators.require(context.principal);
      const failed = await findRun(options, context.params.runId ?? '', context);
      refuseSandbox(context.principal, failed.sourceId);
      const change = approvableShrink(options, { author: context.principal, failed });
      const approval = await requireApproval(options, context, {
        rolePair: SANCTIONS_ROLE_PAIR,
        subject: change.subject,
      });
      const { approval_reason: reason } = context.body as ApproveRun;
      return change.apply(approvedBy(options, context, { approval, reason }));
    },
  };
}

/** By the caller, under the key of the request. */
const asked = ({ clock }: Pick<RunRouteOptions, 'clock'>, context: OperationContext) => ({
  ...keptUnder(context.idempotency, clock),
  asker: askerOf(context),
});
