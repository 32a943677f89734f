/** FtM deltas: what changed, what went, and what is said of entities that they do not name. */
import { describe, expect, test } from 'vitest';
import { gathering, type ListSink } from '#slices/ingestion';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';
import { JOINED, line, PERSON, RELATIVE, readLines } from './ftmLines.ts';

describe('FtM deltas', () => {
  const op = (name: string, entity: string): string => `{"op":"${name}","entity":${entity}}`;

  test('changed entities are handed on, removed ones named', async () => {
    const read = await readLines([op('MOD', PERSON), op('DEL', '{"id":"NK-9"}')]);
    expect(read).toMatchObject({ kind: 'delta', releaseDate: '2024-06-01' });
    expect(read.keepsRelations?.properties).toContain('sanction_details');
    expect(read.byId.get('NK-1')?.akas).toHaveLength(3);
    expect(read.removed).toEqual(['NK-9']);
  });

  test('a delta that only removes names no release', async () => {
    const read = await readLines([op('DEL', '{"id":"NK-9"}')]);
    expect(read).toMatchObject({ notes: {}, releaseDate: '', removed: ['NK-9'] });
  });

  test('of several deltas in one file the last word of each id counts', async () => {
    const named = (id: string, name: string) => line(id, 'Company', { name: [name] });
    const gone = (id: string) => op('DEL', JSON.stringify({ id }));
    const read = await readLines([
      op('ADD', named('a', 'First')),
      gone('b'),
      op('ADD', named('c', 'Short Lived')),
      op('MOD', named('a', 'Second')),
      op('ADD', named('b', 'Back Again')),
      gone('c'),
      gone('d'),
      op('MOD', named('a', 'Third')),
    ]);
    expect(read.entities.map(({ ftm_id, primary_name }) => [ftm_id, primary_name])).toEqual([
      ['b', 'Back Again'],
      ['a', 'Third'],
    ]);
    expect(read.removed).toEqual(['c', 'd']);
  });

  test('what others are joined with is what the last line says of it', async () => {
    const address = (full: string) => op('MOD', line('addr-1', 'Address', { full: [full] }));
    const family = line('rel-1', 'Family', { person: ['NK-1'], relative: ['NK-2'] });
    const [person, relative] = [op('MOD', PERSON), op('MOD', RELATIVE)];
    const read = await readLines([
      address('1 Old Street, Kazan 420000'),
      op('ADD', family),
      person,
      relative,
      address('2 New Street, Kazan 420000'),
      op('DEL', '{"id":"rel-1"}'),
    ]);
    const entity = read.byId.get('NK-1');
    expect(entity?.addresses).toEqual(['2 New Street, Kazan 420000']);
    expect(entity?.associations.map(({ type }) => type)).toEqual(['ADDRESS']);
    expect(read.removed).toEqual(['rel-1']);
  });

  test('what it says of entities that it does not name is handed on as an addition', async () => {
    const read = await readLines([
      ...[JOINED[0], JOINED[3], JOINED[4]].map((text) => op('ADD', text ?? '')),
      op('MOD', RELATIVE),
    ]);
    expect([...read.added.keys()]).toEqual(['NK-1']);
    expect(read.added.get('NK-1')).toEqual({
      addresses: [],
      associations: [
        { label: 'relative: wife', strength: 1, target_ftm_id: 'NK-2', type: 'FAMILY' },
      ],
      identifiers: { passport: 'CD 3', un_reference: 'QDi.001' },
      properties: {
        identifier_details: ['passport: CD 3; ru'],
        sanction_details: ['UN'],
      },
    });
    expect(read.byId.get('NK-2')?.associations).toHaveLength(1);
  });

  test('nothing is added to whom it removes', async () => {
    const read = await readLines([op('ADD', JOINED[3] ?? ''), op('DEL', '{"id":"NK-1"}')]);
    expect([...read.added.keys(), ...read.removed]).toEqual(['NK-1']);
  });

  test('an entity that has become what has no place here is removed', async () => {
    const vehicle = (id: string) => line(id, 'Vehicle', { name: ['Lorry'] });
    const read = await readLines([op('MOD', vehicle('NK-1')), op('ADD', vehicle('NK-2'))]);
    expect(read.removed).toEqual(['NK-1']);
    expect(read.notes).toEqual({ 'schema-Vehicle': 2 });
  });

  test('a whole file is no delta', async () => {
    expect((await readLines([PERSON])).kind).toBe('full');
  });

  test('what it adds waits for whoever takes it', async () => {
    const text = Array.from({ length: 5_000 }, (_, at) =>
      op('ADD', line(`s-${at}`, 'Sanction', { authority: ['UN'], entity: [`e-${at}`] })),
    ).join('\n');
    let [waiting, most, added] = [0, 0, 0];
    const sink: ListSink = {
      ...gathering([]),
      added: () => {
        added++;
        most = Math.max(most, ++waiting);
      },
      ready: async () => {
        waiting = 0;
      },
    };
    const options = { sink, sourceId: 'OPEN_AGGREGATE' };
    await ftmReader(countryTable).read(chunksOf(`${text}\n`, 4_096), options);
    expect(added).toBe(5_000);
    expect(most).toBeLessThanOrEqual(500);
  });
});
