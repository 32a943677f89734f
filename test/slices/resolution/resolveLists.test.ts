/** The same person on several lists: what links entries, and what never does. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListEntity } from '#slices/lists';
import {
  clustersOf,
  type ListResolution,
  type ResolvedList,
  readResolution,
  resolveLists,
  writeResolution,
} from '#slices/resolution';

interface Given extends Partial<ListEntity> {
  readonly list: string;
}

let count = 0;
function entity({ list, ...given }: Given): ListEntity & { readonly list: string } {
  const name = given.primary_name ?? 'Ivan Petrov';
  return {
    addresses: [],
    akas: [],
    associations: [],
    categories: ['SAN'],
    citizenships: [],
    countries: [],
    dates_of_birth: [],
    first_seen_at: '2026-01-01',
    flattened_associated_sanctioned: [],
    ftm_id: `${list.toLowerCase()}-${++count}`,
    identifiers: {},
    last_seen_at: '2026-01-01',
    list,
    places_of_birth: [],
    primary_name: name,
    primary_name_folded: name.toLowerCase(),
    schema: 'Person',
    source_lists_hits: [{ added_at: '2026-01-01', list, version: '2026-01-01' }],
    ...given,
  };
}

const listOf = (source: string): ResolvedList => [source, `${source}-d`, `${source}-c`];

async function resolve(entities: readonly ReturnType<typeof entity>[]): Promise<ListResolution> {
  const sources = [...new Set(entities.map(({ list }) => list))];
  return resolveLists(
    sources.map((source) => ({
      list: listOf(source),
      read: async (onEntity) => {
        for (const one of entities) if (one.list === source) onEntity(one);
      },
    })),
  );
}

const reasons = async (...entities: readonly ReturnType<typeof entity>[]) =>
  (await resolve(entities)).links.map(({ evidence, reason }) => [reason, ...evidence]);

const IVAN = { dates_of_birth: ['1970-02-03'], primary_name: 'Ivan Ivanovich Petrov' };

describe('entries are one', () => {
  test("by the Security Council's number, whatever their names", async () => {
    const a = entity({
      identifiers: { 'UN reference': 'QDi.080' },
      list: 'UN',
      primary_name: 'A B',
    });
    const b = entity({
      identifiers: { 'UN reference': 'QDI.080' },
      list: 'UK',
      primary_name: 'سعيد',
    });
    expect(await reasons(a, b)).toEqual([['identifier', 'un:QDI.080']]);
  });

  test("by the Security Council's number that remarks state, and a word of a name", async () => {
    const un = entity({ identifiers: { 'UN reference': 'QDi.900' }, list: 'UN', ...IVAN });
    const uk = {
      identifiers: { 'UN reference': 'QDi.900' },
      list: 'UK',
      properties: { stated_un_reference: ['QDi.900'] },
    };
    const same = entity({ ...uk, primary_name: 'PETROV, Ivan' });
    const slip = entity({ ...uk, primary_name: 'Omar Khalil' });
    const short = entity({ identifiers: un.identifiers, list: 'UN', primary_name: 'WALIJAN' });
    expect(await reasons(un, same)).toEqual([['identifier', 'un:QDI.900']]);
    expect(await reasons(un, slip)).toEqual([]);
    expect(await reasons(short, entity({ ...uk, primary_name: 'Walijan' }))).toHaveLength(1);
  });

  test('by the id that an aggregator quotes', async () => {
    const a = entity({ ftm_id: 'ofac-36', list: 'OFAC' });
    const b = entity({ ftm_id: 'NK-1', list: 'FTM', properties: { referents: ['ofac-36'] } });
    expect(await reasons(a, b)).toEqual([['identifier', 'ofac:36']]);
  });

  test('by a passport, however it is written, and a word of a name', async () => {
    const a = entity({ identifiers: { Passport: 'Jordan 286062' }, list: 'UN', ...IVAN });
    const b = entity({ identifiers: { 'passport (2)': '286 062' }, list: 'UK', ...IVAN });
    expect(await reasons(a, b)).toEqual([['identifier', 'passport:286062']]);
  });

  test('by a full date of birth and a name in another order and spelling', async () => {
    const a = entity({ list: 'UN', ...IVAN });
    const b = entity({ ...IVAN, list: 'UK', primary_name: 'PETROW, Ivan' });
    expect(await reasons(a, b)).toEqual([
      ['name-and-date-of-birth', '1970-02-03', 'ivan petrow', 'ivan ivanovich petrov'],
    ]);
  });

  test('ships by their IMO number, on a list that keeps ships among bodies, too', async () => {
    const imo = { identifiers: { IMO: '7303803' }, primary_name: 'AN SAN 1' };
    const ship = entity({ ...imo, list: 'OFAC', schema: 'Vessel' });
    const body = entity({ ...imo, list: 'UK', schema: 'Organization' });
    expect(await reasons(ship, body)).toEqual([['identifier', 'imo:7303803']]);
  });
});

describe('entries are not one', () => {
  test.each<[string, Partial<ListEntity>, Partial<ListEntity>]>([
    ['by a name alone', { primary_name: 'Ivan Ivanovich Petrov' }, IVAN],
    ['by a name and a year', { ...IVAN, dates_of_birth: ['1970'] }, IVAN],
    [
      'by a name and the first of a year',
      { ...IVAN, dates_of_birth: ['1970-01-01'] },
      {
        ...IVAN,
        dates_of_birth: ['1970-01-01'],
      },
    ],
    ['by a date and one word', { ...IVAN, primary_name: 'Ivan' }, IVAN],
    ['by a date and another name', { ...IVAN, primary_name: 'Ivan Sidorov' }, IVAN],
    ['against a nationality', { ...IVAN, citizenships: ['RU'] }, { ...IVAN, citizenships: ['UA'] }],
    [
      'against a gender',
      { ...IVAN, properties: { gender: ['male'] } },
      {
        ...IVAN,
        properties: { gender: ['Female'] },
      },
    ],
    [
      'by a paper and no word of a name',
      { ...IVAN, identifiers: { Passport: 'AB123456' } },
      {
        identifiers: { Passport: 'AB123456' },
        primary_name: 'Omar Khalil',
      },
    ],
    [
      'by a paper against the years of birth',
      { ...IVAN, identifiers: { Passport: 'AB123456' } },
      {
        ...IVAN,
        dates_of_birth: ['1950-02-03'],
        identifiers: { Passport: 'AB123456' },
      },
    ],
    [
      'as person and body',
      { ...IVAN, identifiers: { 'Tax ID': '1234567890' } },
      {
        identifiers: { 'Tax ID': '1234567890' },
        primary_name: 'Ivan Petrov Trade',
        schema: 'Company',
      },
    ],
    [
      'as bodies of one name',
      { primary_name: 'Mining Trade', schema: 'Company' },
      {
        primary_name: 'Mining Trade',
        schema: 'Company',
      },
    ],
    [
      'by a number that is too short',
      { ...IVAN, identifiers: { Passport: '1234' } },
      {
        ...IVAN,
        dates_of_birth: [],
        identifiers: { Passport: '1234' },
      },
    ],
  ])('%s', async (_, a, b) => {
    expect(await reasons(entity({ list: 'A', ...a }), entity({ list: 'B', ...b }))).toEqual([]);
  });

  test('on one list: what its publisher keeps apart stays apart', async () => {
    expect(await reasons(entity({ list: 'A', ...IVAN }), entity({ list: 'A', ...IVAN }))).toEqual(
      [],
    );
  });

  test('where two of one list would fit as well', async () => {
    const twins = [entity({ list: 'B', ...IVAN }), entity({ list: 'B', ...IVAN })];
    expect(await reasons(entity({ list: 'A', ...IVAN }), ...twins)).toEqual([]);
  });

  test('through a third that both resemble, where they conflict', async () => {
    const russian = entity({ citizenships: ['RU'], list: 'A', ...IVAN });
    const nobody = entity({ list: 'B', ...IVAN });
    const serb = entity({ citizenships: ['RS'], list: 'C', ...IVAN });
    const { links } = await resolve([russian, nobody, serb]);
    expect(links).toHaveLength(1);
  });
});

describe('a resolution', () => {
  const world = (): ReturnType<typeof entity>[] => {
    const un = { 'UN reference': 'QDi.080' };
    return [
      entity({ identifiers: un, list: 'UN', ...IVAN }),
      entity({ identifiers: un, list: 'UK', ...IVAN }),
      entity({ list: 'EU', ...IVAN }),
      entity({ list: 'EU', primary_name: 'Somebody Else' }),
    ];
  };

  test('is the same whatever the order of lists and entries', async () => {
    const entities = world();
    const expected = writeResolution(await resolve(entities));
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(entities, { minLength: entities.length }),
        async (order) => {
          expect(writeResolution(await resolve(order)).equals(expected)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('reads back as it was written', async () => {
    const resolution = await resolve(world());
    const read = readResolution(writeResolution(resolution));
    expect(writeResolution(read)).toEqual(writeResolution(resolution));
    expect(() => readResolution(Buffer.from('{"$schema":"other"}\n'))).toThrow('resolution');
    expect(() => readResolution(writeResolution(resolution).subarray(0, -3))).toThrow('cut');
  });

  test('makes clusters, each member with its reason; who stands alone is in none', async () => {
    const entities = world();
    const resolution = await resolve(entities);
    const inForce = [listOf('UN'), listOf('UK'), listOf('EU')];
    const clusters = clustersOf(resolution, { digest: 'x', inForce });
    const found = entities.map(({ ftm_id, list }) => clusters.find({ ftm_id, source: list }));
    expect(found.map((membership) => membership?.cluster)).toEqual([0, 0, 0, undefined]);
    expect(found[0]?.reason).toBe('identifier');
    expect(found[2]?.reason).toBe('name-and-date-of-birth');
  });

  test('takes its links back where a list has moved on', async () => {
    const entities = world();
    const resolution = await resolve(entities);
    const inForce: ResolvedList[] = [listOf('UN'), ['UK', 'UK-d', 'later'], listOf('EU')];
    const clusters = clustersOf(resolution, { digest: 'x', inForce });
    const isIn = ({ ftm_id, list }: { ftm_id: string; list: string }) =>
      clusters.find({ ftm_id, source: list }) !== undefined;
    expect(isIn(entities[1] ?? { ftm_id: '', list: '' })).toBe(false);
  });
});
