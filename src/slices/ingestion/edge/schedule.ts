/** Schedules of the sources (interface.md 4.9): the week to come, their changes, and who signed. */
import type { Static } from 'typebox';
import { type CheckedChange, type Principal, SCHEDULE_ROLE_PAIR } from '#core/identity';
import { DomainError, type SourceId, type Violation } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  nextFireAt,
  planWarnings,
  planWeek,
  previewFires,
  SOURCE_IDS,
  type SourceChange,
  verifyScheduleAudit,
} from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { approvedBy, requireApproval } from '../../../api/dualControlHeaders.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { approvableSchedule } from './approvableChanges.ts';
import { refuseSandbox } from './listOperators.ts';
import {
  type PutSchedule,
  PutScheduleBody,
  presentPlan,
  presentScheduleAudit,
  ScheduleAuditQuery,
  ScheduleAuditResult,
  ScheduleResult,
} from './sourceSchemas.ts';
import {
  CHANGE_PROBLEMS,
  type IngestionRouteOptions,
  isShown,
  knownSource,
  READING,
  sourcesFor,
} from './sources.ts';

const SCHEDULE_BODY_BYTES_MAX = 64 * 1024;

export function scheduleOperations(options: IngestionRouteOptions): Operation[] {
  return [scheduleAudit(options), getSchedule(options), putSchedule(options)];
}

function scheduleAudit(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'listScheduleAudit',
    path: '/v1/sanctions/etl/sources/{sourceId}/schedule-audit',
    summary: 'Signed changes of a source, as a hash chain',
    problems: ['source-unknown'],
    query: ScheduleAuditQuery,
    responses: { 200: { description: 'A page of changes', schema: ScheduleAuditResult } },
    async handle(context) {
      await options.operators.require(context.principal);
      const query = context.query as Static<typeof ScheduleAuditQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT } = query;
      const sourceId = knownSource(context.params.sourceId ?? '', context);
      await requireSigned(options, sourceId);
      const { tenantId } = context;
      const scope = { filters: { sourceId }, list: 'listScheduleAudit', tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const found = await options.runs.listScheduleAudit({
        // One more than asked for says whether there is a next page.
        limit: limit + 1,
        sourceId,
        ...(position !== undefined && { before: Number(position.key) }),
      });
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const next = last && options.cursors.encode(scope, { id: last.auditId, key: last.seq });
      return {
        body: { data: rows.map(presentScheduleAudit), next_cursor: next ?? null },
        status: 200,
      };
    },
  };
}

/** Throws `state-altered`: a row of them is not what was signed, or gone. */
async function requireSigned(options: IngestionRouteOptions, sourceId: SourceId): Promise<void> {
  const { brokenSeq } = await verifyScheduleAudit(options.runs, sourceId, options.signed);
  if (brokenSeq === undefined) return;
  throw new DomainError('state-altered', { detail: `change ${brokenSeq} of source ${sourceId}` });
}

function getSchedule(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'getSchedule',
    path: '/v1/sanctions/etl/schedule',
    summary: 'What will run in the coming week, by day and hour',
    description: 'Sources that are disabled are in the plan too, and marked.',
    responses: { 200: { description: 'Plan, next fires, warnings', schema: ScheduleResult } },
    async handle(context) {
      const sources = await sourcesFor(options, context);
      for (const source of sources) await options.signed.check(source);
      return { body: presentSchedule(options, sources, options.clock.now()), status: 200 };
    },
  };
}

function putSchedule(options: IngestionRouteOptions): Operation {
  return {
    id: 'changeSchedule',
    method: 'PUT',
    path: '/v1/sanctions/etl/schedule',
    tag: 'Sanctions',
    summary: 'Change the schedules of several sources, all or none, under dual control',
    description:
      'The approver signs `resource` = `sanctions_schedule`, `field` = the source ids, sorted ' +
      'and joined by commas, and `new_value` = an object of source id to the changed ' +
      'members. ' +
      'The author is an administrator, and the approver has the role compliance.',
    approval: 'dual-control',
    roles: roles.administer,
    scope: 'lists:write',
    problems: CHANGE_PROBLEMS,
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: SCHEDULE_BODY_BYTES_MAX,
    body: PutScheduleBody,
    example: {
      approval_reason: 'Sunday nights only',
      schedule: [{ cron_delta: null, cron_full: '0 0 2 ? * SUN', source_id: 'OFAC_SDN' }],
    },
    responses: { 200: { description: 'The schedule after the change', schema: ScheduleResult } },
    async handle(context) {
      await options.operators.require(context.principal);
      const body = context.body as PutSchedule;
      const change = scheduleChange(options, {
        author: context.principal,
        changes: scheduleChanges(body.schedule, context),
      });
      const approval = await requireApproval(options, context, {
        rolePair: SCHEDULE_ROLE_PAIR,
        subject: change.subject,
      });
      const { approval_reason: reason } = body;
      return change.apply(approvedBy(options, context, { approval, reason }));
    },
  };
}

/** The answer is the whole schedule after it, as its author sees it. */
export const scheduleChange = (
  options: IngestionRouteOptions,
  of: { readonly author: Principal; readonly changes: readonly SourceChange[] },
): CheckedChange =>
  approvableSchedule(options, {
    ...of,
    presenter: async () => {
      const others = await sourcesFor(options, { principal: of.author });
      return (changed, now) => {
        const byId = new Map(changed.map((source) => [source.sourceId, source]));
        const sources = others.map((source) => byId.get(source.sourceId) ?? source);
        return presentSchedule(options, sources, now);
      };
    },
  });

/**
 * Throws `body-invalid` for every source that is unknown or named twice, `role-insufficient` for
 * one that is not a sandbox's to change.
 */
export function scheduleChanges(
  schedule: PutSchedule['schedule'],
  caller: Pick<OperationContext, 'principal'>,
  pointerOf = (index: number) => `/schedule/${index}`,
): SourceChange[] {
  const violations: Violation[] = [];
  const changes = schedule.map(({ source_id: sourceId, ...fields }, index) => {
    const pointer = pointerOf(index);
    const isFirst = schedule.findIndex((one) => one.source_id === sourceId) === index;
    const isKnown = SOURCE_IDS.includes(sourceId) && isShown(sourceId, caller);
    const detail = isFirst ? 'expected the id of a source' : 'expected each source once';
    if (!isFirst || !isKnown) {
      violations.push({ code: 'format', detail, pointer: `${pointer}/source_id` });
    }
    return { fields, pointer, sourceId };
  });
  if (violations.length > 0) throw new DomainError('body-invalid', { violations });
  for (const { sourceId } of changes) refuseSandbox(caller.principal, sourceId as SourceId);
  return changes;
}

function presentSchedule(
  { isAirGapped }: Pick<IngestionRouteOptions, 'isAirGapped'>,
  sources: readonly ListSource[],
  now: EpochMs,
) {
  return {
    generated_at: toTimestamp(now),
    sources: sources.map((source) => {
      const next = nextFireAt(source, now);
      return {
        source_id: source.sourceId,
        enabled: source.enabled,
        cron_full: source.cronFull ?? null,
        cron_delta: source.cronDelta ?? null,
        next_fire_at: next === undefined ? null : toTimestamp(next),
        next_fires: previewFires(source, now).map(({ at, kind }) => ({
          at: toTimestamp(at),
          kind,
        })),
        warnings: planWarnings(source, isAirGapped),
      };
    }),
    days: presentPlan(planWeek(sources, now)),
  };
}
