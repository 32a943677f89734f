/** FtM files that are mapped in threads, held to the same mapped where the caller is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gathering, type ListEntity } from '#domain/lists';
import type { MapOptions } from '../../../src/sources/ftm/mapBlocks.ts';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';

const ASIDE: MapOptions = { asideFrom: 0 };
const HERE: MapOptions = { asideFrom: Number.POSITIVE_INFINITY };
/** Several blocks of a spool, each of which is a megabyte. */
const ENTITIES = 9_000;

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

async function read(text: string, options: MapOptions) {
  const entities: ListEntity[] = [];
  const given = { scratchFolder: folder, sink: gathering(entities), sourceId: 'OPEN_AGGREGATE' };
  const file = await ftmReader(countryTable, options).read(chunksOf(text, 100_000), given);
  return { entities, file };
}

async function threadOf(name: string, body: string): Promise<MapOptions> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, body);
  return { asideFrom: 0, threadUrl: pathToFileURL(path) };
}

describe('a file that is mapped in threads', () => {
  test('gives the entities, notes and skipped lines that it gives without', async () => {
    const [aside, here] = [await read(FILE, ASIDE), await read(FILE, HERE)];
    expect(here.entities).toHaveLength(ENTITIES - 2 * (ENTITIES / 1_000));
    expect(here.entities.filter(({ associations }) => associations.length > 0)).not.toHaveLength(0);
    expect(here.file.skipped).toHaveLength(2 * (ENTITIES / 1_000));
    expect(here.file.notes['date-unreadable']).toBeGreaterThan(1_000);
    expect(aside).toEqual(here);
  });

  test('is damaged where it is without, by an entity that has no canonical text', async () => {
    const file = FILE.replace('别名 7000 ', '\\ud800');
    const detail = /^entity NK-7000: lone surrogate/;
    for (const options of [ASIDE, HERE]) {
      const damage = { code: 'list-damaged', message: expect.stringMatching(detail) };
      await expect(read(file, options)).rejects.toMatchObject(damage);
    }
  });

  test('fails when a thread cannot start, dies, or throws', async () => {
    const cannot = await threadOf('cannotStart', 'throw new Error("no thread today");');
    const dies = await threadOf('dies', 'export const mapBlock = () => process.exit(3);');
    const throws = await threadOf(
      'throws',
      'export const mapBlock = () => { throw new Error("out of luck"); };',
    );
    await expect(read(FILE, cannot)).rejects.toThrow('no thread today');
    await expect(read(FILE, dies)).rejects.toThrow(/exit|terminat/i);
    await expect(read(FILE, throws)).rejects.toThrow('out of luck');
  });
});
