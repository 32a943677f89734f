/** The store of batches over an adapter: what persons decided of hits. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TableChange } from '#core/kernel';
import type { BatchStore, HitReview, ReviewPage } from '#slices/batches';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, hitIdOf, makeReview, numberOf, putReview } from './batchRecords.ts';
import { append, type MakeHarness, type StoreHarness } from './harness.ts';

export function hitReviewsContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: reviews of hits`, () => {
    let harness: StoreHarness;
    let storage: Storage;
    let batches: BatchStore;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      batches = batchStore(storage.tables);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: TableChange[]) => (await append(storage, { changes })).result;
    const find = (number: number, batchNumber = 1) =>
      batches.findReview(batchIdOf(batchNumber), hitIdOf(number));
    const numbers = async (page: Partial<ReviewPage>) => {
      const ask = { batchId: batchIdOf(1), limit: 9, ...page };
      return (await batches.listReviews(ask)).map(({ hitId }) => numberOf(hitId));
    };

    test('a review reads back as it was put last; a hit without one has none', async () => {
      const again = makeReview(1, { decision: 'true_positive', notes: 'sure', version: 2 });
      await change(putReview(makeReview(1)));
      expect(await find(1)).toStrictEqual(makeReview(1));
      await change(putReview(again, 1));
      expect(await find(1)).toStrictEqual(again);
      expect(await find(2)).toBeUndefined();
      expect(await find(1, 2)).toBeUndefined();
    });

    test('of two that decide one hit upon the same version the second is stale', async () => {
      const second = makeReview(1, { decision: 'true_positive', reviewerId: 'person-2' });
      await change(putReview(makeReview(1)));
      const stale = { kind: 'stale', changeIndex: 0 };
      expect(await change(putReview(second))).toEqual(stale);
      expect(await change(putReview({ ...second, version: 3 }, 2))).toEqual(stale);
      const both = await change(putReview(makeReview(2)), putReview(second));
      expect(both).toEqual({ kind: 'stale', changeIndex: 1 });
      expect(await find(1)).toStrictEqual(makeReview(1));
      expect(await find(2)).toBeUndefined();
    });

    test('reviews come by place, page after page, each batch’s its own', async () => {
      const places = [
        [10, 1],
        [2, 0],
        [10, 0],
        [2, 5],
        [2, 3],
      ] as const;
      const reviews = places.map(([ordinal, position], index) =>
        makeReview(index + 1, { ordinal, position }),
      );
      await change(
        ...reviews.map((review) => putReview(review)),
        putReview(makeReview(9, { batchId: batchIdOf(2) })),
      );
      const seen: number[] = [];
      for (let after: HitReview | undefined; ; ) {
        const ask = { batchId: batchIdOf(1), limit: 2, ...(after && { after }) };
        const page = await batches.listReviews(ask);
        seen.push(...page.map(({ hitId }) => numberOf(hitId)));
        after = page.at(-1);
        if (page.length < 2) break;
      }
      expect(seen).toEqual([2, 5, 4, 3, 1]);
    });

    test('a page is of one decision, of some ordinals, or of both', async () => {
      const reviews = [1, 2, 3, 4, 5].map((number) =>
        makeReview(number, { decision: number % 2 === 0 ? 'true_positive' : 'false_positive' }),
      );
      await change(...reviews.map((review) => putReview(review)));
      expect(await numbers({ decision: 'true_positive' })).toEqual([2, 4]);
      expect(await numbers({ toOrdinal: 3 })).toEqual([1, 2]);
      const after = { ordinal: 1, position: 0 };
      expect(await numbers({ after, decision: 'false_positive', toOrdinal: 5 })).toEqual([3]);
      expect(await numbers({ after, limit: 2 })).toEqual([2, 3]);
      expect(await numbers({ after: { ordinal: 5, position: 0 } })).toEqual([]);
    });

    test('a decision that is reversed moves to the other page', async () => {
      await change(putReview(makeReview(1)));
      await change(putReview(makeReview(1, { decision: 'true_positive', version: 2 }), 1));
      expect(await numbers({ decision: 'false_positive' })).toEqual([]);
      expect(await numbers({ decision: 'true_positive' })).toEqual([1]);
    });
  });
}
