/** Hits of a batch (interface.md 4.2): by page, one by one, and decided by a person. */
import type { Static } from 'typebox';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type Batch,
  type BatchStore,
  decideHit,
  explainHits,
  type FoundHit,
  findHit,
  type HitPlace,
  hitFactsOf,
  presentHit,
  readHits,
  versionOfHit,
} from '#slices/batches';
import { FACTS_UNKNOWN, type ShownFacts } from '#slices/lists';
import { EXPLAINED_PER_TOKEN, type HitExplanation } from '#slices/screening';
import { askerOf } from '../../../api/asker.ts';
import { ifMatch } from '../../../api/etags.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { amlBatch, BATCH_READING, type BatchRouteOptions } from './batches.ts';
import { DecideHitBody, HitQuery, HitResult, HitsPage, HitsQuery } from './hitSchemas.ts';
import { pageCaller } from './pageCaller.ts';

const DECISION_BODY_BYTES_MAX = 64 * 1024;

type HitRouteOptions = Pick<
  BatchRouteOptions,
  'clock' | 'commit' | 'cursors' | 'explain' | 'factsOf' | 'random' | 'results'
> & { readonly batches: BatchStore };

export function batchHitOperations(options: HitRouteOptions): Operation[] {
  return [listHits(options), getHit(options), decideHitOperation(options)];
}

function listHits(options: HitRouteOptions): Operation {
  return {
    ...BATCH_READING,
    id: 'listBatchHits',
    problems: ['deadline-exceeded', 'engine-queue-full', 'not-found'],
    path: '/v1/aml/batches/{batch_id}/hits',
    summary: 'Hits of a batch',
    description:
      'While the batch runs, a page ends before the first subjects that are not screened yet; ' +
      'its next_cursor goes on from there, so that every hit is seen once. A page that is sought ' +
      'through more subjects costs up to eight tokens of the rate limits, and ends sooner where ' +
      `there are fewer. \`explain\` costs one more for each ${EXPLAINED_PER_TOKEN} hits.`,
    query: HitsQuery,
    responses: { 200: { description: 'A page of hits', schema: HitsPage } },
    async handle(context) {
      const batch = await amlBatch(options.batches, context);
      const query = context.query as unknown as Static<typeof HitsQuery>;
      const { cursor, explain = false, limit = PAGE_LIMIT_DEFAULT, ...filters } = query;
      const scope = {
        filters: { ...filters, batch_id: batch.batchId },
        list: 'listBatchHits',
        tenantId: context.tenantId,
      };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const { hits, next } = await readHits(options, {
        batch,
        by: pageCaller(context),
        filter: filterOf(filters),
        limit,
        mayGoOn: () => mayGoOn(context),
        ...(position !== undefined && { after: placeOf(position) }),
      });
      const caller = pageCaller(context);
      const [facts, explanations] = await Promise.all([
        hitFactsOf(options.factsOf, batch, caller)(hits.map(({ hit }) => hit)),
        explain ? explainHits(options.explain, batch, hits, explainer(context)) : undefined,
      ]);
      return {
        body: {
          data: hits.map((found, at) => ({
            ...presentHit(batch, found, facts[at] ?? FACTS_UNKNOWN),
            ...(explanations && { explanation: explanations[at] ?? null }),
          })),
          next_cursor:
            next === undefined
              ? null
              : options.cursors.encode(scope, { id: String(next.position), key: next.ordinal }),
        },
        status: 200,
      };
    },
  };
}

/** Who asks why; it costs tokens by the hits. */
const explainer = (context: OperationContext) => ({
  charge: context.charge,
  ...pageCaller(context),
});

const askOf = (batch: Batch, context: OperationContext) => ({ batch, by: pageCaller(context) });

const placeOf = ({ id, key }: { readonly id: string; readonly key: unknown }): HitPlace => ({
  ordinal: Number(key),
  position: Number(id),
});

const filterOf = (filters: Omit<Static<typeof HitsQuery>, 'cursor' | 'explain' | 'limit'>) => ({
  ...(filters.decision !== undefined && { decision: filters.decision }),
  ...(filters.match_type !== undefined && { matchType: filters.match_type }),
  ...(filters.min_score !== undefined && { scoreMin: filters.min_score }),
});

/** ETag of one hit, of which only the review changes. */
const etagOf = (found: FoundHit): string => `"v${versionOfHit(found)}"`;

/** Facts of one hit: a decision does not change them. */
async function factsOfHit(
  options: HitRouteOptions,
  context: OperationContext,
  { batch, found }: { readonly batch: Batch; readonly found: FoundHit },
): Promise<ShownFacts> {
  const factsOf = hitFactsOf(options.factsOf, batch, pageCaller(context));
  const [facts] = await factsOf([found.hit]);
  return facts ?? FACTS_UNKNOWN;
}

function replyOf(
  batch: Batch,
  found: FoundHit,
  facts: ShownFacts,
  explanation?: HitExplanation | null,
): OperationReply {
  const hit = presentHit(batch, found, facts);
  return {
    body: JSON.stringify(explanation === undefined ? hit : { ...hit, explanation }),
    headers: [['etag', etagOf(found)]],
    status: 200,
  };
}

function getHit(options: HitRouteOptions): Operation {
  return {
    ...BATCH_READING,
    id: 'getBatchHit',
    problems: ['deadline-exceeded', 'engine-queue-full', 'not-found'],
    path: '/v1/aml/batches/{batch_id}/hits/{hit_id}',
    summary: 'One hit of a batch',
    description: 'Its ETag is the version that If-Match of a decision may name.',
    query: HitQuery,
    responses: { 200: { description: 'The hit', schema: HitResult } },
    async handle(context) {
      const batch = await amlBatch(options.batches, context);
      const found = await findHit(options, askOf(batch, context), context.params.hit_id ?? '');
      const { explain = false } = context.query as Static<typeof HitQuery>;
      const [facts, explanations] = await Promise.all([
        factsOfHit(options, context, { batch, found }),
        explain ? explainHits(options.explain, batch, [found], explainer(context)) : undefined,
      ]);
      const [explanation] = explanations ?? [];
      return replyOf(batch, found, facts, explanation);
    },
  };
}

function decideHitOperation(options: HitRouteOptions): Operation {
  return {
    id: 'decideBatchHit',
    method: 'PATCH',
    path: '/v1/aml/batches/{batch_id}/hits/{hit_id}',
    tag: 'AML',
    summary: 'Decide a hit',
    description:
      'A pending hit is decided once: of two at once, one gets 409. With If-Match, naming the ' +
      'ETag that was read, a decided one is decided anew; of another version the answer is 412.',
    roles: roles.decideHits,
    scope: 'batches:write',
    problems: ['deadline-exceeded', 'engine-queue-full', 'not-found', 'state-conflict'],
    idempotency: 'required',
    limits: 'general',
    conditions: 'version',
    bodyBytesMax: DECISION_BODY_BYTES_MAX,
    body: DecideHitBody,
    example: { decision: 'false_positive', notes: 'Another date of birth' },
    responses: { 200: { description: 'The hit, decided', schema: HitResult } },
    async handle(context) {
      const { idempotency, principal, request } = context;
      const { decision, notes = '' } = context.body as Static<typeof DecideHitBody>;
      const batch = await amlBatch(options.batches, context);
      const matches = ifMatch(request.header('if-match'));
      const hitId = context.params.hit_id ?? '';
      // Before the commit: the stored answer has them, too.
      const found = await findHit(options, askOf(batch, context), hitId);
      const facts = await factsOfHit(options, context, { batch, found });
      const decided = await decideHit(options, {
        ...askerOf(context),
        ...askOf(batch, context),
        decision,
        hitId,
        notes,
        reviewerId: principal.id,
        ...(matches !== undefined && { isExpected: (version) => matches(`"v${version}"`) }),
        ...(idempotency !== undefined && {
          idempotency: (reviewed) => {
            const body = JSON.stringify(presentHit(batch, reviewed, facts));
            return storedAnswer(idempotency, { body, status: 200 }, options.clock);
          },
        }),
      });
      return replyOf(batch, decided, facts);
    },
  };
}
