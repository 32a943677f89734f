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
import type { ChunkLines } from './chunkLines.ts';
import { chunkOf, chunksFrom, firstOrdinal } from './chunkWalk.ts';
import type { BatchStore } from './ports.ts';
import { type BatchHit, parseResult, type SubjectResult } from './resultLine.ts';
import type { SignedChunk, SignedResults } from './signedResults.ts';

export const CHUNKS_READ_MAX = 8;
/** Half a millisecond each, the first time. */
export const CHUNKS_SEEN_MAX = 250;
const PAGE_REVIEWS = 1_000;
/** A place after every hit of a subject. */
const PAST_HITS = 255;

export interface HitPorts {
  readonly batches: Pick<BatchStore, 'findChunk' | 'findReview' | 'listChunks' | 'listReviews'>;
  readonly results: SignedResults;
}

export interface FoundHit {
  readonly hit: BatchHit;
  readonly subject: SubjectResult;
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
    const before = { ordinal: first - 1, position: PAST_HITS };
    if (chunk.isDone !== true) return { hits, next: laterOf(before, ask.after) };
    if (chunksSeen++ === CHUNKS_SEEN_MAX) return { hits, next: laterOf(before, ask.after) };
    if (!mayHold(await ports.results.check(ask.batch, chunk.chunk), ask.filter)) continue;
    if (chunksRead++ === CHUNKS_READ_MAX) return { hits, next: laterOf(before, ask.after) };
    const { lines, parse } = await ports.results.linesOf(ask.batch, chunk.chunk);
    const rest = lines.slice(Math.max(0, (ask.after?.ordinal ?? 0) - first));
    const reviews = await reviewsOf(ports, ask.batch, first);
    for (const found of hitsIn({ lines: rest, parse }, reviews, ask)) {
      const last = hits.at(-1);
      if (hits.length === ask.limit && last !== undefined) return { hits, next: last.place };
      hits.push(found);
    }
  }
  return { hits };
}

const compare = (one: HitPlace, other: HitPlace): number =>
  one.ordinal - other.ordinal || one.position - other.position;
const laterOf = (one: HitPlace, other: HitPlace | undefined): HitPlace =>
  other !== undefined && compare(other, one) > 0 ? other : one;

const mayHold = ({ byMatchType, hits }: SignedChunk, { matchType }: HitFilter): boolean =>
  (matchType === undefined ? hits : (byMatchType?.[matchType] ?? hits)) > 0;

/** Part of a line without hits; in a text that was sent the quotes are escaped. */
const NO_HITS = Buffer.from('"hits":[],');

/** Line by line on demand: all of a chunk would take tens of milliseconds. */
function* hitsIn(
  { lines, parse }: ChunkLines,
  reviews: ReadonlyMap<string, HitReview>,
  { after, filter }: HitPageAsk,
): Generator<FoundHit> {
  for (const line of lines) {
    if (line.includes(NO_HITS)) continue;
    const subject = parse(line);
    for (const [position, hit] of subject.hits.entries()) {
      const place = { ordinal: subject.ordinal, position };
      const review = reviews.get(hit.hit_id);
      const isBefore = after !== undefined && compare(place, after) <= 0;
      if (!isBefore && passes(hit, review, filter)) {
        yield foundHit({ hit, place, review, subject });
      }
    }
  }
}

const foundHit = ({
  review,
  ...found
}: Omit<FoundHit, 'review'> & { readonly review: HitReview | undefined }): FoundHit => ({
  ...found,
  ...(review !== undefined && { review }),
});

/** Reviews of another decision were not read, or are no longer it. */
function passes(hit: BatchHit, review: HitReview | undefined, filter: HitFilter): boolean {
  const { decision, matchType, scoreMin } = filter;
  return (
    (decision === undefined || decision === (review?.decision ?? 'pending')) &&
    (matchType === undefined || hit.match_type === matchType) &&
    (scoreMin === undefined || hit.match_score >= scoreMin)
  );
}

async function reviewsOf(
  { batches }: HitPorts,
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
    for (const review of page) found.set(review.hitId, review);
    after = page.at(-1);
    if (page.length < PAGE_REVIEWS) return found;
  }
}

/** For a decision that has records of its own: read by these, one chunk for each that has some. */
async function readReviewed(
  ports: HitPorts,
  ask: HitPageAsk & { readonly decision: HitDecision },
): Promise<HitPage> {
  const { after, batch, decision, filter, limit } = ask;
  const reviews = await ports.batches.listReviews({
    batchId: batch.batchId,
    decision,
    limit: limit + 1,
    ...(after !== undefined && { after: { ordinal: after.ordinal, position: after.position } }),
  });
  const hits: FoundHit[] = [];
  const lines = new Map<number, ChunkLines>();
  let last: HitPlace | undefined;
  for (const review of reviews.slice(0, limit)) {
    const chunkNo = chunkOf(batch, review.ordinal);
    if (!lines.has(chunkNo) && lines.size === CHUNKS_READ_MAX && last !== undefined) {
      return { hits, next: last };
    }
    const known = lines.get(chunkNo) ?? (await linesOf(ports, batch, chunkNo));
    lines.set(chunkNo, known);
    const found = hitAt(known, batch, review);
    if (found !== undefined && passes(found.hit, review, filter)) hits.push({ ...found, review });
    last = { ordinal: review.ordinal, position: review.position };
  }
  return { hits, ...(reviews.length > limit && last !== undefined && { next: last }) };
}

/** Empty where the chunk is unknown or not done. */
async function linesOf(ports: HitPorts, batch: Batch, chunkNo: number): Promise<ChunkLines> {
  const chunk = await ports.batches.findChunk(batch.batchId, chunkNo);
  if (chunk?.result === undefined) return { lines: [], parse: parseResult };
  return ports.results.linesOf(batch, { ...chunk, result: chunk.result });
}

function hitAt(
  { lines, parse }: ChunkLines,
  batch: Batch,
  { ordinal, position }: HitPlace,
): Omit<FoundHit, 'review'> | undefined {
  const line = lines[ordinal - firstOrdinal(batch, chunkOf(batch, ordinal))];
  const subject = line && parse(line);
  const hit = subject?.hits[position];
  if (subject === undefined || hit === undefined) return undefined;
  return { hit, place: { ordinal, position }, subject };
}

/** Rejects with `not-found` for an id that is no hit of this batch. */
export async function findHit(ports: HitPorts, batch: Batch, hitId: string): Promise<FoundHit> {
  const place = new BatchIds(batch).placeOfHit(hitId);
  if (place === undefined) throw new DomainError('not-found');
  const found = hitAt(await linesOf(ports, batch, chunkOf(batch, place.ordinal)), batch, place);
  if (found === undefined) throw new DomainError('not-found');
  return foundHit({ ...found, review: await ports.batches.findReview(batch.batchId, hitId) });
}
