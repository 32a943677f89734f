/** What is perfect in form and must not come into force all the same. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { refuseReleaseDate, refuseShrunk } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';

const NOW = Date.parse('2026-05-10T12:00:00.000Z') as EpochMs;
const NEVER = { older: false, shrink: false };
const inForce = (entityCount: number, releaseDate = '2026-05-01') =>
  ({ active: { entityCount, releaseDate }, version: 1 }) as ListSource;
const counts = (entities: number, removed: number) => ({
  added: 0,
  entities,
  related: 0,
  removed,
  updated: 0,
});

describe('refuseReleaseDate', () => {
  const at = (releaseDate: string, allow = NEVER) =>
    refuseReleaseDate(releaseDate, inForce(10), { allow, now: NOW });

  test('a day ahead is a publisher in the east; two days are a mistake', () => {
    expect(() => at('2026-05-11')).not.toThrow();
    expect(() => at('2026-05-13')).toThrow(expect.objectContaining({ code: 'list-damaged' }));
    expect(() => at('2055-07-03', { older: true, shrink: true })).toThrow('2055-07-03');
  });

  test.each(['2026-02-30', '2025-13-01', '2026-5-1', '10/05/2026', 'soon', ''])(
    '%j is no day',
    (releaseDate) => {
      const refusal = expect.objectContaining({ code: 'list-damaged' });
      expect(() => at(releaseDate, { older: true, shrink: true })).toThrow(refusal);
    },
  );

  test('an older release is stale, unless it is wanted', () => {
    expect(() => at('2026-04-30')).toThrow(expect.objectContaining({ code: 'list-stale' }));
    expect(() => at('2026-04-30', { ...NEVER, older: true })).not.toThrow();
    expect(() => at('2026-05-01')).not.toThrow();
  });
});

const losing = (entities: number, removed: number, unrelated = { lost: 0, of: 0 }) => ({
  counts: counts(entities, removed),
  unrelated: { digest: '', ...unrelated },
});

describe('refuseShrunk', () => {
  test('a list without entities never comes into force, whatever is allowed', () => {
    const allow = { shrink: true };
    expect(() => refuseShrunk(losing(0, 15_443), inForce(15_443), allow)).toThrow('at least one');
    expect(() => refuseShrunk(losing(0, 0), { version: 0 } as ListSource, allow)).toThrow();
  });

  test('a tenth may go, one more must be allowed', () => {
    expect(() => refuseShrunk(losing(900, 100), inForce(1_000), NEVER)).not.toThrow();
    expect(() => refuseShrunk(losing(899, 101), inForce(1_000), NEVER)).toThrow(
      expect.objectContaining({ code: 'list-shrunk' }),
    );
    expect(() => refuseShrunk(losing(899, 101), inForce(1_000), { shrink: true })).not.toThrow();
  });

  test('what was released may go, and neither more nor others', () => {
    const loss = { fileSha256: 'f1', removedCount: 136, removedDigest: 'r1' };
    const refusal = expect.objectContaining({ code: 'list-shrunk' });
    const go = (now: typeof loss) => () =>
      refuseShrunk(losing(741, now.removedCount), inForce(877), {
        loss: now,
        shrink: false,
        shrinkReleased: loss,
      });
    expect(go(loss)).not.toThrow();
    expect(go({ ...loss, fileSha256: 'f2' })).not.toThrow();
    expect(go({ ...loss, fileSha256: 'f2', removedDigest: 'r2' })).toThrow(refusal);
    expect(go({ ...loss, removedCount: 873, removedDigest: 'r2' })).toThrow(refusal);
    expect(go({ ...loss, removedCount: 87 })).not.toThrow();
  });

  test('a tenth of the related may lose their relations, or four, and no more', () => {
    const go = (lost: number, of: number) => () =>
      refuseShrunk(losing(1_000, 0, { lost, of }), inForce(1_000), NEVER);
    expect(go(4, 5)).not.toThrow();
    expect(go(20, 200)).not.toThrow();
    expect(go(21, 200)).toThrow('expected at most 20 of 200, got 21');
    expect(go(5, 8)).toThrow(expect.objectContaining({ code: 'list-shrunk' }));
  });

  test("another source's file, as long as this one's, is seen by what it takes away", () => {
    expect(() => refuseShrunk(losing(15_443, 384), inForce(462), NEVER)).toThrow('384');
  });

  test('a first import shrinks nothing', () => {
    expect(() => refuseShrunk(losing(3, 0), { version: 0 } as ListSource, NEVER)).not.toThrow();
  });
});
