/**
 * Tables under two processes that act at once. Who wins is open, but one does: the model is told
 * afterwards which one it was.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { type SampleOf, sampleKey, sampleNext, sampleRecord } from './sampleRecord.ts';
import { ACCOUNTS, JOBS, NOTES } from './syntheticTables.ts';
import type { TablesHarness, TablesStore, Twins } from './twins.ts';

const NOW = 10_000 as EpochMs;

export function tableRacesContract(twins: () => Twins, harness: () => TablesHarness): void {
  describe('two processes at once', () => {
    let other: TablesStore;
    beforeAll(async () => {
      other = await harness().open();
    });
    afterAll(() => other.close());

    const stores = () => [twins().store, other];
    /** So many calls at once, by turns in both processes. */
    const race = <T>(count: number, call: (store: TablesStore, n: number) => Promise<T>) =>
      Promise.all(
        Array.from({ length: count }, (_, n) => call(stores()[n % 2] ?? twins().store, n)),
      );
    const putJobs = async (count: number) => {
      const sample = twins().sample();
      const records = Array.from({ length: count }, (_, n) => sampleRecord(JOBS, n, sample));
      await twins().commit(
        sample.tenant,
        records.map((record) => JOBS.table.insert(record)),
      );
      return sample;
    };
    const holdingOne = { holder: 'one', key: {} };

    test('no row is leased twice', async () => {
      const { tenant } = await putJobs(16);
      const ask = { holder: 'one', lane: [tenant], limit: 3, now: NOW };
      const leases = (await race(8, (store) => store.tables.lease(JOBS.table, ask))).flat();
      const ids = leases.map(({ record }) => record.jobId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(leases.every(({ lease }) => lease.fence === 1 && lease.tries === 1)).toBe(true);
      expect(ids.length).toBeGreaterThan(0);
      for (const { record } of leases) {
        const key = { jobId: record.jobId as string };
        await twins().model.tables.claim(JOBS.table, { ...holdingOne, key });
      }
      // What nobody got is still there to be had.
      await twins().tables.lease(JOBS.table, { ...ask, limit: 100 });
      expect(await twins().tables.lease(JOBS.table, ask)).toEqual([]);
    });

    test('a row that many claim, take over or give back is one’s', async () => {
      const sample = await putJobs(1);
      const key = sampleKey(JOBS, 0, sample);
      const winners = <T>(results: readonly (T | undefined | false)[]): T[] =>
        results.flatMap((one) => (one === undefined || one === false ? [] : [one]));
      const claimed = winners(
        await race(6, ({ tables }, n) => tables.claim(JOBS.table, { holder: `w${n}`, key })),
      );
      expect(claimed).toHaveLength(1);
      const seen = claimed[0]?.lease ?? { beat: 0, fence: 0, holder: '', tries: 0 };
      await twins().model.tables.claim(JOBS.table, { holder: seen.holder, key });
      const taken = winners(
        await race(6, ({ tables }, n) =>
          tables.takeOver(JOBS.table, { holder: `t${n}`, key, seen }),
        ),
      );
      expect(taken).toHaveLength(1);
      const claim = taken[0]?.lease ?? seen;
      await twins().model.tables.takeOver(JOBS.table, { holder: claim.holder, key, seen });
      const back = { claim, isTried: false, key };
      const given = winners(await race(6, ({ tables }) => tables.giveBack(JOBS.table, back)));
      expect(given).toEqual([true]);
      await twins().model.tables.giveBack(JOBS.table, back);
      expect(await twins().tables.claim(JOBS.table, { holder: 'last', key })).toMatchObject({
        lease: { fence: 3, tries: 2 },
      });
    });

    test('a unique value that two tenants take at once is one’s', async () => {
      const samples = [twins().sample(), twins().sample()];
      const insert = ({ salt, tenant }: SampleOf) => [
        ACCOUNTS.table.insert({ ...sampleRecord(ACCOUNTS, 1, { salt, tenant }), hash: 'both' }),
      ];
      const outcomes = await race(2, (store, n) => {
        const sample = samples[n] ?? twins().sample();
        return store.append(sample.tenant, insert(sample));
      });
      expect(outcomes.toSorted()).toEqual([0, 'appended']);
      const winner = samples[outcomes.indexOf('appended')] ?? twins().sample();
      expect(twins().model.apply(winner.tenant, insert(winner))).toBeUndefined();
      const found = await twins().tables.findUnique(ACCOUNTS.table, 'hash', { hash: 'both' });
      expect(found).toMatchObject({ tenantId: winner.tenant });
    });

    test('work that is saved while a commit puts is lost in neither', async () => {
      const sample = await putJobs(1);
      const key = sampleKey(JOBS, 0, sample);
      const record = sampleRecord(JOBS, 0, sample);
      const next = JOBS.table.put({ ...record, requestedAt: 7, version: 2 }, 1);
      const work = { log: ['a', 'b'], stage: 'reading' };
      const [outcome, isSaved] = await Promise.all([
        twins().store.append(sample.tenant, [next]),
        other.tables.saveWork(JOBS.table, { key, work }),
      ]);
      expect([outcome, isSaved]).toEqual(['appended', true]);
      twins().model.apply(sample.tenant, [next]);
      await twins().model.tables.saveWork(JOBS.table, { key, work });
      expect(await twins().tables.find(JOBS.table, key)).toMatchObject({ ...work, requestedAt: 7 });
    });

    test('of touches at once the latest stays', async () => {
      const sample = twins().sample();
      const record = sampleRecord(ACCOUNTS, 1, sample);
      const key = sampleKey(ACCOUNTS, 1, sample);
      await twins().commit(sample.tenant, [ACCOUNTS.table.insert(record)]);
      await race(8, ({ tables }, n) => tables.touch(ACCOUNTS.table, key, 100 + ((n * 5) % 8)));
      await twins().model.tables.touch(ACCOUNTS.table, key, 107);
      expect(await twins().tables.find(ACCOUNTS.table, key)).toMatchObject({ lastUsedAt: 107 });
    });

    test('missing records that two insert at once are there once', async () => {
      const sample = twins().sample();
      const records = Array.from({ length: 20 }, (_, n) => sampleRecord(NOTES, n, sample));
      await race(4, ({ tables }) => tables.insertMissing(NOTES.table, records));
      await twins().model.tables.insertMissing(NOTES.table, records);
      const equal = { tenantId: sample.tenant };
      const page = await twins().tables.page(NOTES.table, { equal, index: 'key', limit: 100 });
      expect(page.records).toHaveLength(20);
    });

    test('a write is read by the other process as soon as it is answered', async () => {
      const sample = twins().sample();
      const key = sampleKey(NOTES, 1, sample);
      let record = sampleRecord(NOTES, 1, sample);
      for (let version = 1; version <= 5; version++) {
        if (version > 1) record = sampleNext(NOTES, record, version, sample);
        const put = NOTES.table.put(record, version - 1);
        expect(await twins().commit(sample.tenant, [put])).toBe('appended');
        expect(await other.tables.find(NOTES.table, key)).toStrictEqual(record);
      }
    });
  });
}
