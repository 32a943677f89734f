/** Unit screening and its evidence (interface.md 4.2 and 4.8). A route translates, nothing more. */
import type { Static } from 'typebox';
import { type AuditStore, eventText, type SignedEvents } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { FactsOf } from '#slices/lists';
import {
  type ExplainPorts,
  isPastRetention,
  queryTokens,
  type RawQuery,
  rebuildScreening,
  requireMonitor,
  type ScreeningService,
  type ScreeningSettings,
} from '#slices/screening';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { EXPLAINED_PER_TOKEN, TOKEN_CODE_POINTS_MAX } from '../limits.ts';
import { roles } from '../roles.ts';
import { policyOfBatches } from '../settings.ts';
import {
  AmlScreenBody,
  parseAmlScreenBody,
  parseScreenBody,
  ScreenBody,
  ScreeningEvidence,
  ScreeningResult,
  ScreenQuery,
} from './schemas.ts';

/** A query of 512 code points with 20 transliterations in a four-byte script fits. */
const SCREEN_BODY_BYTES_MAX = 64 * 1024;
const PRICE =
  `It costs one token of the rate limits for each ${TOKEN_CODE_POINTS_MAX} code points, begun, ` +
  'of the name and its further spellings together; `explain` costs as much again for each ' +
  `${EXPLAINED_PER_TOKEN} hits.`;

export interface ScreeningRouteOptions {
  readonly screen: ScreeningService['screen'];
  readonly audit: Pick<AuditStore, 'findByScreening' | 'findBySeq' | 'latestCheckpoint'>;
  /** What is answered from an event is what was signed. */
  readonly signed: Pick<SignedEvents, 'read'>;
  readonly settingsOf: (tenantId: TenantId) => Promise<ScreeningSettings>;
  readonly clock: Clock;
  /** What the lists say of a hit, for answers that are rebuilt. */
  readonly factsOf: FactsOf;
  /** Why a hit has its score, for the same. */
  readonly explain: ExplainPorts;
}

export function screeningOperations(options: ScreeningRouteOptions): Operation[] {
  return [sanctionsScreen(options), amlScreen(options), screeningAudit(options)];
}

function sanctionsScreen(options: ScreeningRouteOptions): Operation {
  return {
    ...screenDefaults(options),
    id: 'screenName',
    path: '/v1/sanctions/screen',
    tag: 'Sanctions',
    summary: 'Screen one name',
    description:
      'Answers after the evidence is durable. `hits` holds the candidates at or over their ' +
      `threshold; all candidates are in the audit event. ${PRICE}`,
    tokensOf: (body) => {
      const { name, transliterations = [] } = body as Static<typeof ScreenBody>;
      return queryTokens({ name, transliterations });
    },
    body: ScreenBody,
    example: { name: 'Tarek Velmorani', type: 'Person', dob: '1971-03-14' },
    async handle(context) {
      const body = context.body as Static<typeof ScreenBody>;
      return screen(options, context, {
        customer: body,
        lists: body.lists,
        pointers: { lists: '/lists', name: '/name' },
        query: parseScreenBody(body),
      });
    },
  };
}

function amlScreen(options: ScreeningRouteOptions): Operation {
  return {
    ...screenDefaults(options),
    id: 'screenSubject',
    path: '/v1/aml/screen',
    tag: 'AML',
    summary: 'Screen one subject',
    description: `Answers after the evidence is durable. ${PRICE}`,
    tokensOf: (body) => {
      const { subject } = body as Static<typeof AmlScreenBody>;
      const { full_name: name, full_name_transliterations: transliterations = [] } = subject;
      return queryTokens({ name, transliterations });
    },
    body: AmlScreenBody,
    example: { subject: { full_name: 'Tarek Velmorani', dob: '1971-03-14' } },
    async handle(context) {
      const body = context.body as Static<typeof AmlScreenBody>;
      return screen(options, context, {
        customer: body,
        lists: body.lists,
        pointers: { lists: '/lists', name: '/subject/full_name' },
        policyOf: policyOfBatches,
        query: parseAmlScreenBody(body),
      });
    },
  };
}

/** What both screening operations share. */
function screenDefaults(options: ScreeningRouteOptions) {
  return {
    method: 'POST' as const,
    roles: roles.screen,
    scope: 'screening:write' as const,
    problems: [
      'deadline-exceeded',
      'engine-queue-full',
      'list-disabled-by-policy',
      'list-unavailable',
      'list-unknown',
      'name-empty',
    ] as const,
    idempotency: 'screening' as const,
    limits: 'screening' as const,
    bodyBytesMax: SCREEN_BODY_BYTES_MAX,
    query: ScreenQuery,
    responses: { 200: { description: 'The verdict with its hits', schema: ScreeningResult } },
    async rebuild(record: { seq: number; tookMs: number }, context: OperationContext) {
      const chain = chainOf(context.tenantId);
      const event = await options.audit.findBySeq(chain, record.seq);
      if (event === undefined) throw new DomainError('internal', { detail: 'event is missing' });
      await options.signed.read(chain, event);
      const { charge, request, tenantId: turn } = context;
      const caller = { charge, signal: request.signal, turn };
      return rebuildScreening(event, {
        caller,
        explain: isExplained(context) ? options.explain : undefined,
        factsOf: options.factsOf,
        tookMs: record.tookMs,
      });
    },
  };
}

const isExplained = ({ query }: OperationContext): boolean =>
  (query as Static<typeof ScreenQuery>).explain === true;

async function screen(
  options: ScreeningRouteOptions,
  context: OperationContext,
  asked: {
    readonly customer: Pick<Static<typeof ScreenBody>, 'monitor' | 'subject_ref'>;
    readonly query: RawQuery;
    readonly lists: readonly string[] | undefined;
    readonly pointers: { readonly name: string; readonly lists: string };
    /** What the tenant's policy means here. */
    readonly policyOf?: typeof policyOfBatches;
  },
) {
  const { principal, idempotency } = context;
  const { monitor, subject_ref: subjectRef } = asked.customer;
  requireMonitor(principal, asked.customer);
  const policy = await options.settingsOf(context.tenantId);
  const body = await options.screen({
    pointers: asked.pointers,
    query: asked.query,
    requestedBy: principal.id,
    sandbox: principal.environment === 'sandbox',
    settings: asked.policyOf?.(policy) ?? policy,
    signal: context.request.signal,
    startedAtMs: context.startedAtMs,
    tenantId: context.tenantId,
    ...(isExplained(context) && { explained: { charge: context.charge } }),
    ...(subjectRef !== undefined && { subjectRef }),
    ...(monitor === true && { monitored: askerOf(context) }),
    ...(asked.lists !== undefined && { lists: asked.lists }),
    ...(idempotency !== undefined && { idempotency }),
  });
  return { status: 200, body };
}

function screeningAudit(options: ScreeningRouteOptions): Operation {
  return {
    id: 'getScreeningAudit',
    method: 'GET',
    path: '/v1/sanctions/screenings/{id}/audit',
    tag: 'Sanctions',
    summary: 'Evidence of one screening',
    description:
      'The event as it is in the hash chain, and the latest checkpoint. docs/audit-format.md ' +
      'says how to verify it.',
    roles: roles.readEvidence,
    scope: 'screening:read',
    problems: ['not-found'],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'Event and checkpoint', schema: ScreeningEvidence } },
    async handle(context) {
      const chain = chainOf(context.tenantId);
      const event = await options.audit.findByScreening(chain, context.params.id as ScreeningId);
      if (event === undefined || isPastRetention(event, options.clock.now())) {
        throw new DomainError('not-found');
      }
      await options.signed.read(chain, event);
      const checkpoint = await options.audit.latestCheckpoint(chain);
      const covers = checkpoint !== undefined && checkpoint.seq >= event.seq;
      // The event's own text, not a reading of it: what is hashed is what is shown.
      const latest = JSON.stringify(covers ? checkpoint : null);
      const body = `{"event":${eventText(event)},"checkpoint":${latest}}`;
      return { status: 200, body };
    },
  };
}
