/** OFAC's two layouts, holding the same parties, give the same entities. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../chunks.ts';
import { asAdvanced, asSdn, type Party } from './bothLayouts.ts';

const tableFile = new URL('../../../config/tables/countries.json', import.meta.url);
const countries = createCountryLookup(JSON.parse(readFileSync(tableFile, 'utf8')) as CountryTable);

const PARTIES: readonly Party[] = [
  {
    id: 11,
    kind: 'Individual',
    family: 'AL-BRINDEL',
    given: 'Amina Lin',
    title: 'Minister of Works',
    remarks: "Deputy; a.k.a. 'EL NICO'; (Linked To: HARBOUR LINES) (Linked To: NOBODY AT ALL)",
    programs: ['SDGT', 'IRAN'],
    akas: [
      { family: 'BRINDEL', given: 'Amina' },
      { family: 'LITTLE ONE', isWeak: true },
      { family: 'OLDNAME', given: 'Amina', type: 'f.k.a.' },
      { family: 'NEWNAME', given: 'Amina', type: 'n.k.a.' },
    ],
    births: ['05 Jan 1970', '1968', 'circa 1969'],
    places: ['Zarqa, Jordan', 'Amman, Jordan'],
    nationalities: ['Jordan', 'Iran'],
    citizenships: ['Syria', 'Lebanon'],
    addresses: [
      ['1 Main St', 'Tehran', 'Tehran Province', '12345', 'Iran'],
      ['', 'Damascus', '', '', 'Syria'],
      ['', '', '', '', 'Lebanon'],
    ],
    documents: [
      { type: 'Passport', number: 'B2', country: 'Iran', issued: '01 Feb 2001' },
      { type: 'Passport', number: 'A1', country: 'Syria', expires: '03 Mar 2011' },
      { type: 'National ID No.', number: '', country: 'Jordan' },
      { type: 'SSN', number: '123-45-6789', country: 'United States' },
    ],
    facts: [
      ['Gender', 'Female'],
      ['Digital Currency Address - XBT', 'bc1qxyz'],
      ['Secondary sanctions risk:', 'section 1(b) of an order'],
      ['Email Address', 'a@example.org'],
      ['Website', 'www.example.org'],
      ['Phone Number', '98211234567'],
    ],
  },
  {
    id: 12,
    kind: 'Entity',
    family: 'HARBOUR LINES',
    remarks: '(Linked To: AL-BRINDEL, Amina Lin)',
    programs: ['SDGT'],
    documents: [
      { type: 'Registration ID', number: 'R1', country: 'Iran' },
      { type: 'Tax ID No.', number: '77', country: 'Russia' },
    ],
    facts: [
      ['Organization Established Date', '17 Oct 1990'],
      ['Organization Type:', 'Activities of holding companies'],
      ['Target Type', 'State-Owned Enterprise'],
      ['D-U-N-S Number', '542957624'],
      ['SWIFT/BIC', 'CKLBCNBJ'],
      ['ISIN', 'US1694261033'],
      ['ISIN', 'HK0000000001'],
      ['Issuer Name', 'Harbour Lines Ltd'],
      ['Equity Ticker', 'HAR US'],
      ['Listing Date (CMIC)', '03 Jun 2021'],
      ['Effective Date (CMIC)', '02 Aug 2021'],
      ['Purchase/Sales For Divestment Date (CMIC)', '03 Jun 2022'],
      ['Executive Order 13662 Directive Determination -', 'Subject to Directive 1'],
      ['PEESA Information:', 'PEESA'],
      ['Nationality of Registration', 'Iran'],
      ['BIK (RU)', '044030707'],
      ['UN/LOCODE', 'IRBND'],
    ],
  },
  {
    id: 13,
    kind: 'Vessel',
    family: 'SEA STAR',
    programs: ['IRAN'],
    akas: [{ family: 'SEA MOON', type: 'f.k.a.' }],
    documents: [{ type: 'Vessel Registration Identification', number: 'IMO 9187629' }],
    facts: [
      ['MMSI', '572469210'],
      ['Former Vessel Flag', 'Malta'],
      ['Other Vessel Flag', 'Panama'],
      ['Other Vessel Call Sign', 'Z9'],
      ['Other Vessel Type', 'Bulk Cargo'],
      ['Vessel Year of Build', '1999'],
    ],
    vessel: {
      callSign: 'X1',
      vesselType: 'Crude Oil Tanker',
      vesselFlag: 'Iran',
      vesselOwner: 'Harbour Lines',
      tonnage: '99144',
      grossRegisteredTonnage: '56068',
    },
  },
  {
    id: 14,
    kind: 'Aircraft',
    family: 'EP-MMX',
    programs: ['SDGT'],
    remarks: '(Linked To: HARBOUR LINES)',
    facts: [
      ['Aircraft Model', 'A340-642'],
      ['Aircraft Operator', 'Harbour Lines'],
      ['Aircraft Manufacture Date', '01 Jun 1991'],
      ["Aircraft Manufacturer's Serial Number (MSN)", '391'],
      ['Aircraft Construction Number (also called L/N or S/N or F/N)', '8401'],
      ['Aircraft Mode S Transponder Code', '140AE7'],
      ['Aircraft Tail Number', 'EP-MMX'],
      ['Previous Aircraft Tail Number', 'D-AIHX'],
    ],
  },
];

async function entitiesOf(xml: string) {
  const { entities, notes } = await readWholeList(ofacReader(countries), chunksOf(xml), {
    sourceId: 'OFAC_SDN',
  });
  return { entities: entities.toSorted((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1)), notes };
}

test('the same parties in both layouts', async () => {
  const sdn = await entitiesOf(asSdn(PARTIES));
  const advanced = await entitiesOf(asAdvanced(PARTIES));
  expect(advanced.notes).toEqual(sdn.notes);
  expect(sdn.notes).toEqual({ 'identifier-without-number': 1, 'relation-unresolved': 1 });
  expect(advanced.entities.map((entity) => entity.properties?.lists)).toEqual(
    PARTIES.map(() => ['SDN List']),
  );
  const alike = advanced.entities.map((entity) => {
    const { lists, ...properties } = entity.properties ?? {};
    return { ...entity, properties };
  });
  expect(alike).toEqual(sdn.entities);
});

test('which value is the main one, only sdn.xml says: both give the same values', async () => {
  const parties = PARTIES.map((party) => ({ ...party, hasMain: true }));
  const [sdn] = (await entitiesOf(asSdn(parties))).entities;
  const [advanced] = (await entitiesOf(asAdvanced(parties))).entities;
  expect([sdn?.dates_of_birth, advanced?.dates_of_birth]).toEqual([
    ['1970-01-05', '1968', '1969'],
    ['1968', '1969', '1970-01-05'],
  ]);
  expect([sdn?.places_of_birth, advanced?.places_of_birth]).toEqual([
    ['Zarqa, Jordan', 'Amman, Jordan'],
    ['Amman, Jordan', 'Zarqa, Jordan'],
  ]);
  expect([sdn?.citizenships, advanced?.citizenships]).toEqual([
    ['JO', 'IR', 'SY', 'LB'],
    ['IR', 'JO', 'LB', 'SY'],
  ]);
});

test('owners and operators are relations in both, whatever the case of their names', async () => {
  const owner = (label: string) => ({
    label,
    strength: 1,
    target_ftm_id: 'ofac-12',
    type: 'OWNER',
  });
  for (const xml of [asSdn(PARTIES), asAdvanced(PARTIES)]) {
    const [person, company, vessel, aircraft] = (await entitiesOf(xml)).entities;
    expect(person?.akas).toContain('EL NICO');
    expect(person?.properties?.unresolved_relations).toEqual(['Linked To: NOBODY AT ALL']);
    expect(company?.associations).toMatchObject([{ target_ftm_id: 'ofac-11', type: 'BUSINESS' }]);
    expect(vessel?.associations).toEqual([owner('Vessel Owner')]);
    expect(aircraft?.associations).toEqual([
      owner('Aircraft Operator'),
      { label: 'Linked To', strength: 1, target_ftm_id: 'ofac-12', type: 'BUSINESS' },
    ]);
    expect(vessel?.countries).toEqual(['IR', 'MT', 'PA']);
    expect(aircraft?.identifiers).not.toHaveProperty('Aircraft Model');
  }
});
