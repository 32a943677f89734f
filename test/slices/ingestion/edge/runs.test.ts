/** Runs over HTTP: started, refused, listed, released after a shrink. On both stores. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListRun } from '#slices/ingestion';
import { sourceTable } from '#slices/lists';
import type { StoreHarness } from '../../../storage/contract/harness.ts';
import { mongoHarness } from '../../../storage/mongo/harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from '../../../storage/mongo/server.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { type ListService, openListService } from './fixture.ts';

const RUNS = '/v1/sanctions/etl/runs';
const trigger = (source: string) => `/v1/sanctions/etl/sources/${source}/trigger`;
const POST = { as: 'dora', method: 'POST' };
const LOSS = {
  fileSha256: 'ab'.repeat(32),
  removedCount: 136,
  removedDigest: 'cd'.repeat(32),
};
const SHRUNK: Partial<ListRun> = {
  errorCode: 'list-shrunk',
  errorMessage: 'removed: 136 of 877',
  status: 'failed',
};

function suite(technology: string, makeHarness: () => Promise<StoreHarness>): void {
  describe(`${technology}: runs over HTTP`, () => {
    let service: ListService;
    beforeAll(async () => {
      service = await openListService(makeHarness);
    });
    afterAll(() => service.close());

    async function started(source: string, query = ''): Promise<ListRun> {
      const reply = await service.call(trigger(source), { ...POST, query });
      expect(reply.status, String(reply.raw.body)).toBe(202);
      const run = await service.runs.findRun(String(reply.json().run_id));
      if (run === undefined) throw new Error('no run');
      return run;
    }

    test('a run is started once, and nothing is started beside it', async () => {
      const key = crypto.randomUUID();
      const ask = { ...POST, key, query: 'kind=delta' };
      const first = await service.call(trigger('UN_SC'), ask);
      expect(first.status, String(first.raw.body)).toBe(202);
      expect(service.woken).toEqual([first.json().run_id]);
      expect(first.json()).toMatchObject({
        kind: 'delta',
        source_id: 'UN_SC',
        status: 'running',
        triggered_by: 'manual:user:https://issuer.test|dora',
      });
      const again = await service.call(trigger('UN_SC'), ask);
      expect([again.status, again.raw.body]).toEqual([202, first.raw.body]);
      expect(again.header('idempotent-replayed')).toBe('true');
      const other = await service.call(trigger('UN_SC'), POST);
      expect([other.status, other.code]).toEqual([409, 'state-conflict']);
      const refresh = { ...POST, as: 'adam' };
      expect((await service.call('/v1/sanctions/lists/UN_SC/refresh', refresh)).status).toBe(409);
      const source = (await service.call('/v1/sanctions/etl/sources/UN_SC')).json();
      expect([source.last_status, source.running_run_id]).toEqual(['running', first.json().run_id]);
      const entries = await service.entries('SANCTIONS_MANUAL_TRIGGER');
      expect(entries.map(({ target }) => target)).toEqual(['UN_SC']);
    });

    test('an empty object is no body, anything else is one too many', async () => {
      const full = await service.call(trigger('UN_SC'), { ...POST, body: { kind: 'full' } });
      expect([full.status, full.code]).toEqual([400, 'body-invalid']);
      expect(full.json().detail).toBe('expected no body, or {}');
      const long = await service.call(trigger('UN_SC'), {
        ...POST,
        body: { kind: 'x'.repeat(5_000) },
      });
      expect([long.status, long.code]).toEqual([413, 'body-too-large']);
      const empty = await service.call(trigger('UN_SC'), { ...POST, body: {} });
      expect([empty.status, empty.code]).toEqual([409, 'state-conflict']);
    });

    test('a sandbox starts no run of a list that others screen by, nor releases one', async () => {
      const headers = { 'x-test-environment': 'sandbox' };
      for (const [path, as] of [
        [trigger('EU_CFSP'), 'dora'],
        ['/v1/sanctions/lists/EU_CFSP/refresh', 'adam'],
      ] as const) {
        const reply = await service.call(path, { as, headers, method: 'POST' });
        expect([reply.status, reply.code]).toEqual([403, 'role-insufficient']);
      }
      expect((await service.source('EU_CFSP'))?.runningRunId).toBeUndefined();
    });

    test('of many starts at once one is made', async () => {
      const asks = [1, 2, 3, 4].map(() => service.call(trigger('EU_CFSP'), POST));
      const statuses = (await Promise.all(asks)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([202, 409, 409, 409]);
    });

    test('a refresh by force asks for the file whatever is known of it', async () => {
      const run = await started('OFAC_SDN');
      await service.endRun(run, { status: 'success' });
      const source = await service.source('OFAC_SDN');
      if (source === undefined) throw new Error('no source');
      const validators = { etag: '"1"', fileSha256: 'aa'.repeat(32) };
      const known = { ...source, validators, version: source.version + 1 };
      await service.commit(sourceTable.put(known, source.version));
      const path = '/v1/sanctions/lists/OFAC_SDN/refresh';
      expect((await service.call(path, { ...POST, as: 'adam' })).status).toBe(202);
      expect((await service.source('OFAC_SDN'))?.validators).toBeUndefined();
    });

    test.each([
      ['an unknown source', trigger('NOBODY'), POST, 404, 'source-unknown'],
      ['the list of sandboxes', trigger('DEMO'), POST, 404, 'source-unknown'],
      ['no kind of run', trigger('UN_SC'), { ...POST, query: 'kind=half' }, 400, 'query-invalid'],
      ['nothing to fetch', trigger('BCT_TN'), POST, 409, 'state-conflict'],
      ['compliance', trigger('HMT_OFSI'), { ...POST, as: 'carl' }, 403, 'role-insufficient'],
      ['an unknown run', `${RUNS}/0190dddd-0000-7000-8000-000000000099`, {}, 404, 'run-unknown'],
      ['no run’s id', `${RUNS}/1`, {}, 400, 'path-invalid'],
    ])('%s is refused', async (_, path, ask, status, code) => {
      const reply = await service.call(path, ask);
      expect([reply.status, reply.code]).toEqual([status, code]);
    });

    test('the history comes in pages, filtered, and a cursor is its filters’ alone', async () => {
      for (let count = 0; count < 5; count++) {
        service.advance(1_000);
        const run = await started('OPEN_AGGREGATE');
        await service.endRun(run, { addedCount: count, status: 'success' });
      }
      const filter = 'sourceId=OPEN_AGGREGATE&status=success';
      const counts: unknown[] = [];
      let cursor: unknown = null;
      do {
        const query = `${filter}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
        const page = (await service.call(RUNS, { query })).json();
        counts.push(...(page.data as { added_count: number }[]).map((run) => run.added_count));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(counts).toEqual([4, 3, 2, 1, 0]);
      const page = (await service.call(RUNS, { query: `${filter}&limit=1` })).json();
      const misused = { query: `sourceId=UN_SC&cursor=${page.next_cursor}` };
      expect((await service.call(RUNS, misused)).code).toBe('cursor-invalid');
      const at = new Date(service.clock.now()).toISOString();
      const since = (await service.call(RUNS, { query: `${filter}&since=${at}` })).json();
      expect(since.data).toHaveLength(1);
      for (const query of ['since=2026-13-45T99:00:00Z', 'status=done', 'limit=201', 'x=1']) {
        expect((await service.call(RUNS, { query })).status).toBe(400);
      }
    });

    test('a run shows its log and its statistics', async () => {
      const run = await started('HMT_OFSI');
      const notes = { 'country-unknown': 3 };
      await service.endRun(run, { durationsMs: { read: 12 }, notes, status: 'partial' });
      const detail = (await service.call(`${RUNS}/${run.runId}`)).json();
      expect(detail).toMatchObject({
        duration_ms: 0,
        statistics: { durations_ms: { read: 12 }, notes },
        status: 'partial',
      });
      expect((detail.log as { text: string }[])[0]?.text).toMatch('full run of HMT_OFSI');
    });

    test('a shrunk list is released by two persons, once', async () => {
      const run = await started('OFAC_CONSOLIDATED');
      await service.endRun(run, { ...SHRUNK, ...LOSS });
      const path = `${RUNS}/${run.runId}/approve`;
      const resource = `sanctions_list_run:${run.runId}`;
      const subject = { field: 'shrink_approved', newValue: true, resource };
      const body = { approval_reason: 'The programme has ended' };
      const by = { approver: 'carl', author: 'dora' } as const;
      const ask = { ...POST, body, headers: service.signed(subject, by) };
      const fromSandbox = { ...ask.headers, 'x-test-environment': 'sandbox' };
      expect((await service.call(path, { ...ask, headers: fromSandbox })).code).toBe(
        'role-insufficient',
      );
      const wrong = service.signed({ ...subject, newValue: false }, by);
      expect((await service.call(path, { ...ask, headers: wrong })).code).toBe(
        'dual-control-signature-invalid',
      );
      const reply = await service.call(path, ask);
      expect(reply.status, String(reply.raw.body)).toBe(202);
      const released = await service.runs.findRun(String(reply.json().run_id));
      expect(released?.shrinkApprovedBy).toBe(service.personId('carl'));
      expect(released?.shrinkReleased).toEqual(LOSS);
      expect(released?.kind).toBe('full');
      const [entry] = await service.entries('SANCTIONS_SHRINK_APPROVED');
      expect(entry?.target).toBe('OFAC_CONSOLIDATED');
      expect((await service.call(path, ask)).status).toBe(409);
    });

    const refused: readonly [string, string, Partial<ListRun>, string][] = [
      ['does not tell what it was refused for', 'HMT_OFSI', SHRUNK, 'a run that tells its file'],
      [
        'did not shrink',
        'OPEN_AGGREGATE',
        { errorCode: 'list-damaged', status: 'failed' },
        'failed with list-shrunk',
      ],
    ];
    test.each(refused)('a run that %s is not released', async (_, sourceId, end, why) => {
      const run = await started(sourceId);
      await service.endRun(run, end);
      const resource = `sanctions_list_run:${run.runId}`;
      const subject = { field: 'shrink_approved', newValue: true, resource };
      const headers = service.signed(subject, { approver: 'carl', author: 'dora' });
      const body = { approval_reason: 'x' };
      const reply = await service.call(`${RUNS}/${run.runId}/approve`, { ...POST, body, headers });
      expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
      expect(reply.json().detail).toContain(why);
    });
  });
}

suite('sqlite', makeSqliteHarness);

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());
  suite(
    'with transactions',
    mongoHarness(() => server, 'require'),
  );
  suite(
    'without transactions',
    mongoHarness(() => server, 'off'),
  );
});
