/** A vendor's feed in, entities out. */
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { commercialReader } from '../../../src/sources/commercial/reader.ts';
import { parseLine } from '../../../src/sources/commercial/record.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';

const HEADER = { release_date: '2026-11-02', kind: 'full' };
const ENTITY = {
  id: 'P-77',
  schema: 'Person',
  primary_name: 'Ivan Petrov',
  akas: ['Vanya Petrov', 'Ivan Petrov'],
  dates_of_birth: ['1970-02-01', 'about 1971'],
  citizenships: ['ru', 'Russian', 'Atlantis'],
  identifiers: { passport: ['AB 1', 'AB 2'] },
  categories: ['PEP', 'adverse media'],
  associations: [{ target_id: 'P-78', type: 'FAMILY', label: 'wife', strength: 1 }],
  risk_grade: 'B',
};

async function readFeed(lines: readonly (object | string)[], isEnded = true) {
  const entities: ListEntity[] = [];
  const removed: string[] = [];
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const read = await commercialReader(countries).read(
    chunksOf(text.join('\n') + (isEnded ? '\n' : ''), 50),
    {
      sourceId: 'COMMERCIAL_WATCHLIST',
      sink: gathering(entities, removed),
    },
  );
  return { ...read, entities, removed };
}

describe('vendor feed', () => {
  test('an entity carries what the vendor says, unknown members included', async () => {
    const { entities, notes } = await readFeed([HEADER, ENTITY]);
    expect(entities).toEqual([
      {
        addresses: [],
        akas: ['Vanya Petrov'],
        associations: [{ label: 'wife', strength: 1, target_ftm_id: 'cw-P-78', type: 'FAMILY' }],
        categories: ['PEP', 'SI'],
        citizenships: ['RU'],
        countries: [],
        dates_of_birth: ['1970-02-01'],
        first_seen_at: '2026-11-02',
        flattened_associated_sanctioned: [],
        ftm_id: 'cw-P-77',
        identifiers: { passport: 'AB 1', 'passport (2)': 'AB 2' },
        last_seen_at: '2026-11-02',
        places_of_birth: [],
        primary_name: 'Ivan Petrov',
        primary_name_folded: 'ivan petrov',
        properties: {
          categories_as_published: ['adverse media'],
          risk_grade: ['B'],
          unknown_countries: ['Atlantis'],
          unreadable_dates_of_birth: ['about 1971'],
        },
        schema: 'Person',
        source_lists_hits: [
          { added_at: '2026-11-02', list: 'COMMERCIAL_WATCHLIST', version: '2026-11-02' },
        ],
      },
    ]);
    expect(notes).toEqual({ 'country-unknown': 1, 'date-unreadable': 1 });
  });

  test('pages stand one a line, and the last one names no other', async () => {
    const page = (id: string, next: string | null) => ({
      ...HEADER,
      entities: [{ ...ENTITY, id }],
      next,
    });
    const read = await readFeed([page('1', '/2'), page('2', null)]);
    expect(read.entities.map((entity) => entity.ftm_id)).toEqual(['cw-1', 'cw-2']);
    await expect(readFeed([page('1', '/2'), page('2', '/3')])).rejects.toMatchObject({
      code: 'list-damaged',
    });
    const other = { ...page('2', null), release_date: '2026-11-03' };
    await expect(readFeed([page('1', '/2'), other])).rejects.toMatchObject({
      code: 'list-damaged',
    });
  });

  test('a delta names what is gone', async () => {
    const header = { ...HEADER, kind: 'delta', based_on: 'r41' };
    const read = await readFeed([header, ENTITY, { id: 'P-9', op: 'delete' }]);
    expect(read).toMatchObject({ basedOn: 'r41', kind: 'delta', removed: ['cw-P-9'] });
  });

  test('of an id that a delta names twice, its last word counts', async () => {
    const header = { ...HEADER, entity_count: 7, kind: 'delta' };
    const gone = (id: string) => ({ id, op: 'delete' });
    const { entities, removed } = await readFeed([
      header,
      ENTITY,
      gone('P-77'),
      gone('P-1'),
      { ...ENTITY, id: 'P-1' },
      { ...ENTITY, id: 'P-2', primary_name: 'First' },
      { ...ENTITY, id: 'P-2', primary_name: 'Last' },
      gone('P-3'),
    ]);
    expect(removed).toEqual(['cw-P-77', 'cw-P-3']);
    expect(entities.map(({ ftm_id, primary_name }) => [ftm_id, primary_name])).toEqual([
      ['cw-P-1', 'Ivan Petrov'],
      ['cw-P-2', 'Last'],
    ]);
  });

  test('a feed that holds less than it declares is damaged', async () => {
    await expect(readFeed([{ ...HEADER, entity_count: 2 }, ENTITY])).rejects.toMatchObject({
      code: 'list-damaged',
    });
    expect((await readFeed([{ ...HEADER, entity_count: 1 }, ENTITY])).declaredCount).toBe(1);
  });

  test.each([['7'], [null], [-1], [1.5]])('an entity_count of %j is refused', async (count) => {
    const header = { ...HEADER, entity_count: count };
    await expect(readFeed([header, ENTITY])).rejects.toThrow('line 1: entity_count: expected');
  });

  test.each([
    ['another release', { release_date: '2026-11-03' }],
    ['another kind', { kind: 'delta' }],
    ['another count', { entity_count: 3 }],
    ['a next page that is no text', { next: 3 }],
  ])('a page of %s is refused', async (_, other) => {
    const page = { ...HEADER, entities: [ENTITY], entity_count: 2 };
    const next = { ...page, entities: [{ ...ENTITY, id: '2' }], ...other };
    await expect(readFeed([page, next])).rejects.toMatchObject({ code: 'list-damaged' });
  });

  test('an entity that cannot be read is skipped and told', async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ ...ENTITY, id: `${index}` }));
    const bad = [
      { ...ENTITY, id: '' },
      { ...ENTITY, schema: 'Ship' },
      { ...ENTITY, categories: ['MAYBE'] },
      '{"id": "cut',
    ];
    const read = await readFeed([HEADER, ...many, ...bad]);
    expect(read.skipped.map((text) => text.split(':').slice(0, 2).join(':'))).toEqual([
      'line 402: id',
      'line 403: schema',
      'line 404: categories',
      'line 405: no JSON object',
    ]);
  });

  test.each([
    ['a member that stands twice', '{"id":"1","primary_name":"A","primary_name":"B"}'],
    ['half a character', '{"id":"1","primary_name":"A \\ud800"}'],
    ['the character NUL', '{"id":"1","primary_name":"A\\u0000"}'],
    ['a number that no double holds', '{"id":"1","n":12345678901234567890}'],
    ['op: expected delete', { ...ENTITY, op: 'DELETE' }],
    ['op: delete stands in a full list', { ...ENTITY, op: 'delete' }],
  ])('%s costs its own record, of a page as well', async (reason, bad) => {
    const text = typeof bad === 'string' ? bad : JSON.stringify(bad);
    const many = Array.from({ length: 150 }, (_, index) => ({ ...ENTITY, id: `${index}` }));
    const lines = await readFeed([HEADER, ...many, text]);
    expect(lines.entities).toHaveLength(150);
    expect(lines.skipped).toEqual([expect.stringContaining(`line 152: ${reason}`)]);
    const page = JSON.stringify({ ...HEADER, a: ['"entities":[', {}], entities: many, next: null });
    const paged = await readFeed([page.replace('],"next"', ` , ${text} ],"next"`)]);
    expect(paged.entities).toEqual(lines.entities);
    expect(paged.skipped).toEqual([expect.stringContaining(`line 1, entity 151: ${reason}`)]);
  });

  test('a page of nothing but faults costs no more than those that are told', async () => {
    const ones = '1,'.repeat(2_000_000);
    const page = `{"release_date":"2026-11-02","entities":[${ones}"\\u0000"]}`;
    await expect(readFeed([page])).rejects.toThrow('over 1000 records cannot be read');

    const line = Buffer.from(`{"entities":[{"id":"1"},{"id":"2"},"\\u0000"]}`);
    const records = parseLine(line).records?.[Symbol.iterator]();
    expect(records?.next().value).toEqual({ value: { id: '1' } });
    line.write('9', line.indexOf('2'));
    expect(records?.next().value, 'parsed only now').toEqual({ value: { id: '9' } });
    expect(records?.next().value).toMatchObject({ bad: 'the character NUL' });
    expect(records?.next().done).toBe(true);
  });

  test('a page that cannot be read is a lost page, not one lost record', async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ ...ENTITY, id: `${index}` }));
    const page = { ...HEADER, entities: many, next: '/2' };
    const rest = JSON.stringify({ ...page, next: null });
    for (const bad of [rest.slice(0, -30), rest.replace('full', 'full","kind":"full'), '<html>']) {
      await expect(readFeed([page, bad])).rejects.toThrow('line 2: a page that cannot be read');
    }
  });

  test.each([[['{"a":1}']], [['<xml/>']], [[]]])(
    'another document is foreign: %j',
    async (lines) => {
      await expect(readFeed(lines)).rejects.toMatchObject({ code: 'list-foreign' });
    },
  );

  test('a feed that ends within a line was cut', async () => {
    await expect(readFeed([HEADER, '{"id": "P-1'], false)).rejects.toMatchObject({
      code: 'list-damaged',
    });
  });
});
