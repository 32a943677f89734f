/** Signed bundles over HTTP: the retained ones, and links that are good for five minutes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceId, TableChange } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { newSource } from '#slices/ingestion';
import {
  type ListVersion,
  SNAPSHOT_LINK_MS,
  sourceTable,
  versionTable,
  writeBundle,
} from '#slices/lists';
import { writeDeltaBundle } from '../../../../src/slices/lists/deltaBundle.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { listEntity } from '../../lists/listEntity.ts';
import { keyOf, type ListService, openListService } from './fixture.ts';

const SNAPSHOTS = '/v1/sanctions/etl/snapshots';
const BUNDLE = Buffer.from(`{"a":1}\n${'x'.repeat(3_000_000)}\n`);
const runId = (number: number) => `0190eeee-0000-7000-8000-0000000000${10 + number}`;
const POST = { as: 'dora', method: 'POST' };

describe('snapshots over HTTP', () => {
  let service: ListService;
  let address = '';

  beforeAll(async () => {
    service = await openListService(makeSqliteHarness);
    ({ address } = await service.blobs.put(BUNDLE));
    const source = newSource('UN_SC');
    const changes: TableChange[] = [sourceTable.insert({ ...source, version: 1 })];
    for (let number = 1; number <= 12; number++) {
      const list: ListVersion = {
        bundleBlob: address,
        contentDigest: `content ${number}`,
        entityCount: number,
        listDigest: `list ${number}`,
        listVersion: `v2026-01-${10 + number}.a`,
        nameCount: number,
        publishedAt: service.clock.now(),
        releaseDate: `2026-01-${10 + number}`,
        runId: runId(number),
        snapshotBlob: 'bb'.repeat(32),
        sourceId: 'UN_SC' as SourceId,
      };
      const active = { ...source, active: list, version: number + 1 };
      changes.push(versionTable.insert(list), sourceTable.put(active, number));
    }
    await service.commit(...changes);
  });
  afterAll(() => service.close());

  async function link(number = 12): Promise<{ path: string; [key: string]: unknown }> {
    const reply = await service.call(`${SNAPSHOTS}/UN_SC/${runId(number)}/download`, POST);
    expect(reply.status, String(reply.raw.body)).toBe(200);
    return { ...reply.json(), path: new URL(String(reply.json().url)).pathname };
  }

  test('the last ten are listed, latest first, and nothing older is given out', async () => {
    const { data } = (await service.call(`${SNAPSHOTS}/UN_SC`)).json() as { data: object[] };
    expect(data).toHaveLength(10);
    expect(data[0]).toMatchObject({
      in_force: true,
      list_version: 'v2026-01-22.a',
      run_id: runId(12),
      snapshot_uri: `urn:sha256:${address}`,
    });
    expect((await service.call(`${SNAPSHOTS}/EU_CFSP`)).json()).toEqual({
      data: [],
      next_cursor: null,
    });
    expect((await service.call(`${SNAPSHOTS}/NOBODY`)).code).toBe('source-unknown');
    for (const path of [`UN_SC/${runId(2)}`, `UN_SC/${runId(99)}`, `EU_CFSP/${runId(12)}`]) {
      const reply = await service.call(`${SNAPSHOTS}/${path}/download`, POST);
      expect(reply.status, path).toBe(reply.code === 'path-invalid' ? 400 : 404);
    }
  });

  test('a link needs no credential, tells its length, and gives the very bytes', async () => {
    const { bytes, path, sha256 } = await link();
    expect([bytes, sha256]).toEqual([BUNDLE.length, address]);
    const reply = await service.page(path);
    expect(reply.status).toBe(200);
    expect([reply.raw.bodyBytes, reply.header('etag')]).toEqual([BUNDLE.length, `"${address}"`]);
    expect((await reply.bytes()).equals(BUNDLE)).toBe(true);
    const known = await service.page(path, { 'if-none-match': `"${address}"` });
    expect([known.status, known.raw.body]).toEqual([304, '']);
    const entries = await service.entries('SANCTIONS_SNAPSHOT_DOWNLOADED');
    expect(entries.at(-1)).toMatchObject({
      actor: 'user:https://issuer.test|dora',
      target: 'UN_SC',
    });
  });

  test('a version that is kept as a delta is given out whole, signed, and once', async () => {
    const header = {
      fetched_at: '2026-02-01T00:00:00.000Z',
      kind: 'full' as const,
      list_version: 'v2026-02-01.a',
      source: 'EU_CFSP',
    };
    const line = (id: string) => Buffer.from(canonicalJson(listEntity(id)));
    const lines = (...ids: string[]) => ids.map((id) => Buffer.from(`${line(id)}\n`));
    const { blobs, clock } = service;
    const base = await blobs.put(writeBundle(header, lines('a', 'b'), keyOf(1)));
    const { kind: _, ...next } = { ...header, list_version: 'v2026-02-02.a' };
    const delta = writeDeltaBundle(
      { ...next, base: base.address, content_digest: '', entity_count: 2, list_digest: '' },
      new Map([
        ['a', undefined],
        ['c', line('c')],
      ]),
      keyOf(1),
    );
    const { address: bundleBlob } = await blobs.put(Buffer.concat([...delta]));
    const list: ListVersion = {
      bundleBase: { bundleBlob: base.address, linesBlob: 'cc'.repeat(32) },
      bundleBlob,
      contentDigest: 'content',
      entityCount: 2,
      listDigest: 'list',
      listVersion: next.list_version,
      nameCount: 2,
      publishedAt: clock.now(),
      releaseDate: '2026-02-02',
      runId: runId(50),
      snapshotBlob: 'bb'.repeat(32),
      sourceId: 'EU_CFSP' as SourceId,
    };
    const source = { ...newSource('EU_CFSP'), active: list, version: 1 };
    await service.commit(versionTable.insert(list), sourceTable.insert(source));
    const ask = () => service.call(`${SNAPSHOTS}/EU_CFSP/${runId(50)}/download`, POST);
    const [one, other] = await Promise.all([ask(), ask()]);
    const whole = writeBundle({ ...next, kind: 'full' }, lines('b', 'c'), keyOf(1));
    const expected = await blobs.put(whole);
    for (const reply of [one, other]) {
      expect(reply?.json()).toMatchObject({ bytes: expected.bytes, sha256: expected.address });
    }
    const page = await service.page(new URL(String(one?.json().url)).pathname);
    expect((await page.bytes()).equals((await blobs.get(expected.address)) ?? Buffer.of())).toBe(
      true,
    );
  });

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=1048570-1048585', 1_048_570, 1_048_586],
    ['bytes=2999990-', 2_999_990, BUNDLE.length],
    ['bytes=-5', BUNDLE.length - 5, BUNDLE.length],
    ['bytes=0-99999999', 0, BUNDLE.length],
  ])('%s is that part of it', async (range, from, to) => {
    const reply = await service.page((await link()).path, { range });
    expect(reply.status).toBe(206);
    expect(reply.header('content-range')).toBe(`bytes ${from}-${to - 1}/${BUNDLE.length}`);
    expect(reply.raw.bodyBytes).toBe(to - from);
    expect((await reply.bytes()).equals(BUNDLE.subarray(from, to))).toBe(true);
  });

  test.each(['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=a-b'])(
    '%s is no range that we know, and all of it comes',
    async (range) => {
      const reply = await service.page((await link()).path, { range });
      expect([reply.status, reply.raw.bodyBytes]).toEqual([200, BUNDLE.length]);
    },
  );

  test('a range past the end is 416; one of another content is all of this one', async () => {
    const { path } = await link();
    const past = await service.page(path, { range: 'bytes=9999999-' });
    expect([past.status, past.code]).toEqual([416, 'range-unsatisfiable']);
    const huge = await service.page(path, { range: `bytes=${'9'.repeat(20)}-` });
    expect([huge.status, huge.code]).toEqual([416, 'range-unsatisfiable']);
    const other = await service.page(path, { 'if-range': '"other"', range: 'bytes=0-1' });
    expect(other.status).toBe(200);
  });

  test('every other link is unknown, whatever was changed of it', async () => {
    const { path } = await link();
    const [payload = '', mac = ''] = path.slice('/downloads/'.length).split('.');
    const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const changed = fields.map((_, index) => {
      const other = fields.with(index, index === 3 ? 9e15 : 'x');
      return `${Buffer.from(JSON.stringify(other)).toString('base64url')}.${mac}`;
    });
    const forged = [...changed, `${payload}.${mac}x`, `${payload}.`, payload, `.${mac}`, 'x', '..'];
    for (const token of forged) {
      const reply = await service.page(`/downloads/${token}`);
      expect([reply.status, reply.code], token).toEqual([404, 'not-found']);
    }
  });

  test('after five minutes it has expired', async () => {
    const { path } = await link();
    service.advance(SNAPSHOT_LINK_MS - 1);
    expect((await service.page(path)).status).toBe(200);
    service.advance(1);
    const reply = await service.page(path);
    expect([reply.status, reply.code]).toEqual([403, 'link-expired']);
  });

  test('only DSI asks for one', async () => {
    const path = `${SNAPSHOTS}/UN_SC/${runId(12)}/download`;
    expect((await service.call(path, { ...POST, as: 'carl' })).code).toBe('role-insufficient');
  });
});
