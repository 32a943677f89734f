/** List format v1 as a source, and the list that ships. */
import { createReadStream, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { LIST_FORMAT } from '#slices/lists';
import { demoLines } from '../../scripts/makeDemoList.ts';
import { listFormatReader } from '../../src/sources/listFormat.ts';
import { chunksOf } from './chunks.ts';

const demoFile = fileURLToPath(new URL('../../config/demo/entities.jsonl', import.meta.url));
const header = {
  $schema: LIST_FORMAT,
  source: 'DEMO',
  release_date: '2026-01-01',
  entity_count: 1,
};
const entity = { ftm_id: 'x-1', schema: 'Person', primary_name: 'Xandor', categories: ['SAN'] };

const read = (...lines: unknown[]) =>
  readWholeList(
    listFormatReader,
    chunksOf(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    {
      sourceId: 'DEMO',
    },
  );
const code = (reading: Promise<unknown>) =>
  reading.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );

describe('list format v1', () => {
  test('what an entity leaves out is filled in', async () => {
    const list = await read(header, entity);
    expect(list.releaseDate).toBe('2026-01-01');
    expect(list.entities).toEqual([
      {
        addresses: [],
        akas: [],
        associations: [],
        categories: ['SAN'],
        citizenships: [],
        countries: [],
        dates_of_birth: [],
        first_seen_at: '2026-01-01',
        flattened_associated_sanctioned: [],
        ftm_id: 'x-1',
        identifiers: {},
        last_seen_at: '2026-01-01',
        places_of_birth: [],
        primary_name: 'Xandor',
        primary_name_folded: 'xandor',
        schema: 'Person',
        source_lists_hits: [{ added_at: '2026-01-01', list: 'DEMO', version: '2026-01-01' }],
      },
    ]);
  });

  const relation = { target_ftm_id: 'x-2', type: 'FAMILY', label: 'l', strength: 1 };
  test.each<[string, object]>([
    ['no id', { ftm_id: undefined }],
    ['an empty name', { primary_name: ' ' }],
    ['an unknown schema', { schema: 'Ghost' }],
    ['an unknown category', { categories: ['FOO'] }],
    ['a country by name', { countries: ['Tunisia'] }],
    ['a date of another form', { dates_of_birth: ['1 Jan 1970'] }],
    ['a range of three', { dates_of_birth: ['1970/1971/1972'] }],
    ['aliases that are no array', { akas: 'A' }],
    ['an alias that is no text', { akas: [1] }],
    ['an identifier that is no text', { identifiers: { Passport: 1 } }],
    ['a property that is no array', { properties: { x: 'y' } }],
    ['a relation of strength 0', { associations: [{ ...relation, strength: 0 }] }],
    ['a relation of an unknown type', { associations: [{ ...relation, type: 'PET' }] }],
    ['a relation that is no object', { associations: ['x-2'] }],
    ['an unknown member', { shoe_size: 42 }],
    ['a first sight that is no day', { first_seen_at: 'yesterday' }],
  ])('%s is damage', async (_what, members) => {
    expect(await code(read(header, { ...entity, ...members }))).toBe('list-damaged');
  });

  test('another source, another schema and no JSON are foreign', async () => {
    expect(await code(read({ ...header, source: 'OTHER' }, entity))).toBe('list-foreign');
    expect(await code(read({ ...header, $schema: 'urn:other' }, entity))).toBe('list-foreign');
    const reading = readWholeList(listFormatReader, chunksOf('<xml/>\n'), { sourceId: 'DEMO' });
    expect(await code(reading)).toBe('list-foreign');
  });

  test('no cut of a file passes', async () => {
    const bytes = Buffer.from(`${JSON.stringify(header)}\n${JSON.stringify(entity)}\n`);
    for (let length = 0; length < bytes.length; length++) {
      const reading = readWholeList(listFormatReader, chunksOf(bytes.subarray(0, length)), {
        sourceId: 'DEMO',
      });
      expect(await code(reading), `cut after ${length}`).toBe('list-damaged');
    }
  });

  test('a count that does not hold, and bytes that are not UTF-8, are damage', async () => {
    expect(await code(read({ ...header, entity_count: 2 }, entity))).toBe('list-damaged');
    const latin1 = Buffer.from(`${JSON.stringify(header)}\n"\xe9"\n`, 'latin1');
    const reading = readWholeList(listFormatReader, chunksOf(latin1), { sourceId: 'DEMO' });
    await expect(reading).rejects.toMatchObject({
      code: 'list-damaged',
      message: 'line 2: bytes that are not UTF-8',
    });
  });
});

describe('the shipped list', () => {
  test('is what its script makes, to the byte', () => {
    expect(readFileSync(demoFile, 'utf8')).toBe(`${demoLines().join('\n')}\n`);
  });

  test('holds every schema, script, category and kind of date that it should', async () => {
    const { entities } = await readWholeList(listFormatReader, createReadStream(demoFile), {
      sourceId: 'DEMO',
    });
    expect(entities).toHaveLength(300);
    const schemas = Map.groupBy(entities, (one) => one.schema);
    expect([...schemas.keys()].sort()).toEqual(['Company', 'Person', 'Vessel']);
    const categories = new Set(entities.flatMap((one) => one.categories));
    expect([...categories].sort()).toEqual(['DI', 'PEP', 'RCA', 'SAN', 'SI']);
    const akas = entities.flatMap((one) => one.akas).join('\n');
    expect(akas).toMatch(/\p{Script=Arabic}/u);
    expect(akas).toMatch(/\p{Script=Cyrillic}/u);
    const shapes = new Set(
      entities.flatMap((one) => one.dates_of_birth).map((date) => date.replace(/\d/g, '9')),
    );
    expect([...shapes].sort()).toEqual(['9999', '9999-99', '9999-99-99', '9999/9999']);
    const ids = new Set(entities.map((one) => one.ftm_id));
    const targets = entities.flatMap((one) => one.associations.map((link) => link.target_ftm_id));
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  });
});
