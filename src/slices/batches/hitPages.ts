/**
 * The hits of a batch, in the order of its subjects: read from the results of its chunks, with
 * people's decisions beside them. A hit that has no review is pending.
 *
 * While a batch runs its chunks end in any order. A page stops before the first incomplete one, and
 * says where to go on. A reader that follows `next` sees every hit once, and an empty page with a
 * `next` says that there is no more yet. One call reads at most CHUNKS_READ_MAX chunks, for any
 * filter, and looks at CHUNKS_SEEN_MAX: each is compared with its signed entry (signedResults.ts).
 */
import { DomainError } from '#core/kernel';
import type { Batch, HitDecision, HitReview, MatchType } from './batch.ts';
import { BatchIds, type HitPlace } from './batchIds.ts';
import { comparePlaces, type HitSubject } from './chunkQuestions.ts';
import type { ReadingCaller } from './chunkReading.ts';
import { chunkOf, chunksFrom, type DoneChunk, firstOrdinal } from './chunkWalk.ts';
import type { BatchStore } from './ports.ts';
import type { BatchHit } from './resultLine.ts';
import type { SignedChunk } from './signedChunk.ts';
import type { SignedResults } from './signedResults.ts';

export const CHUNKS_READ_MAX = 8;
/** Half a millisecond each, the first time. */
export const CHUNKS_SEEN_MAX = 250;
const PAGE_REVIEWS = 1_000;
/** A place after every hit of a subject. */
const PAST_HITS = 255;

export interface HitPorts {
  readonly batches: Pick<BatchStore, 'findChunk' | 'findReview' | 'listChunks' | 'listReviews'>;
  readonly results: Pick<SignedResults, 'check' | 'checkReview' | 'read'>;
}

export interface FoundHit {
  readonly hit: BatchHit;
  readonly subject: HitSubject;
  readonly place: HitPlace;
  readonly review?: HitReview;
}

export interface HitFilter {
  readonly decision?: 'pending' | HitDecision;
  readonly matchType?: MatchType;
  readonly scoreMin?: number;
}

export interface HitPage {
  readonly hits: readonly FoundHit[];
  /** Place after which the next page begins; undefined: that was all. */
  readonly next?: HitPlace;
}

export interface HitPageAsk {
  readonly batch: Batch;
  readonly filter: HitFilter;
  readonly after?: HitPlace;
  readonly limit: number;
  readonly by?: ReadingCaller;
  /** Before a further chunk is read; absent: always. */
  readonly mayGoOn?: () => Promise<boolean>;
}

/** Hits by subject, then by place among the subject's. */
export async function readHits(ports: HitPorts, ask: HitPageAsk): Promise<HitPage> {
  const { decision } = ask.filter;
  if (decision !== undefined && decision !== 'pending') {
    return readReviewed(ports, { ...ask, decision });
  }
  const hits: FoundHit[] = [];
  let [chunksRead, chunksSeen] = [0, 0];
  const fromNo = ask.after === undefined ? 0 : Math.max(0, chunkOf(ask.batch, ask.after.ordinal));
  for await (const chunk of chunksFrom(ports.batches, ask.batch, fromNo)) {
    const first = firstOrdinal(ask.batch, chunk.chunkNo);
    const here = { hits, next: laterOf({ ordinal: first - 1, position: PAST_HITS }, ask.after) };
    if (chunk.isDone !== true) return here;
    if (chunksSeen++ === CHUNKS_SEEN_MAX) return here;
    if (!mayHold(await ports.results.check(ask.batch, chunk.chunk, ask.by), ask.filter)) continue;
    if (chunksRead++ === CHUNKS_READ_MAX) return here;
    if (chunksRead > 1 && !(await mayGoOn(ask))) return here;
    const of = { chunk: chunk.chunk, first, limit: ask.limit - hits.length };
    const { hasMore, ...found } = await hitsOf(ports, ask, of);
    hits.push(...found.hits);
    const last = hits.at(-1);
    if (hasMore && last !== undefined) return { hits, next: last.place };
  }
  return { hits };
}

const mayGoOn = async (ask: HitPageAsk): Promise<boolean> => (await ask.mayGoOn?.()) ?? true;

const laterOf = (one: HitPlace, other: HitPlace | undefined): HitPlace =>
  other !== undefined && comparePlaces(other, one) > 0 ? other : one;

const mayHold = ({ byMatchType, hits }: SignedChunk, { matchType }: HitFilter): boolean =>
  (matchType === undefined ? hits : (byMatchType?.[matchType] ?? hits)) > 0;

/** Those of one chunk, with their reviews. */
async function hitsOf(
  ports: HitPorts,
  { after, batch, by, filter }: HitPageAsk,
  of: { readonly chunk: DoneChunk; readonly first: number; readonly limit: number },
): Promise<{ readonly hits: readonly FoundHit[]; readonly hasMore: boolean }> {
  const reviews = await reviewsOf(ports, batch, of.first);
  const { hasMore, hits } = await ports.results.read(batch, {
    ...(by && { by }),
    chunk: of.chunk,
    question: {
      after,
      from: Math.max(0, (after?.ordinal ?? 0) - of.first),
      limit: of.limit,
      matchType: filter.matchType,
      scoreMin: filter.scoreMin,
      what: 'hits',
      without: new Set(filter.decision === 'pending' ? reviews.keys() : []),
    },
  });
  const withReview = hits.map((found) =>
    foundHit({ ...found, review: reviews.get(found.hit.hit_id) }),
  );
  return { hasMore, hits: withReview };
}

const foundHit = ({
  review,
  ...found
}: Omit<FoundHit, 'review'> & { readonly review: HitReview | undefined }): FoundHit => ({
  ...found,
  ...(review !== undefined && { review }),
});

/** Compared with their entries: a forged one would hide a hit that waits. */
async function reviewsOf(
  { batches, results }: HitPorts,
  { batchId, chunkSubjects }: Batch,
  first: number,
): Promise<Map<string, HitReview>> {
  const found = new Map<string, HitReview>();
  let after: HitPlace | undefined =
    first === 0 ? undefined : { ordinal: first - 1, position: PAST_HITS };
  for (;;) {
    const page: readonly HitReview[] = await batches.listReviews({
      batchId,
      limit: PAGE_REVIEWS,
      toOrdinal: first + chunkSubjects,
      ...(after !== undefined && { after }),
    });
    for (const review of page) {
      await results.checkReview(review);
      found.set(review.hitId, review);
    }
    after = page.at(-1);
    if (page.length < PAGE_REVIEWS) return found;
  }
}

/** For a decision that has records of its own: read by these, one chunk for each that has some. */
async function readReviewed(
  ports: HitPorts,
  ask: HitPageAsk & { readonly decision: HitDecision },
): Promise<HitPage> {
  const { after, batch, decision, limit } = ask;
  const reviews = await ports.batches.listReviews({
    batchId: batch.batchId,
    decision,
    limit: limit + 1,
    ...(after !== undefined && { after: { ordinal: after.ordinal, position: after.position } }),
  });
  const hits: FoundHit[] = [];
  let last: HitReview | undefined;
  let chunksRead = 0;
  const byChunk = Map.groupBy(reviews.slice(0, limit), ({ ordinal }) => chunkOf(batch, ordinal));
  for (const [chunkNo, reviewed] of byChunk) {
    if (last !== undefined) {
      const isOver = chunksRead === CHUNKS_READ_MAX || !(await mayGoOn(ask));
      if (isOver) return { hits, next: { ordinal: last.ordinal, position: last.position } };
    }
    chunksRead++;
    const found = await reviewedOf(ports, ask, { chunkNo, reviewed });
    hits.push(...found.hits);
    const shown = hits.at(-1);
    if (found.hasMore && shown !== undefined) return { hits, next: shown.place };
    last = reviewed.at(-1);
  }
  const next = last && { ordinal: last.ordinal, position: last.position };
  return { hits, ...(reviews.length > limit && next !== undefined && { next }) };
}

/** Those of one chunk that pass. */
async function reviewedOf(
  ports: HitPorts,
  { batch, by, filter }: HitPageAsk,
  of: { readonly chunkNo: number; readonly reviewed: readonly HitReview[] },
): Promise<{ readonly hits: readonly FoundHit[]; readonly hasMore: boolean }> {
  const chunk = await findDone(ports, batch, of.chunkNo);
  for (const review of of.reviewed) await ports.results.checkReview(review);
  const [first] = of.reviewed;
  if (chunk === undefined || first === undefined) return { hasMore: false, hits: [] };
  const reviews = new Map(of.reviewed.map((review) => [review.hitId, review]));
  const { hasMore, hits } = await ports.results.read(batch, {
    ...(by && { by }),
    chunk,
    question: {
      from: first.ordinal - firstOrdinal(batch, of.chunkNo),
      limit: reviews.size,
      matchType: filter.matchType,
      only: new Set(reviews.keys()),
      scoreMin: filter.scoreMin,
      what: 'hits',
    },
  });
  const withReview = hits.map((found) =>
    foundHit({ ...found, review: reviews.get(found.hit.hit_id) }),
  );
  return { hasMore, hits: withReview };
}

/** Undefined where it is unknown or not done. */
async function findDone(
  { batches }: HitPorts,
  batch: Batch,
  chunkNo: number,
): Promise<DoneChunk | undefined> {
  const chunk = await batches.findChunk(batch.batchId, chunkNo);
  return chunk?.result && { ...chunk, result: chunk.result };
}

/** Rejects with `not-found` for an id that is no hit of this batch. */
export async function findHit(
  ports: HitPorts,
  { batch, by }: Pick<HitPageAsk, 'batch' | 'by'>,
  hitId: string,
): Promise<FoundHit> {
  const place = new BatchIds(batch).placeOfHit(hitId);
  const chunkNo = place && chunkOf(batch, place.ordinal);
  const chunk = chunkNo === undefined ? undefined : await findDone(ports, batch, chunkNo);
  if (place === undefined || chunk === undefined) throw new DomainError('not-found');
  const places = [place.ordinal - firstOrdinal(batch, chunk.chunkNo)];
  const question = { places, what: 'subjects' as const };
  const [subject] = await ports.results.read(batch, { ...(by && { by }), chunk, question });
  const hit = subject?.hits[place.position];
  if (subject === undefined || hit === undefined) throw new DomainError('not-found');
  const review = await ports.batches.findReview(batch.batchId, hitId);
  if (review !== undefined) await ports.results.checkReview(review);
  return foundHit({ hit, place, review, subject });
}
