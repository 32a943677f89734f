/**
 * Sources (interface.md 4.9); their schedules are in schedule.ts. They belong to no tenant: every
 * caller with the role reads them, and `ListOperators` says which tenants' people may change them.
 */
import { SANCTIONS_ROLE_PAIR } from '#core/identity';
import { DomainError, type SourceId } from '#core/kernel';
import {
  allSources,
  isSourceSeen,
  type RunStore,
  type SignedSources,
  SOURCE_IDS,
  type SourceChangePorts,
} from '#slices/ingestion';
import type { ListSource, ListStore } from '#slices/lists';
import type { CursorCodec } from '../../../api/cursor.ts';
import {
  type ApprovalOptions,
  approvedBy,
  requireApproval,
} from '../../../api/dualControlHeaders.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { approvableSource } from './approvableChanges.ts';
import { type ListOperators, refuseSandbox } from './listOperators.ts';
import {
  type PatchSource,
  PatchSourceBody,
  presentSource,
  SourceResult,
  SourcesResult,
} from './sourceSchemas.ts';

const PATCH_BODY_BYTES_MAX = 64 * 1024;

export interface IngestionRouteOptions extends ApprovalOptions, SourceChangePorts {
  readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
  readonly signed: Pick<SignedSources, 'changes' | 'check' | 'requireUnused' | 'restored'>;
  readonly runs: Pick<RunStore, 'listScheduleAudit'>;
  readonly operators: ListOperators;
  readonly cursors: CursorCodec;
  /** True where nothing may be fetched. */
  readonly isAirGapped: boolean;
}

export function ingestionOperations(options: IngestionRouteOptions): Operation[] {
  return [listSources(options), getSource(options), patchSource(options)];
}

/** What a change of a source may be refused for, however it is sent. */
export const CHANGE_PROBLEMS = [
  'address-refused',
  'air-gap-path-invalid',
  'cron-invalid',
  'state-conflict',
] as const;

/** Members that all reading operations share. */
export const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'lists:read',
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
      for (const source of sources) await options.signed.check(source);
      const data = sources.map((source) => presentSource(source, now, isOperator));
      return { body: { data, next_cursor: null }, status: 200 };
    },
  };
}

function getSource(options: IngestionRouteOptions): Operation {
  return {
    ...READING,
    id: 'getSource',
    path: '/v1/sanctions/etl/sources/{sourceId}',
    summary: 'One list source with its state',
    problems: ['source-unknown'],
    responses: { 200: { description: 'The source', schema: SourceResult } },
    async handle(context) {
      const isOperator = await options.operators.isOperator(context.principal);
      const id = context.params.sourceId ?? '';
      const source = (await sourcesFor(options, context)).find((one) => one.sourceId === id);
      if (source === undefined) throw new DomainError('source-unknown');
      await options.signed.check(source);
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
    roles: roles.change,
    scope: 'lists:write',
    problems: ['source-unknown', ...CHANGE_PROBLEMS],
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
      const sourceId = sourceToChange(context.params.sourceId ?? '', context);
      const change = approvableSource(options, {
        author: context.principal,
        change: { fields, pointer: '', sourceId },
      });
      const approval = await requireApproval(options, context, {
        rolePair: SANCTIONS_ROLE_PAIR,
        subject: change.subject,
      });
      return change.apply(approvedBy(options, context, { approval, reason: approval_reason }));
    },
  };
}

function nothingToChange(): DomainError {
  const detail = 'expected a member to change';
  const violations = [{ code: 'missing', detail, pointer: '' }];
  return new DomainError('body-invalid', { violations });
}

type Caller = Pick<OperationContext, 'principal'>;

/** Whether the caller may know of it: the invented list is for sandboxes alone. */
export const isShown = (sourceId: string, { principal }: Caller): boolean =>
  isSourceSeen(sourceId, principal.environment === 'sandbox');

export async function sourcesFor(
  options: IngestionRouteOptions,
  caller: Caller,
): Promise<ListSource[]> {
  const sources = allSources(await options.lists.listSources());
  return sources.filter(({ sourceId }) => isShown(sourceId, caller));
}

/** Throws `source-unknown`. */
export function knownSource(id: string, caller: Caller): SourceId {
  if (!SOURCE_IDS.includes(id) || !isShown(id, caller)) throw new DomainError('source-unknown');
  return id as SourceId;
}

/** Throws `source-unknown`, or `role-insufficient` where it is not a sandbox's to change. */
export function sourceToChange(id: string, caller: Caller): SourceId {
  const sourceId = knownSource(id, caller);
  refuseSandbox(caller.principal, sourceId);
  return sourceId;
}
