/** FtM files mapped in threads, compared with the same in the caller's thread. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { JoinTable } from '../../../src/sources/ftm/joinTable.ts';
import { type MapOptions, mapBlocks } from '../../../src/sources/ftm/mapBlocks.ts';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { LineSpool } from '../../../src/sources/lineSpool.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';

const ASIDE: MapOptions = { asideFrom: 0 };
const HERE: MapOptions = { asideFrom: Number.POSITIVE_INFINITY };
/** Several blocks of a spool, each of which is a megabyte. */
const ENTITIES = 6_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'map-'));
});
afterAll(() => rm(folder, { force: true, recursive: true }));

const entity = (at: number, properties: object): string =>
  JSON.stringify({
    id: `NK-${at}`,
    caption: `Name ${at}`,
    schema: 'Person',
    properties: {
      name: [`Name ${at}`],
      alias: [`别名 ${at} Псевдоним`],
      notes: ['n'.repeat(400)],
      topics: ['sanction'],
      ...properties,
    },
    last_seen: `2026-01-0${(at % 9) + 1}T00:00:00`,
  });

const joined = (at: number): string =>
  JSON.stringify({
    id: `rel-${at}`,
    caption: 'Family',
    schema: 'Family',
    properties: { person: [`NK-${at}`], relative: [`NK-${at + 1}`], relationship: ['sister'] },
  });

function* lines(): Generator<string> {
  for (let at = 0; at < ENTITIES; at++) {
    // Joined to entities that came before, and that come after it.
    if (at % 7 === 0) yield joined(at - 7);
    if (at % 1_000 === 999) yield `{"id": "NK-${at}", "caption": "", "schema": "Person", "prop`;
    else if (at % 1_000 === 500) yield entity(at, { alias: [], name: [] });
    else yield entity(at, at % 5 === 0 ? { nationality: ['zzz'], birthDate: ['about 1960'] } : {});
  }
}
const FILE = `${[...lines()].join('\n')}\n`;

async function read(text: string, options: MapOptions, scratch: { scratchFolder?: string } = {}) {
  const entities: ListEntity[] = [];
  const given = { ...scratch, sink: gathering(entities), sourceId: 'OPEN_AGGREGATE' };
  const file = await ftmReader(countryTable, options).read(chunksOf(text, 100_000), given);
  return { entities, file };
}

const CONTEXT = {
  countries: countryTable,
  joins: new JoinTable().shared(),
  releaseDate: '2026-01-01',
  sourceId: 'OPEN_AGGREGATE',
};

/** Lines of several blocks. */
async function spooled(): Promise<Pick<LineSpool, 'blocks' | 'lineBytes'>> {
  const spool = new LineSpool(undefined);
  for (let at = 0; at < ENTITIES; at++) spool.add(Buffer.from(entity(at, {})), at + 1);
  return { blocks: () => spool.blocks(), lineBytes: spool.lineBytes };
}

async function threadOf(name: string, body: string): Promise<MapOptions> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, body);
  return { asideFrom: 0, threadUrl: pathToFileURL(path) };
}

describe('a file that is mapped in threads', () => {
  test('gives the entities, notes and skipped lines that it gives without', async () => {
    const [aside, here] = [
      await read(FILE, ASIDE, { scratchFolder: folder }),
      await read(FILE, HERE),
    ];
    expect(here.entities).toHaveLength(ENTITIES - 2 * (ENTITIES / 1_000));
    expect(here.entities.filter(({ associations }) => associations.length > 0)).not.toHaveLength(0);
    expect(here.file.skipped).toHaveLength(2 * (ENTITIES / 1_000));
    expect(here.file.notes['date-unreadable']).toBeGreaterThan(1_000);
    expect(aside).toEqual(here);
  });

  test('gives them without a scratch folder, too, and where it is one small block', async () => {
    const small = `${entity(1, {})}\n${entity(2, {})}\n`;
    for (const text of [FILE, small]) {
      const [aside, here] = [await read(text, ASIDE), await read(text, HERE)];
      // As text: to compare thousands of objects member by member takes seconds.
      expect(JSON.stringify(aside) === JSON.stringify(here)).toBe(true);
    }
  });

  test('skips an entity that has no canonical text, and says which line it is', async () => {
    const file = FILE.replace('别名 5000 ', '\\ud800');
    const line = 1 + file.slice(0, file.indexOf('ud800')).split('\n').length - 1;
    for (const options of [ASIDE, HERE]) {
      const { entities, file: told } = await read(file, options);
      expect(told.skipped).toContain(
        `line ${line}: text that has no canonical form, such as half a character`,
      );
      expect(entities.some(({ ftm_id }) => ftm_id === 'NK-5000')).toBe(false);
    }
  });

  test('fails when a thread cannot start, dies, or throws', async () => {
    const cannot = await threadOf('cannotStart', 'throw new Error("no thread today");');
    const goes = await threadOf('goes', 'process.exit(4);');
    const dies = await threadOf('dies', 'export const mapBlock = () => process.exit(3);');
    const throws = await threadOf(
      'throws',
      'export const mapBlock = () => { throw new Error("out of luck"); };',
    );
    await expect(read(FILE, cannot)).rejects.toThrow('no thread today');
    await expect(read(FILE, goes)).rejects.toThrow(/ended|exit|terminat/i);
    await expect(read(FILE, dies)).rejects.toThrow(/exit|terminat/i);
    await expect(read(FILE, throws)).rejects.toThrow('out of luck');
  });

  test('fails once where no thread can start, though each says so', async () => {
    const failed = join(folder, 'failed');
    await writeFile(failed, '');
    const none = await threadOf(
      'noneStarts',
      `import { appendFileSync } from 'node:fs';
      process.on('exit', () => appendFileSync(${JSON.stringify(failed)}, '.'));
      throw new Error('no thread today');`,
    );
    const { blocks, lineBytes } = await spooled();
    async function* slowly() {
      let given = 0;
      for await (const block of blocks()) {
        yield block;
        if (++given < 2) continue;
        // Nothing is heard of either before both have failed.
        const until = performance.now() + 60_000;
        while (readFileSync(failed, 'utf8') !== '..' && performance.now() < until);
      }
    }
    const mapped = mapBlocks({ blocks: slowly, lineBytes }, CONTEXT, none);
    await expect(mapped.next()).rejects.toThrow('no thread today');
  });

  test.skipIf(process.platform !== 'linux')(
    'leaves no thread behind where nobody wants the rest of it',
    async () => {
      const threads = () => readdirSync('/proc/self/task').length;
      // What a process starts once, it has then.
      await read(FILE, ASIDE);
      const before = threads();
      const mapped = mapBlocks(await spooled(), CONTEXT, ASIDE);
      expect((await mapped.next()).value?.entities.length).toBeGreaterThan(0);
      expect(threads()).toBeGreaterThan(before);
      await mapped.return(undefined);
      await vi.waitFor(() => expect(threads()).toBeLessThanOrEqual(before));
    },
  );
});
