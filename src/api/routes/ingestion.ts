/**
 * Sources and their schedules (interface.md 4.9). They belong to no tenant: everybody with the role
 * reads them, and `ListOperators` says whose people may change them.
 */
import type { Approval } from '#domain/identity';
import { SANCTIONS_ROLE_PAIR, SCHEDULE_ROLE_PAIR } from '#domain/identity';
import { DomainError, type SourceId } from '#domain/kernel';
import {
  allSources,
  changeSources,
  type ListSource,
  type ListStore,
  nextFireAt,
  planWarnings,
  planWeek,
  type RunStore,
  SOURCE_IDS,
  type SourceChange,
  type SourceChangePorts,
} from '#domain/lists';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { type ApprovalOptions, memberSubject, requireApproval } from '../approval.ts';
import type { ListOperators } from '../listOperators.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { ADMINISTRATION_ROLES, INGESTION_READING_ROLES, SOURCE_CHANGING_ROLES } from '../roles.ts';
import {
  type PatchSource,
  PatchSourceBody,
  type PutSchedule,
  PutScheduleBody,
  presentPlan,
  presentScheduleAudit,
  presentSource,
  ScheduleAuditQuery,
  ScheduleAuditResult,
  ScheduleResult,
  SourceResult,
  SourcesResult,
} from '../schemas/ingestion.ts';
import { storedAnswer } from '../storedAnswer.ts';

const PATCH_BODY_BYTES_MAX = 64 * 1024;
const SCHEDULE_BODY_BYTES_MAX = 64 * 1024;
/** Resource that an approver of the whole schedule signs. */
const SCHEDULE_RESOURCE = 'sanctions_schedule';
const SANDBOX_SOURCE = 'DEMO';

export interface IngestionRouteOptions extends ApprovalOptions, SourceChangePorts {
  readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
  readonly runs: Pick<RunStore, 'listScheduleAudit'>;
  readonly operators: ListOperators;
  /** Nothing may be fetched. */
  readonly isAirGapped: boolean;
}

export function ingestionOperations(options: IngestionRouteOptions): Operation[] {
  return [
    listSources(options),
    getSource(options),
    patchSource(options),
    scheduleAudit(options),
    getSchedule(options),
    putSchedule(options),
  ];
}

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: INGESTION_READING_ROLES,
  tag: 'Sanctions',
} as const;

function listSources(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'listSources',
    path: '/v1/sanctions/etl/sources',
    summary: 'List sources with their state',
    responses: { 200: { description: 'Ordered by source', schema: SourcesResult } },
    async handle(context) {
      const isOperator = await options.operators.isOperator(context.principal);
      const now = options.clock.now();
      const sources = await sourcesFor(options, context);
      const data = sources.map((source) => presentSource(source, now, isOperator));
      return { body: { data }, status: 200 };
    },
  };
}

function getSource(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'getSource',
    path: '/v1/sanctions/etl/sources/{sourceId}',
    summary: 'One list source with its state',
    responses: { 200: { description: 'The source', schema: SourceResult } },
    async handle(context) {
      const isOperator = await options.operators.isOperator(context.principal);
      const id = context.params.sourceId ?? '';
      const source = (await sourcesFor(options, context)).find((one) => one.sourceId === id);
      if (source === undefined) throw new DomainError('source-unknown');
      return { body: presentSource(source, options.clock.now(), isOperator), status: 200 };
    },
  };
}

function patchSource(options: IngestionRouteOptions): Operation {
  return {
    id: 'changeSource',
    method: 'PATCH',
    path: '/v1/sanctions/etl/sources/{sourceId}',
    tag: 'Sanctions',
    summary: 'Change a source, under dual control',
    description:
      'The approver signs `resource` = `sanctions_source:<source id>`, `field` = the changed ' +
      'member’s name and `new_value` = its value; of several members the names sorted and joined ' +
      'by commas, and an object of them. `approval_reason` is not signed. One signer has the ' +
      'role compliance, the ' +
      'other dsi or audit; they are two persons, whatever accounts they use.',
    approval: 'dual-control',
    roles: SOURCE_CHANGING_ROLES,
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: PATCH_BODY_BYTES_MAX,
    body: PatchSourceBody,
    example: { approval_reason: 'Weekly is enough', cron_full: '0 0 2 ? * SUN' },
    responses: { 200: { description: 'The source after the change', schema: SourceResult } },
    async handle(context) {
      await options.operators.require(context.principal);
      const { approval_reason, ...fields } = context.body as PatchSource;
      if (Object.keys(fields).length === 0) throw nothingToChange();
      const sourceId = knownSource(context.params.sourceId ?? '');
      const approval = await requireApproval(options, context, {
        rolePair: SANCTIONS_ROLE_PAIR,
        subject: memberSubject(`sanctions_source:${sourceId}`, fields),
      });
      const changes = [{ fields, pointer: '', sourceId }];
      return change(options, context, {
        approval,
        changes,
        present: ([source], now) => source && presentSource(source, now, true),
        reason: approval_reason,
      });
    },
  };
}

function scheduleAudit(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'listScheduleAudit',
    path: '/v1/sanctions/etl/sources/{sourceId}/schedule-audit',
    summary: 'Signed changes of a source, as a hash chain',
    query: ScheduleAuditQuery,
    responses: { 200: { description: 'Latest first', schema: ScheduleAuditResult } },
    async handle(context) {
      await options.operators.require(context.principal);
      const { limit = PAGE_LIMIT_DEFAULT } = context.query as { limit?: number };
      const sourceId = knownSource(context.params.sourceId ?? '');
      const rows = await options.runs.listScheduleAudit({ limit, sourceId });
      return { body: { data: rows.map(presentScheduleAudit) }, status: 200 };
    },
  };
}

function getSchedule(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'getSchedule',
    path: '/v1/sanctions/etl/schedule',
    summary: 'What will run in the coming week, by day and hour',
    description: 'Sources that are disabled are in the plan too, and marked.',
    responses: { 200: { description: 'Plan, next fires, warnings', schema: ScheduleResult } },
    handle: async (context) => ({
      body: presentSchedule(options, await sourcesFor(options, context), options.clock.now()),
      status: 200,
    }),
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
      'members. One ' +
      'signer is an administrator, the other has the role compliance.',
    approval: 'dual-control',
    roles: ADMINISTRATION_ROLES,
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
      const changes = scheduleChanges(body);
      const signed = Object.fromEntries(changes.map(({ fields, sourceId }) => [sourceId, fields]));
      const field = Object.keys(signed).sort().join(',');
      const approval = await requireApproval(options, context, {
        rolePair: SCHEDULE_ROLE_PAIR,
        subject: { field, newValue: signed, resource: SCHEDULE_RESOURCE },
      });
      const others = await sourcesFor(options, context);
      return change(options, context, {
        approval,
        changes,
        present: (changed, now) => {
          const byId = new Map(changed.map((source) => [source.sourceId, source]));
          const sources = others.map((source) => byId.get(source.sourceId) ?? source);
          return presentSchedule(options, sources, now);
        },
        reason: body.approval_reason,
      });
    },
  };
}

/** Throws `body-invalid` for a source that is unknown or named twice. */
function scheduleChanges({ schedule }: PutSchedule): SourceChange[] {
  return schedule.map(({ source_id: sourceId, ...fields }, index) => {
    const pointer = `/schedule/${index}`;
    const isFirst = schedule.findIndex((one) => one.source_id === sourceId) === index;
    if (isFirst && SOURCE_IDS.includes(sourceId)) return { fields, pointer, sourceId };
    const detail = isFirst ? 'expected the id of a source' : 'expected each source once';
    const violations = [{ code: 'format', detail, pointer: `${pointer}/source_id` }];
    throw new DomainError('body-invalid', { violations });
  });
}

function nothingToChange(): DomainError {
  const detail = 'expected a member to change';
  const violations = [{ code: 'missing', detail, pointer: '' }];
  return new DomainError('body-invalid', { violations });
}

/** The answer is made before the commit, so that it is stored with it. */
async function change(
  options: IngestionRouteOptions,
  context: OperationContext,
  of: {
    readonly approval: Approval;
    readonly changes: readonly SourceChange[];
    readonly reason: string;
    readonly present: (sources: readonly ListSource[], now: EpochMs) => unknown;
  },
) {
  const { idempotency } = context;
  const now = options.clock.now();
  const { approval, changes, reason } = of;
  const bodyOf = (sources: readonly ListSource[]) => JSON.stringify(of.present(sources, now));
  const sources = await changeSources(options, {
    approval,
    changes,
    reason,
    ...(idempotency !== undefined && {
      idempotency: (changed: readonly ListSource[]) =>
        storedAnswer(idempotency, { body: bodyOf(changed), status: 200 }, options.clock),
    }),
  });
  return { body: bodyOf(sources), status: 200 };
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
        warnings: planWarnings(source, isAirGapped),
      };
    }),
    days: presentPlan(planWeek(sources, now)),
  };
}

/** The invented list is for sandboxes alone. */
async function sourcesFor(
  options: IngestionRouteOptions,
  { principal }: OperationContext,
): Promise<ListSource[]> {
  const sources = allSources(await options.lists.listSources());
  const isSandbox = principal.environment === 'sandbox';
  return sources.filter(({ sourceId }) => isSandbox || sourceId !== SANDBOX_SOURCE);
}

/** Throws `source-unknown`. */
export function knownSource(id: string): SourceId {
  if (!SOURCE_IDS.includes(id)) throw new DomainError('source-unknown');
  return id as SourceId;
}
