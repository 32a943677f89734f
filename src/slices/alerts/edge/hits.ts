/** Hits of a screening one by one: read with what people have said of them, and decided. */

import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  type Alert,
  alertOfScreening,
  decideHit,
  type HitState,
  hitState,
  needsSecond,
  STATUS_OF,
} from '#slices/alerts';
import { FACTS_UNKNOWN, type FactsOf } from '#slices/lists';
import {
  EXPLAINED_PER_TOKEN,
  type ExplainPorts,
  explainVerdict,
  factsOfHits,
  type NormalizedQuery,
  presentScreeningHit,
  type ScreeningPlace,
  signedScreening,
  sourceOf,
} from '#slices/screening';
import { ifMatch } from '../../../api/etags.ts';
import { instantOf } from '../../../api/instants.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  type DecideHitAsked,
  DecideHitBody,
  ReviewedHit,
  type ReviewedHitsAsk,
  ReviewedHitsQuery,
  ScreeningHits,
} from './hitSchemas.ts';
import type { AlertParts } from './parts.ts';

const BODY_BYTES_MAX = 64 * 1024;

/** What the operations of hits are made of. */
export interface HitRouteOptions extends AlertParts {
  /** What the lists say of a hit, beside its evidence. */
  readonly factsOf: FactsOf;
  /** Why a hit has its score. */
  readonly explain: ExplainPorts;
}

export const hitOperations = (options: HitRouteOptions): Operation[] => [
  {
    id: 'listScreeningHits',
    method: 'GET',
    path: '/v1/sanctions/screenings/{id}/hits',
    tag: 'Sanctions',
    summary: 'Hits of a screening, with what people have decided of them',
    description: `\`explain\` costs a token of the limits for each ${EXPLAINED_PER_TOKEN} hits.`,
    query: ReviewedHitsQuery,
    roles: roles.read,
    scope: 'alerts:read',
    problems: [
      'alert-altered',
      'deadline-exceeded',
      'engine-queue-full',
      'evidence-altered',
      'not-found',
    ],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'All hits of it', schema: ScreeningHits } },
    handle: (context) => list(options, context),
  },
  {
    id: 'decideScreeningHit',
    method: 'PATCH',
    path: '/v1/sanctions/screenings/{id}/hits/{ftm_id}',
    tag: 'Sanctions',
    summary: 'Decide a hit of a screening',
    description:
      'A pending hit is decided once: of two at once, one gets 409. Where a second person has to ' +
      'agree (hits of sanctions lists by default) the first decision is a proposal; the same ' +
      'decision of another registered person confirms it, another one is their own proposal. ' +
      'With If-Match, naming the `etag` that was read, a decided hit is decided anew while its ' +
      'alert is open. The last decision closes the alert.',
    roles: roles.work,
    scope: 'alerts:write',
    problems: [
      'alert-altered',
      'comment-required',
      'comment-too-short',
      'deadline-exceeded',
      'evidence-altered',
      'exclusion-altered',
      'exclusion-invalid',
      'list-altered',
      'not-assignee',
      'not-found',
      'person-required',
      'role-insufficient',
      'second-person-required',
      'state-conflict',
    ],
    idempotency: 'required',
    limits: 'general',
    conditions: 'version',
    bodyBytesMax: BODY_BYTES_MAX,
    body: DecideHitBody,
    example: {
      decision: 'false_positive',
      notes: 'Another date and another place of birth',
      reason_code: 'dob_differs',
    },
    responses: { 200: { description: 'The hit, as it became', schema: ReviewedHit } },
    handle: (context) => decide(options, context),
  },
];

const placeOf = ({ params, tenantId }: OperationContext): ScreeningPlace => ({
  screeningId: params.id ?? '',
  tenantId,
});

/** ETag of one hit; one that was closed with its alert is another than it was before. */
const etagOf = ({ isOfAlert, version }: HitState, alert: Alert | undefined): string =>
  isOfAlert ? `"v${version}.${alert?.version ?? 0}"` : `"v${version}"`;

/** Presents the hits of a screening as they stand in an alert of it. */
async function presenterOf(options: HitRouteOptions, context: OperationContext) {
  const place = placeOf(context);
  const { query, verdict } = await signedScreening(options, place);
  const caller = { signal: context.request.signal, turn: context.tenantId };
  const facts = await factsOfHits(options.factsOf, verdict, caller);
  const settings = await options.settingsOf(place.tenantId);
  const rowsOf = (alert: Alert | undefined) =>
    verdict.hits.map((hit, at) => {
      const state = hitState(alert, hit.ftm_id);
      const typology = hit.typology ?? '';
      const of = { severity: 'Low', type: 'screening', typology } as const;
      return {
        ...presentScreeningHit(hit, facts[at] ?? FACTS_UNKNOWN),
        ftm_id: hit.ftm_id,
        source: sourceOf(hit),
        decision: state.status,
        reason_code: state.reasonCode ?? null,
        notes: state.notes ?? null,
        decided_by: state.by ?? null,
        decided_at: state.at === undefined ? null : toTimestamp(state.at),
        confirmed_by: state.confirmedBy ?? null,
        decided_with_alert: state.isOfAlert,
        exclusion_ids: state.exclusionIds ?? [],
        decidable_by_one: !needsSecond(settings, of, STATUS_OF.false_positive),
        etag: etagOf(state, alert),
      };
    });
  return {
    explanations: () => {
      const { charge } = context;
      return explainVerdict(options.explain, verdict, query, { ...caller, charge });
    },
    query,
    hitOf: (alert: Alert, ftmId: string) => {
      const row = rowsOf(alert).find(({ ftm_id }) => ftm_id === ftmId);
      if (row === undefined) throw new DomainError('not-found');
      return row;
    },
    rowsOf,
  };
}

const presentSubject = ({ dob, dob_range, names, nationality, schema }: NormalizedQuery) => ({
  names,
  type: schema ?? null,
  dob: dob ?? dob_range ?? null,
  nationality: nationality ?? null,
});

async function list(options: HitRouteOptions, context: OperationContext) {
  const place = placeOf(context);
  const { explain = false } = context.query as ReviewedHitsAsk;
  const { explanations, query, rowsOf } = await presenterOf(options, context);
  const alert = await alertOfScreening(options, place);
  // What was decided is told as it was signed, or not at all.
  if (alert !== undefined && !(await options.signed.isAsSigned(alert))) {
    throw new DomainError('alert-altered');
  }
  const explained = explain ? await explanations() : undefined;
  const body = {
    alert_id: alert?.alertId ?? null,
    alert_status: alert?.status ?? null,
    alert_version: alert?.version ?? null,
    subject: query === undefined ? null : presentSubject(query),
    data: rowsOf(alert).map((row, at) => ({
      ...row,
      ...(explained !== undefined && { explanation: explained[at] ?? null }),
    })),
  };
  return { body, status: 200 };
}

const excludeOf = ({ expires_at, subject_ref }: NonNullable<DecideHitAsked['exclude']>) => ({
  ...(expires_at !== undefined && { expiresAt: instantOf(expires_at, '/exclude/expires_at') }),
  ...(subject_ref !== undefined && { subjectRef: subject_ref }),
});

async function decide(options: HitRouteOptions, context: OperationContext) {
  const place = placeOf(context);
  const ftmId = context.params.ftm_id ?? '';
  const { decision, exclude, notes, reason_code } = context.body as DecideHitAsked;
  // Read before the commit, since the answer is kept with the effect.
  const { hitOf } = await presenterOf(options, context);
  const present = (alert: Alert) => hitOf(alert, ftmId);
  const answer = kept(options, context, { present, status: 200 });
  const matches = ifMatch(context.request.header('if-match'));
  const alert = await decideHit(options, {
    ...askedBy(context),
    ...place,
    ...answer.idempotency,
    decision,
    ...(exclude !== undefined && { exclude: excludeOf(exclude) }),
    ftmId,
    ...(notes !== undefined && { notes }),
    ...(reason_code !== undefined && { reasonCode: reason_code }),
    ...(matches !== undefined && { isExpected: (version) => matches(`"v${version}"`) }),
  });
  return { ...answer.reply(alert), headers: [['etag', present(alert).etag] as const] };
}
