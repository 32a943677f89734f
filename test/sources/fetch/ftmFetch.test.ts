/** FtM data over HTTP: whole releases checked against their index, and the changes since one. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type FetchedList, newSource } from '#slices/ingestion';
import type { ListSource, ListVersion } from '#slices/lists';
import { createHttpFetcher, type HttpFetcher } from '../../../src/sources/fetch/httpFetcher.ts';
import { ENTITIES_PATH, type FtmPublisher, INDEX_PATH, openFtmPublisher } from './ftmPublisher.ts';

const V1 = '20260101060000-aaa';
const V2 = '20260101120000-bbb';
const V3 = '20260101180000-ccc';
const V4 = '20260102000000-ddd';
const D2 = '{"op":"ADD","entity":{"id":"a"}}\n';
const D3 = '{"op":"MOD","entity":{"id":"a"}}';

let directory: string;
let publisher: FtmPublisher;
let fetcher: HttpFetcher;
let log: string[];
let waits: number;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ftm-'));
  publisher = await openFtmPublisher();
  log = [];
  waits = 0;
  fetcher = createHttpFetcher({
    allowedHosts: [{ bits: 32, network: '127.0.0.1' }],
    clock: systemClock,
    random: systemRandom,
    sleep: async () => void waits++,
    spoolDirectory: directory,
    userAgent: 'test',
  });
});

afterEach(async () => {
  await fetcher.close();
  await publisher.close();
  expect(readdirSync(directory)).toEqual([]);
  rmSync(directory, { recursive: true });
});

/** `known` is the release in force. */
async function fetchOf(
  kind: 'full' | 'delta',
  known?: string,
  more: Partial<ListSource> = {},
): Promise<FetchedList & { readonly text?: string }> {
  const source: ListSource = {
    ...newSource('OPEN_AGGREGATE'),
    url: `${publisher.origin}${ENTITIES_PATH}`,
    ...(known !== undefined && {
      active: {} as ListVersion,
      validators: { fileSha256: '', publisherVersion: known },
    }),
    ...more,
  };
  const signal = new AbortController().signal;
  const fetched = await fetcher.fetch({ kind, onLog: (_, line) => log.push(line), signal, source });
  if (fetched.status !== 'fetched') return fetched;
  const pieces: Uint8Array[] = [];
  for await (const piece of fetched.file.read()) pieces.push(piece);
  await fetched.file.remove();
  return { ...fetched, text: Buffer.concat(pieces).toString() };
}

describe('a whole release', () => {
  test('is the file that the index tells of, and named by its version', async () => {
    publisher.release(V1, 'one\n');
    const fetched = await fetchOf('full');
    expect(fetched).toMatchObject({ publisherVersion: V1, text: 'one\n' });
    expect(publisher.asked).toEqual([INDEX_PATH, `/artifacts/all/${V1}/entities.ftm.json`]);
  });

  test('that came between its index and its file is asked for again', async () => {
    publisher.release(V1, 'one\n');
    const path = `/artifacts/all/${V1}/entities.ftm.json`;
    publisher.files.set(path, () => {
      publisher.release(V2, 'two\n');
      return 'tw0\n';
    });
    expect(await fetchOf('full')).toMatchObject({ publisherVersion: V2, text: 'two\n' });
    expect(waits).toBe(1);
  });

  test('whose file is another one, or shorter, is refused', async () => {
    for (const wrong of ['0ne\n', 'on']) {
      publisher.release(V1, 'one\n');
      publisher.files.set(`/artifacts/all/${V1}/entities.ftm.json`, wrong);
      await expect(fetchOf('full')).rejects.toMatchObject({
        code: 'list-unreachable',
        message: expect.stringContaining('size and SHA-1'),
      });
    }
  });

  test('of a publisher without an index is asked for as any list is', async () => {
    publisher.files.set(ENTITIES_PATH, 'plain\n');
    const fetched = await fetchOf('delta', V1);
    expect(fetched).toMatchObject({ text: 'plain\n' });
    expect(fetched).not.toHaveProperty('publisherVersion');
    expect(log.join()).toContain('HTTP 404, so the file alone is asked for');
  });

  test('is let in everywhere by the query of its address', async () => {
    publisher.release(V3, 'three\n', { [V1]: D2, [V3]: D3 });
    const more = { url: `${publisher.origin}${ENTITIES_PATH}?token=t` };
    await fetchOf('full', undefined, more);
    await fetchOf('delta', V1, more);
    expect(publisher.queries).toEqual(Array.from(publisher.asked, () => '?token=t'));
  });

  test('under another name is asked for as any list is', async () => {
    publisher.files.set('/export.json', 'mine\n');
    expect(
      await fetchOf('full', undefined, { url: `${publisher.origin}/export.json` }),
    ).toMatchObject({
      text: 'mine\n',
    });
    expect(publisher.asked).toEqual(['/export.json']);
  });

  test.each<[string, object]>([
    ['no version', { resources: [] }],
    ['no entities.ftm.json among its resources', { resources: [], version: V1 }],
    [
      'no address of entities.ftm.json on its own host',
      {
        resources: [{ name: 'entities.ftm.json', url: 'https://elsewhere.example/x' }],
        version: V1,
      },
    ],
    [
      'no SHA-1 of its entities',
      { resources: [{ name: 'entities.ftm.json', size: 1, url: '/x' }], version: V1 },
    ],
  ])('whose index has %s is not followed', async (why, index) => {
    publisher.files.set(INDEX_PATH, JSON.stringify(index));
    publisher.files.set(ENTITIES_PATH, 'plain\n');
    expect(await fetchOf('full')).toMatchObject({ text: 'plain\n' });
    expect(log.join()).toContain(why);
    expect(publisher.asked).toEqual([INDEX_PATH, ENTITIES_PATH]);
  });

  test('whose index fails is not there either, once the tries are over', async () => {
    publisher.files.set(ENTITIES_PATH, 'plain\n');
    publisher.files.set(INDEX_PATH, 'x'.repeat(33 * 1024 * 1024));
    await expect(fetchOf('full')).rejects.toMatchObject({
      code: 'list-damaged',
      message: expect.stringMatching(/index\.json: file: expected at most/),
    });
  });
});

describe('what has changed', () => {
  test('is nothing for the release in force', async () => {
    publisher.release(V2, 'two\n', { [V2]: D2 });
    expect(await fetchOf('delta', V2)).toEqual({ status: 'not-modified' });
    expect(publisher.asked).toEqual([INDEX_PATH]);
  });

  test('since a release comes as one file, oldest first, each ended by a line feed', async () => {
    publisher.release(V4, 'four\n', { [V2]: D2, [V3]: D3, [V4]: D2 });
    const fetched = await fetchOf('delta', V2);
    expect(fetched).toMatchObject({ publisherVersion: V4, text: `${D3}\n${D2}` });
    expect(log.join()).toContain(`delta ${V3}: ${D3.length} bytes`);
  });

  test('since a release that has no delta, as it changed nothing, is known, too', async () => {
    publisher.release(V4, 'four\n', { [V1]: D2, [V3]: D3 });
    expect(await fetchOf('delta', V2)).toMatchObject({ publisherVersion: V3, text: `${D3}\n` });
  });

  test('is nothing where the later releases changed nothing', async () => {
    publisher.release(V4, 'four\n', { [V1]: D2, [V2]: D3 });
    expect(await fetchOf('delta', V2)).toEqual({ status: 'not-modified' });
  });

  test('is the whole file where the deltas do not reach back, or none are told of', async () => {
    publisher.release(V4, 'four\n', { [V3]: D3, [V4]: D2 });
    expect(await fetchOf('delta', V1)).toMatchObject({ publisherVersion: V4, text: 'four\n' });
    expect(log.join()).toContain(`do not reach back to ${V1}`);
    publisher.release(V4, 'four\n');
    expect(await fetchOf('delta', V1)).toMatchObject({ text: 'four\n' });
  });

  test('is the whole file for a full run, and before the first version', async () => {
    publisher.release(V2, 'two\n', { [V1]: D2, [V2]: D3 });
    expect(await fetchOf('full', V1)).toMatchObject({ text: 'two\n' });
    expect(await fetchOf('delta')).toMatchObject({ text: 'two\n' });
  });

  test('that was cut within a line is asked for again', async () => {
    publisher.release(V3, 'three\n', { [V1]: D2, [V2]: D2, [V3]: D3 });
    let count = 0;
    publisher.files.set(`/artifacts/all/${V2}/entities.delta.json`, () =>
      count++ === 0 ? `${D2}${D2.slice(0, 20)}` : D2,
    );
    expect(await fetchOf('delta', V1)).toMatchObject({ text: `${D2}${D3}\n` });
    expect(log.join()).toContain('cut within its last line');
  });

  test('is never a release older than the one in force', async () => {
    publisher.release(V1, 'one\n', { [V1]: D2 });
    expect(await fetchOf('delta', V3)).toEqual({ status: 'not-modified' });
    const old = `its index tells of ${V1}, in force is ${V3}`;
    await expect(fetchOf('full', V3)).rejects.toThrow(old);
    expect(waits).toBe(3);
    expect(await fetchOf('full', undefined)).toMatchObject({ text: 'one\n' });
  });

  test('is the whole file where a delta, or what tells of them, is gone or too long', async () => {
    const path = `/artifacts/all/${V2}/entities.delta.json`;
    const gone = [path, `/artifacts/all/${V3}/delta.json`];
    for (const one of gone) {
      publisher.release(V3, 'three\n', { [V1]: D2, [V2]: D2, [V3]: D3 });
      publisher.files.delete(one);
      expect(await fetchOf('delta', V1)).toMatchObject({ publisherVersion: V3, text: 'three\n' });
      expect(log.join()).toContain('HTTP 404: the whole file is fetched');
    }
    publisher.release(V3, 'three\n', { [V1]: D2, [V2]: D2, [V3]: D3 });
    publisher.files.set(path, 'x'.repeat(65 * 1024 * 1024));
    expect(await fetchOf('delta', V1)).toMatchObject({ publisherVersion: V3, text: 'three\n' });
  });

  test('is the whole file after more releases than are worth it', async () => {
    const version = (at: number) => `20260201${String(at).padStart(6, '0')}-x`;
    const deltas = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [version(at), D2]));
    publisher.release(version(202), 'whole\n', deltas);
    expect(await fetchOf('delta', version(1))).toMatchObject({ text: 'whole\n' });
    expect(log.join()).toContain('are 201 since');
    expect((await fetchOf('delta', version(200))).text).toBe(D2.repeat(2));
  });

  test.each([
    ['an empty file', ''],
    ['no operation in its first line', '<html>\n<body>503</body>\n</html>\n'],
    ['no operation in its first line', '{"op":"NEW","entity":{"id":"a"}}\n'],
    ['cut within its last line', `${D2}${D2.slice(0, 20)}`],
    ['a line that is too long', 'x'.repeat(17 * 1024 * 1024)],
  ])('is the whole file where one of several deltas is %s, twice', async (why, text) => {
    const path = `/artifacts/all/${V2}/entities.delta.json`;
    publisher.release(V3, 'three\n', { [V1]: D2, [V2]: text, [V3]: D3 });
    expect(await fetchOf('delta', V1)).toMatchObject({ publisherVersion: V3, text: 'three\n' });
    expect(log.filter((line) => line.includes(why))).toHaveLength(2);
    expect(publisher.asked.filter((one) => one === path)).toHaveLength(2);
  });
});
