/** OFAC's two lists under each other's source id, in both layouts, by invented files. */
import { describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { createCountryLookup } from '#slices/lists';
import { advancedFile } from '../../../bench/ofacFiles.ts';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../chunks.ts';
import { entry, sdnFile } from './sdnFile.ts';

const ENTRIES = 60;
const countries = createCountryLookup({});

async function outcome(xml: string, sourceId: string): Promise<string> {
  const read = readWholeList(ofacReader(countries), chunksOf(xml), { sourceId });
  return read.then(
    (list) => `${list.entities.length} entries`,
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

/** Counts of entries by their programmes, several of one entry with a comma between. */
function fileOf(counts: Readonly<Record<string, number>>): string {
  const programmes = Object.entries(counts).flatMap(([names, count]) =>
    Array<string>(count).fill(names),
  );
  const entries = programmes.map((names, index) => {
    const items = names.split(',').filter((name) => name !== '');
    const inner = items.map((name) => `<program>${name}</program>`).join('');
    return entry({
      inner: `<programList>${inner}</programList>`,
      lastName: `NAME ${index}`,
      uid: index + 1,
    });
  });
  return sdnFile({ entries });
}

const IS_CONSOLIDATED =
  "list-foreign: expected OFAC's SDN list, got its consolidated (non-SDN) list" +
  ' (60 of 60 entries): import it as OFAC_CONSOLIDATED';
const IS_SDN =
  "list-foreign: expected OFAC's consolidated (non-SDN) list, got its SDN list" +
  ' (60 of 60 entries): import it as OFAC_SDN';

describe('sdn.xml and consolidated.xml', () => {
  const consolidated = fileOf({ 'CMIC-EO13959': 12, 'NS-PLC': 18, 'UKRAINE-EO13662': 30 });
  const sdn = fileOf({ CUBA: 20, 'RUSSIA-EO14024': 20, 'SDGT,IFSR': 20 });

  test('each is read under its own source id', async () => {
    expect(await outcome(sdn, 'OFAC_SDN')).toBe('60 entries');
    expect(await outcome(consolidated, 'OFAC_CONSOLIDATED')).toBe('60 entries');
  });

  test("each is refused under the other's, and the refusal says where it belongs", async () => {
    expect(await outcome(consolidated, 'OFAC_SDN')).toBe(IS_CONSOLIDATED);
    expect(await outcome(sdn, 'OFAC_CONSOLIDATED')).toBe(IS_SDN);
  });

  test.each<[string, string, Record<string, number>]>([
    ['all of a new programme', 'OFAC_SDN', { 'NEW-EO1': ENTRIES }],
    ['half of a new programme', 'OFAC_CONSOLIDATED', { 'NEW-EO1': 30, 'NS-PLC': 30 }],
    ['half of a non-SDN programme', 'OFAC_SDN', { 'NS-PLC': 30, CUBA: 30 }],
    ['all of programmes of both lists', 'OFAC_SDN', { 'NS-PLC,SDGT': ENTRIES }],
    ['all of programmes of both lists', 'OFAC_CONSOLIDATED', { 'NS-PLC,SDGT': ENTRIES }],
    ['hardly any programmes', 'OFAC_SDN', { '': 11, 'NS-PLC': 49 }],
    ['hardly any programmes', 'OFAC_CONSOLIDATED', { '': 11, CUBA: 49 }],
  ])('a file with %s passes as %s', async (_what, sourceId, counts) => {
    expect(await outcome(fileOf(counts), sourceId)).toBe('60 entries');
  });

  test('one entry more than half decides', async () => {
    const mostlyNonSdn = fileOf({ CUBA: 29, 'NS-PLC': 31 });
    expect(await outcome(mostlyNonSdn, 'OFAC_SDN')).toContain('(31 of 60 entries)');
    expect(await outcome(mostlyNonSdn, 'OFAC_CONSOLIDATED')).toBe('60 entries');
    const mostlySdn = fileOf({ CUBA: 31, 'NS-PLC': 29 });
    expect(await outcome(mostlySdn, 'OFAC_SDN')).toBe('60 entries');
    expect(await outcome(mostlySdn, 'OFAC_CONSOLIDATED')).toContain('(31 of 60 entries)');
  });

  test('a file that is cut is damaged before it is foreign', async () => {
    const cut = consolidated.replace('<Record_Count>60', '<Record_Count>61');
    expect(await outcome(cut, 'OFAC_SDN')).toMatch(/^list-damaged/);
  });
});

describe('SDN_ADVANCED and CONS_ADVANCED', () => {
  const advanced = (listName: string, count = ENTRIES) =>
    [...advancedFile({ count })].join('').replace('>SDN List<', `>${listName}<`);

  test.each([
    ['SDN List', '60 entries', IS_SDN],
    ['Consolidated List', IS_CONSOLIDATED, '60 entries'],
    ['Sectoral Sanctions Identifications List', IS_CONSOLIDATED, '60 entries'],
    ['A List of Tomorrow', '60 entries', '60 entries'],
  ])('entries that name %s', async (listName, asSdn, asConsolidated) => {
    expect(await outcome(advanced(listName), 'OFAC_SDN')).toBe(asSdn);
    expect(await outcome(advanced(listName), 'OFAC_CONSOLIDATED')).toBe(asConsolidated);
  });

  test('a small file is not judged', async () => {
    expect(await outcome(advanced('SDN List', 49), 'OFAC_CONSOLIDATED')).toBe('49 entries');
  });
});
