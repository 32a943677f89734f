/** Pages of hits: whatever their size and their filter, and however chunks end meanwhile. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchId, TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import {
  answerIn,
  type Batch,
  type BatchChunk,
  BatchIds,
  CHUNKS_READ_MAX,
  findHit,
  type HitFilter,
  type HitPlace,
  type HitPorts,
  type HitReview,
  MATCH_TYPES,
  noCounts,
  parseResult,
  readHits,
} from '#slices/batches';

const CHUNK_SUBJECTS = 3;
const NAMED = {
  batchId: '018f0000-0000-7000-8000-0000000000aa' as BatchId,
  secret: Buffer.alloc(32, 7).toString('base64'),
  tenantId: '018f0000-0000-7000-8000-000000000001' as TenantId,
};
const IDS = new BatchIds(NAMED);

/** Hits of each subject. */
type Found = readonly number[];

class House implements HitPorts {
  readonly #found: Found;
  readonly #done = new Set<number>();
  readonly #reviews: readonly HitReview[];
  #ended: Batch['status'] | undefined;
  reads = 0;

  constructor(found: Found, reviewed: readonly number[] = []) {
    this.#found = found;
    const places = allPlaces(found);
    this.#reviews = [...new Set(reviewed.map((at) => at % Math.max(1, places.length)))]
      .sort((one, other) => one - other)
      .flatMap((at) => places[at] ?? [])
      .map((place, at) => reviewOf(place, at % 2 === 0 ? 'true_positive' : 'false_positive'));
  }

  get chunks(): number {
    return Math.ceil(this.#found.length / CHUNK_SUBJECTS);
  }

  get batch(): Batch {
    const status = this.#ended ?? (this.#done.size === this.chunks ? 'completed' : 'running');
    // What else a batch has is not looked at.
    return {
      ...NAMED,
      chunkSubjects: CHUNK_SUBJECTS,
      chunksTotal: this.chunks,
      status,
    } as Batch;
  }

  done(...chunkNos: number[]): void {
    for (const chunkNo of chunkNos) this.#done.add(chunkNo);
  }

  cancel(): void {
    this.#ended = 'canceled';
  }

  /** As a reader of all of it at once finds them. */
  expected(filter: HitFilter = {}): string[] {
    const decisions = new Map(this.#reviews.map(({ decision, hitId }) => [hitId, decision]));
    return allPlaces(this.#found)
      .map((place) => hitOf(place))
      .filter(
        (hit) =>
          (filter.decision ?? decisions.get(hit.hit_id) ?? 'pending') ===
            (decisions.get(hit.hit_id) ?? 'pending') &&
          (filter.matchType ?? hit.match_type) === hit.match_type &&
          (filter.scoreMin ?? 0) <= hit.match_score,
      )
      .map((hit) => hit.record_id);
  }

  #chunk(chunkNo: number): BatchChunk {
    const hits = allPlaces(this.#found).filter(
      ({ ordinal }) => Math.floor(ordinal / CHUNK_SUBJECTS) === chunkNo,
    );
    const byMatchType = { ...noCounts().byMatchType };
    for (const place of hits) byMatchType[hitOf(place).match_type]++;
    const result = {
      blob: String(chunkNo),
      byDecision: noCounts().byDecision,
      byMatchType,
      completedAt: 0 as EpochMs,
      hits: hits.length,
      merkleRoot: '',
      subjectsWithHits: 0,
    };
    return {
      ...NAMED,
      chunkNo,
      input: '',
      subjects: CHUNK_SUBJECTS,
      ...(this.#done.has(chunkNo) && { result }),
    };
  }

  readonly batches: HitPorts['batches'] = {
    findChunk: async (_, chunkNo) => this.#chunk(chunkNo),
    findReview: async (_, hitId) => this.#reviews.find((review) => review.hitId === hitId),
    listChunks: async ({ fromNo, limit }) =>
      Array.from({ length: this.chunks }, (_, chunkNo) => chunkNo)
        .filter((chunkNo) => chunkNo >= fromNo)
        .slice(0, limit)
        .map((chunkNo) => this.#chunk(chunkNo)),
    listReviews: async ({ after, decision, limit, toOrdinal }) =>
      this.#reviews
        .filter((review) => after === undefined || isAfter(review, after))
        .filter((review) => toOrdinal === undefined || review.ordinal < toOrdinal)
        .filter((review) => decision === undefined || review.decision === decision)
        .slice(0, limit),
  };

  readonly results: HitPorts['results'] = {
    check: async (_, { result, subjects }) => ({ ...result, hash: '', seq: 1, subjects }),
    checkReview: async () => undefined,
    read: async (_, { chunk: { chunkNo }, question }) => {
      this.reads++;
      const first = chunkNo * CHUNK_SUBJECTS;
      const counts = this.#found.slice(first, first + CHUNK_SUBJECTS);
      const lines = counts.map((count, at) =>
        Buffer.from(canonicalJson(lineOf(first + at, count))),
      );
      return answerIn({ lines, parse: parseResult }, question) as never;
    },
  };

  /** Page by page to the end, or to where there is no more yet. */
  async read(filter: HitFilter, limit: number, after?: HitPlace) {
    const records: string[] = [];
    let position = after;
    for (;;) {
      const page = await readHits(this, {
        batch: this.batch,
        filter,
        limit,
        ...(position !== undefined && { after: position }),
      });
      records.push(...page.hits.map(({ hit }) => hit.record_id));
      expect(page.hits.length).toBeLessThanOrEqual(limit);
      const isStuck = page.next === undefined || samePlace(page.next, position);
      position = page.next;
      if (isStuck) return { next: page.next, records };
    }
  }
}

const isAfter = (one: HitPlace, other: HitPlace): boolean =>
  one.ordinal > other.ordinal || (one.ordinal === other.ordinal && one.position > other.position);
const samePlace = (one: HitPlace, other: HitPlace | undefined): boolean =>
  one.ordinal === other?.ordinal && one.position === other.position;

const allPlaces = (found: Found): HitPlace[] =>
  found.flatMap((count, ordinal) =>
    Array.from({ length: count }, (_, position) => ({ ordinal, position })),
  );

const hitOf = (place: HitPlace) => ({
  hit_id: IDS.hit(place),
  list_source: 'DEMO',
  match_score: 1 - place.position / 10,
  match_type: MATCH_TYPES[(place.ordinal + place.position) % 4] ?? ('sanction' as const),
  payload: {},
  record_id: `${place.ordinal}-${place.position}`,
  strong: false,
});

const lineOf = (ordinal: number, count: number) => ({
  batch_subject_id: IDS.subject(ordinal),
  decision: 'match',
  external_id: `"hits":[],${ordinal}`,
  hits: Array.from({ length: count }, (_, position) => hitOf({ ordinal, position })),
  line: ordinal + 1,
  ordinal,
  salt: '',
  subject: { external_id: '', full_name: '' },
  truncated: false,
});

const reviewOf = (place: HitPlace, decision: HitReview['decision']): HitReview => ({
  ...NAMED,
  ...place,
  decision,
  hitId: IDS.hit(place),
  notes: '',
  reviewedAt: 0 as EpochMs,
  reviewerId: 'r',
  version: 1,
});

const anyFound = fc.array(fc.integer({ max: 3, min: 0 }), { maxLength: 60, minLength: 1 });
const anyFilter = fc.record(
  {
    decision: fc.constantFrom('pending', 'true_positive', 'false_positive'),
    matchType: fc.constantFrom(...MATCH_TYPES),
    scoreMin: fc.constantFrom(0.85, 0.95),
  },
  { requiredKeys: [] },
);

describe('pages of hits', () => {
  test('together are all hits that pass, once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFound,
        fc.array(fc.nat(), { maxLength: 20 }),
        anyFilter,
        fc.integer({ max: 12, min: 1 }),
        async (found, reviewed, filter, limit) => {
          const house = new House(found, reviewed);
          house.done(...Array.from({ length: house.chunks }, (_, at) => at));
          const { next, records } = await house.read(filter, limit);
          expect(records).toEqual(house.expected(filter));
          expect(next).toBeUndefined();
        },
      ),
      { numRuns: 60 },
    );
  });

  test('go on where they stopped while chunks end in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFound,
        fc.infiniteStream(fc.nat()),
        fc.integer({ max: 5, min: 1 }),
        async (found, draws, limit) => {
          const house = new House(found);
          const left = Array.from({ length: house.chunks }, (_, at) => at);
          const records: string[] = [];
          let after: HitPlace | undefined;
          while (left.length > 0) {
            const [chunkNo = 0] = left.splice((draws.next().value ?? 0) % left.length, 1);
            house.done(chunkNo);
            const read = await house.read({}, limit, after);
            records.push(...read.records);
            after = read.next;
          }
          expect(records).toEqual(house.expected());
          expect(after).toBeUndefined();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('read so many chunks at the most, and none that says it holds nothing', async () => {
    const house = new House(Array.from({ length: 90 }, () => 1));
    house.done(...Array.from({ length: 30 }, (_, at) => at));
    const first = await readHits(house, { batch: house.batch, filter: { scoreMin: 2 }, limit: 1 });
    expect([first.hits.length, house.reads]).toEqual([0, CHUNKS_READ_MAX]);
    expect(first.next).toBeDefined();
    const empty = new House(Array.from({ length: 90 }, (_, at) => (at === 89 ? 1 : 0)));
    empty.done(...Array.from({ length: 30 }, (_, at) => at));
    expect((await empty.read({}, 10)).records).toEqual(['89-0']);
    expect(empty.reads).toBe(1);
  });

  test('of a batch that was canceled pass over what was not done', async () => {
    const house = new House([1, 0, 0, 1, 0, 0, 1, 0, 0]);
    house.done(0, 2);
    house.cancel();
    expect(await house.read({}, 1)).toEqual({ next: undefined, records: ['0-0', '6-0'] });
  });
});

test('a hit is found by its id, and by no other', async () => {
  const house = new House([1, 2]);
  house.done(0);
  const id = IDS.hit({ ordinal: 1, position: 1 });
  expect((await findHit(house, house, id)).hit.record_id).toBe('1-1');
  for (const unknown of [
    IDS.hit({ ordinal: 1, position: 2 }),
    IDS.hit({ ordinal: 5, position: 0 }),
    IDS.subject(1),
    id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ]) {
    await expect(findHit(house, house, unknown)).rejects.toThrow('not-found');
  }
});
