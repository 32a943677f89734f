/** The UK Sanctions List, in list format v1, and the ways in which it is damaged. */
import { describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { ukReader } from '../../../src/sources/uk/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { designation, sanctionsList } from './ukFiles.ts';

const read = (content: string) =>
  readWholeList(ukReader(countries), chunksOf(content), { sourceId: 'HMT_OFSI' });

const DESIGNATION = `<LastUpdated>01/02/2026</LastUpdated>
  <DateDesignated>25/01/2001</DateDesignated><UniqueID>AFG0006</UniqueID>
  <OFSIGroupID>7001</OFSIGroupID><UNReferenceNumber>TAi.002</UNReferenceNumber>
  <Names><Name><Name1>Tarek</Name1><Name6>VELMOR</Name6><NameType>Primary Name</NameType></Name>
    <Name><Name6>TARIQ</Name6><NameType>ALias</NameType>
      <AliasStrength>Low quality a.k.a</AliasStrength></Name></Names>
  <NonLatinNames><NonLatinName><NameNonLatinScript>طارق</NameNonLatinScript>
    <NonLatinScriptLanguage>Arabic</NonLatinScriptLanguage></NonLatinName></NonLatinNames>
  <RegimeName>The Afghanistan Regulations</RegimeName>
  <IndividualEntityShip>Individual</IndividualEntityShip>
  <DesignationSource>UN</DesignationSource><SanctionsImposed>Asset freeze|Travel Ban
  </SanctionsImposed><SanctionsImposedIndicators><AssetFreeze>true</AssetFreeze>
    <TravelBan>true</TravelBan></SanctionsImposedIndicators>
  <OtherInformation>Son of ORVAND.</OtherInformation>
  <UKStatementofReasons>Reasons.</UKStatementofReasons>
  <Addresses><Address><AddressLine1>1 Road</AddressLine1><AddressLine6>Kabul</AddressLine6>
    <AddressPostalCode>1001</AddressPostalCode><AddressCountry>Afghanistan</AddressCountry>
    </Address></Addresses>
  <PhoneNumbers><PhoneNumber>+93 1</PhoneNumber></PhoneNumbers>
  <IndividualDetails><Individual><DOBs><DOB>dd/mm/1960</DOB><DOB>05/01/1961</DOB></DOBs>
    <Nationalities><Nationality>Afghanistan</Nationality></Nationalities>
    <Positions><Position>Clerk</Position></Positions><Genders><Gender>Male</Gender></Genders>
    <BirthDetails><Location><TownOfBirth>Herat</TownOfBirth>
      <CountryOfBirth>Afghanistan</CountryOfBirth></Location></BirthDetails>
    <PassportDetails><Passport><PassportNumber>A1</PassportNumber>
      <PassportAdditionalInformation>issued in 2001</PassportAdditionalInformation></Passport>
    </PassportDetails><NationalIdentifierDetails><NationalIdentifier>
      <NationalIdentifierNumber>N1</NationalIdentifierNumber></NationalIdentifier>
    </NationalIdentifierDetails><ShoeSize>42</ShoeSize></Individual></IndividualDetails>`;
const SHIP = `<UniqueID>RUS0999</UniqueID><Names><Name><Name6>STAR</Name6>
    <NameType>Primary name</NameType></Name></Names><LastUpdated>01/02/2026</LastUpdated>
  <IndividualEntityShip>Ship</IndividualEntityShip><ShipDetails><Ship>
    <IMONumbers><IMONumber>9187629</IMONumber></IMONumbers><CurrentBelievedFlagOfShips>
      <CurrentBelievedFlagOfShip>Gabon</CurrentBelievedFlagOfShip></CurrentBelievedFlagOfShips>
    <CurrentOwnerOperators><CurrentOwnerOperator>ORVAND CO</CurrentOwnerOperator>
    </CurrentOwnerOperators></Ship></ShipDetails>`;

describe('the UK Sanctions List', () => {
  test('a designation with everything that the layout holds', async () => {
    const list = await read(sanctionsList([designation(DESIGNATION), designation(SHIP)]));
    expect(list.releaseDate).toBe('2026-10-02');
    expect(list.notes).toEqual({ 'relation-unresolved': 2, 'unknown-element': 1 });
    expect(list.entities).toMatchObject([
      {
        ftm_id: 'gb-7001',
        schema: 'Person',
        primary_name: 'Tarek VELMOR',
        akas: ['TARIQ', 'طارق'],
        addresses: ['1 Road, Kabul, 1001, Afghanistan'],
        citizenships: ['AF'],
        countries: ['AF'],
        dates_of_birth: ['1960', '1961-01-05'],
        identifiers: {
          'National ID': 'N1',
          Passport: 'A1',
          'UK reference': 'AFG0006',
          'UN reference': 'TAi.002',
        },
        places_of_birth: ['Herat, Afghanistan'],
        programmes: ['The Afghanistan Regulations'],
        properties: {
          designated_on: ['2001-01-25'],
          designation: ['Clerk'],
          gender: ['male'],
          listing_type: ['UN'],
          phones: ['+93 1'],
          remarks: ['Son of ORVAND.'],
          sanction_details: ['Asset freeze', 'Travel Ban'],
          statement_of_reasons: ['Reasons.'],
          unknown_elements: ['IndividualDetails/Individual/ShoeSize: 42'],
          updated_on: ['2026-02-01'],
          weak_aliases: ['TARIQ'],
        },
      },
      {
        ftm_id: 'gb-RUS0999',
        schema: 'Vessel',
        countries: ['GA'],
        identifiers: { IMO: '9187629', 'UK reference': 'RUS0999' },
        properties: { vessel_owner: ['ORVAND CO'] },
      },
    ]);
  });

  test('two designations of one group are one entity, and what is new is kept', async () => {
    const other = DESIGNATION.replace('AFG0006', 'IRN0001').replace('Afghanistan Reg', 'Iran Reg');
    const ghost = `<UniqueID>NEW0001</UniqueID><IndividualEntityShip>Ghost</IndividualEntityShip>
      <NonLatinNames><NonLatinName><NameNonLatinScript>Призрак</NameNonLatinScript>
      </NonLatinName></NonLatinNames>`;
    const { entities, notes } = await read(
      sanctionsList([DESIGNATION, other, ghost].map(designation)),
    );
    expect(notes['unknown-subject-type']).toBe(1);
    expect(entities).toMatchObject([
      {
        identifiers: { 'UK reference': 'AFG0006', 'UK reference (2)': 'IRN0001' },
        programmes: ['The Afghanistan Regulations', 'The Iran Regulations'],
      },
      {
        ftm_id: 'gb-NEW0001',
        primary_name: 'Призрак',
        properties: { subject_type: ['Ghost'] },
        schema: 'LegalEntity',
      },
    ]);
  });

  test.each<[string, string, RegExp]>([
    [
      'a repeated designation',
      sanctionsList([designation(SHIP), designation(SHIP)]),
      /Designation 2: target RUS0999 came before/,
    ],
    [
      'one without an id',
      sanctionsList([designation(SHIP.replace('RUS0999', ''))]),
      /Designation 1: it has no UniqueID/,
    ],
    [
      'one without a name',
      sanctionsList([designation(SHIP.replace('STAR', ''))]),
      /RUS0999 has no name/,
    ],
    [
      'one of no kind',
      sanctionsList([designation(SHIP.replace('>Ship<', '><'))]),
      /RUS0999: expected an individual/,
    ],
    ['no date', sanctionsList([designation(SHIP)], ''), /DateGenerated/],
    ['another element', sanctionsList(['<Other/>']), /unexpected Other/],
  ])('%s is damage, with its place', async (_what, xml, place) => {
    const error = await read(xml).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'list-damaged', message: expect.stringMatching(place) });
  });
});
