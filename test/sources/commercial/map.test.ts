/** Values of a vendor's record: kept where the format has a place, told where it has none. */
import { describe, expect, test } from 'vitest';
import { mapVendorEntity } from '../../../src/sources/commercial/map.ts';
import { countries } from '../countries.ts';

const ENTITY = { categories: ['SAN'], id: 'P-1', primary_name: 'Ali One', schema: 'Person' };

function mapped(members: object) {
  const notes: Record<string, number> = {};
  const note = (kind: string): void => {
    notes[kind] = (notes[kind] ?? 0) + 1;
  };
  const context = { countries, note, releaseDate: '2026-11-02', sourceId: 'COMMERCIAL_WATCHLIST' };
  const entity = mapVendorEntity({ ...ENTITY, ...members }, context);
  if (typeof entity === 'string') throw new Error(entity);
  return { entity, notes };
}

describe('vendor record', () => {
  test('programmes are read by their name, and by that of other lists', () => {
    const { entity, notes } = mapped({ programmes: ['B', 'A'], programs: 'C' });
    expect(entity.programmes).toEqual(['A', 'B', 'C']);
    expect(entity.properties).toEqual({});
    expect(notes).toEqual({});
    expect(mapped({}).entity).not.toHaveProperty('programmes');
  });

  test('values that are no text are counted, and kept as JSON', () => {
    const { entity, notes } = mapped({
      addresses: [{ street: 'Rue 1' }],
      akas: [{ name: 'Alias Obj' }, 'Alias Txt', 5],
      associations: ['P-2', { target_id: 'P-3', type: 'COUSIN' }],
      citizenships: [{ code: 'TN' }],
      grade: { of: 'B' },
      identifiers: { passport: { number: 'X123' }, tax: 12345 },
      properties: { flag: true, n: 5, remarks: { a: 'b' } },
    });
    expect(entity).toMatchObject({
      addresses: [],
      akas: ['Alias Txt'],
      associations: [],
      citizenships: [],
      identifiers: { tax: '12345' },
      properties: {
        flag: ['true'],
        grade: ['{"of":"B"}'],
        n: ['5'],
        remarks: ['{"a":"b"}'],
        unreadable_addresses: ['{"street":"Rue 1"}'],
        unreadable_akas: ['5', '{"name":"Alias Obj"}'],
        unreadable_associations: ['P-2', '{"target_id":"P-3","type":"COUSIN"}'],
        unreadable_citizenships: ['{"code":"TN"}'],
        unreadable_identifiers: ['{"passport":{"number":"X123"}}'],
      },
    });
    expect(notes).toEqual({
      'association-unreadable': 2,
      'member-unknown': 1,
      'name-unreadable': 2,
      'value-unreadable': 4,
    });
  });

  test('members of another kind than the format has are kept, too', () => {
    const { entity, notes } = mapped({ identifiers: ['X123'], properties: 'text' });
    expect(entity.properties).toEqual({
      unreadable_identifiers: ['X123'],
      unreadable_properties: ['text'],
    });
    expect(notes).toEqual({ 'value-unreadable': 2 });
  });

  test('dates that are none, or the wrong way round, are unreadable', () => {
    const bad = ['1970-13-45', '1970-02-30', '1975/1970', '1970-05/1970-04-31', '70', '19700101'];
    const { entity, notes } = mapped({
      dates_of_birth: [1971, '1970-02-28', '1970/1975', '1969-12', ...bad],
      first_seen_at: '2026-02-30',
      last_seen_at: 5,
    });
    expect(entity.dates_of_birth).toEqual(['1969-12', '1970-02-28', '1970/1975', '1971']);
    expect(entity).toMatchObject({ first_seen_at: '2026-11-02', last_seen_at: '2026-11-02' });
    expect(entity.properties).toEqual({
      unreadable_dates_of_birth: [...bad].sort(),
      unreadable_first_seen_at: ['2026-02-30'],
      unreadable_last_seen_at: ['5'],
    });
    expect(notes).toEqual({ 'date-unreadable': bad.length + 2 });
  });

  test('a relation of which a part is unreadable is taken, and told', () => {
    const relation = { label: 5, since: 1990, strength: 7, target_id: 'P-2', type: 'FAMILY' };
    const { entity, notes } = mapped({ associations: relation });
    expect(entity.associations).toEqual([
      { label: 'family', strength: 0.5, target_ftm_id: 'cw-P-2', type: 'FAMILY' },
    ]);
    const text = '{"label":5,"since":1990,"strength":7,"target_id":"P-2","type":"FAMILY"}';
    expect(entity.properties).toEqual({
      association_details: [text],
      unreadable_associations: [text],
    });
    expect(notes).toEqual({ 'association-unreadable': 1, 'member-unknown': 1 });
  });

  test('what is absent, null or blank says nothing', () => {
    const nothing = { akas: null, associations: null, dates_of_birth: '', properties: null };
    const { entity, notes } = mapped({ ...nothing, addresses: [' ', null], grade: null });
    expect(entity).toEqual(mapped({}).entity);
    expect(notes).toEqual({});
  });

  test('arrays in another order are no change', () => {
    const members = {
      addresses: ['2', '1'],
      akas: ['y', 'x'],
      associations: [
        { target_id: 'P-3', type: 'OWNER' },
        { target_id: 'P-2', type: 'FAMILY' },
      ],
      categories: ['PEP', 'adverse media', 'SAN'],
      citizenships: ['TN', 'Atlantis', 'FR'],
      countries: ['TN', 'FR'],
      dates_of_birth: ['1971', 'about 1960', '1970'],
      grade: ['b', 'a'],
      identifiers: { passport: ['B', 'A'], tax: ['2'] },
      places_of_birth: ['Tunis', 'Sfax'],
      properties: { remarks: ['2', '1'] },
    };
    const reversed = Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.toReversed() : value,
      ]),
    );
    reversed.identifiers = { tax: ['2'], passport: ['A', 'B'] };
    expect(mapped(reversed)).toEqual(mapped(members));
    expect(mapped(members).entity).toMatchObject({
      akas: ['x', 'y'],
      categories: ['SAN', 'PEP', 'SI'],
    });
  });
});
