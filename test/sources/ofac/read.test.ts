/** The layout of sdn.xml, and every way in which a file is not one. */
import { describe, expect, test } from 'vitest';
import { type OfacEntry, type OfacHeader, OfacReader } from '../../../src/sources/ofac/read.ts';
import { UidList } from '../../../src/sources/ofac/uidList.ts';
import { readListXml } from '../../../src/sources/readListXml.ts';
import { chunksOf } from '../chunks.ts';
import { entry, NAMESPACE, OLD_NAMESPACE, sdnFile } from './sdnFile.ts';

async function readOfac(
  chunks: AsyncIterable<Uint8Array>,
  onEntry: (entry: OfacEntry) => void,
): Promise<OfacHeader> {
  const reader = new OfacReader(new UidList(), onEntry);
  await readListXml(chunks, reader);
  return reader.finish();
}

async function read(xml: string): Promise<OfacEntry[]> {
  const entries: OfacEntry[] = [];
  await readOfac(chunksOf(xml), (item) => entries.push(item));
  return entries;
}

const refused = (xml: string | Uint8Array) =>
  readOfac(chunksOf(xml), () => {}).then(
    () => 'accepted',
    (error: unknown) => error,
  );

describe('OFAC reader', () => {
  test.each([NAMESPACE, OLD_NAMESPACE])('namespace %s is read', async (namespace) => {
    const header = await readOfac(chunksOf(sdnFile({ namespace })), () => {});
    expect(header).toEqual({ releaseDate: '2024-07-02', recordCount: 1 });
  });

  test('every element of the layout is kept', async () => {
    const inner = `<title>Major</title><remarks>r</remarks>
      <programList><program>CUBA</program><program>SDGT</program></programList>
      <idList><id><uid>1</uid><idType>Passport</idType><idNumber>A1</idNumber>
          <idCountry>Cuba</idCountry>
        <issueDate>01 Jan 2000</issueDate><expirationDate>01 Jan 2010</expirationDate></id></idList>
      <akaList><aka><uid>2</uid><type>a.k.a.</type><category>weak</category>
        <lastName>B</lastName><firstName>A</firstName></aka></akaList>
      <addressList><address><uid>3</uid><address1>1</address1><address2>2</address2>
          <address3>3</address3>
        <city>C</city><stateOrProvince>S</stateOrProvince><postalCode>P</postalCode>
          <country>Cuba</country>
      </address></addressList>
      <nationalityList><nationality><uid>4</uid><country>Cuba</country>
          <mainEntry>true</mainEntry></nationality></nationalityList>
      <citizenshipList><citizenship><uid>5</uid><country>Iran</country>
          <mainEntry>false</mainEntry></citizenship></citizenshipList>
      <dateOfBirthList><dateOfBirthItem><uid>6</uid><dateOfBirth>1960</dateOfBirth>
          <mainEntry>true</mainEntry></dateOfBirthItem></dateOfBirthList>
      <placeOfBirthList><placeOfBirthItem><uid>7</uid><placeOfBirth>X</placeOfBirth>
          <mainEntry>true</mainEntry></placeOfBirthItem></placeOfBirthList>
      <vesselInfo><callSign>CS</callSign><vesselType>Tug</vesselType><vesselFlag>Cuba</vesselFlag>
        <vesselOwner>O</vesselOwner><tonnage>1</tonnage>
          <grossRegisteredTonnage>2</grossRegisteredTonnage></vesselInfo>`;
    const [item] = await read(sdnFile({ entries: [entry({ uid: 1, lastName: 'L', inner })] }));
    expect(item).toEqual({
      fields: { uid: '1', lastName: 'L', sdnType: 'Entity', title: 'Major', remarks: 'r' },
      lists: {
        programList: [{ program: 'CUBA' }, { program: 'SDGT' }],
        idList: [
          {
            uid: '1',
            idType: 'Passport',
            idNumber: 'A1',
            idCountry: 'Cuba',
            issueDate: '01 Jan 2000',
            expirationDate: '01 Jan 2010',
          },
        ],
        akaList: [{ uid: '2', type: 'a.k.a.', category: 'weak', lastName: 'B', firstName: 'A' }],
        addressList: [
          {
            uid: '3',
            address1: '1',
            address2: '2',
            address3: '3',
            city: 'C',
            stateOrProvince: 'S',
            postalCode: 'P',
            country: 'Cuba',
          },
        ],
        nationalityList: [{ uid: '4', country: 'Cuba', mainEntry: 'true' }],
        citizenshipList: [{ uid: '5', country: 'Iran', mainEntry: 'false' }],
        dateOfBirthList: [{ uid: '6', dateOfBirth: '1960', mainEntry: 'true' }],
        placeOfBirthList: [{ uid: '7', placeOfBirth: 'X', mainEntry: 'true' }],
        vesselInfo: [
          {
            callSign: 'CS',
            vesselType: 'Tug',
            vesselFlag: 'Cuba',
            vesselOwner: 'O',
            tonnage: '1',
            grossRegisteredTonnage: '2',
          },
        ],
      },
      unknown: [],
    });
  });

  test('elements that the layout does not know are kept with their path', async () => {
    const inner = `<colour>red</colour><akaList><aka><lastName>B</lastName>
          <lastName>C</lastName><note>n</note></aka></akaList>
      <extraList><extra><deep>d</deep></extra></extraList><vesselInfo><mmsi>1</mmsi></vesselInfo>`;
    const [item] = await read(sdnFile({ entries: [entry({ uid: 1, lastName: 'L', inner })] }));
    expect(item?.unknown).toEqual([
      'colour: red',
      'akaList/aka/lastName: C',
      'akaList/aka/note: n',
      'extraList/extra/deep: d',
      'vesselInfo/mmsi: 1',
    ]);
  });

  test.each([
    ['another root', '<html><body/></html>'],
    ['another namespace', sdnFile({ namespace: 'urn:other' })],
    ['no namespace', '<sdnList/>'],
    ['the UN list', '<CONSOLIDATED_LIST dateGenerated="2025-04-19"/>'],
  ])('%s is foreign', async (_what, xml) => {
    expect(await refused(xml)).toMatchObject({ code: 'list-foreign' });
  });

  const one = entry({ uid: 1, lastName: 'L' });
  test.each([
    ['a Record_Count too high', sdnFile({ recordCount: 2 })],
    [
      'a Record_Count too low',
      sdnFile({ entries: [one, entry({ uid: 2, lastName: 'M' })], recordCount: 1 }),
    ],
    ['a Record_Count that is no number', sdnFile({ recordCount: 'many' })],
    [
      'an entry of too many elements',
      sdnFile({ entries: [entry({ uid: 1, lastName: 'L', inner: '<x/>'.repeat(100_001) })] }),
    ],
    ['a repeated uid', sdnFile({ entries: [one, one] })],
    [
      'no uid',
      sdnFile({
        entries: ['<sdnEntry><lastName>L</lastName><sdnType>Entity</sdnType></sdnEntry>'],
      }),
    ],
    [
      'no lastName',
      sdnFile({ entries: ['<sdnEntry><uid>1</uid><sdnType>Entity</sdnType></sdnEntry>'] }),
    ],
    ['a Publish_Date of another form', sdnFile({ publishDate: '2024-07-02' })],
    ['a Publish_Date that is no day', sdnFile({ publishDate: '13/45/2024' })],
    ['an unknown section', sdnFile({ entries: ['<other/>'], recordCount: 0 })],
    ['no publshInformation', `<sdnList xmlns="${NAMESPACE}">${one}</sdnList>`],
    ['nothing in the root', `<sdnList xmlns="${NAMESPACE}"/>`],
  ])('%s is damage', async (_what, xml) => {
    expect(await refused(xml)).toMatchObject({ code: 'list-damaged' });
  });

  test('no cut of a file passes', async () => {
    const bytes = Buffer.from(
      sdnFile({ entries: [one, entry({ uid: 2, lastName: 'M' })] }).trimEnd(),
    );
    for (let length = 0; length < bytes.length; length++) {
      const error = await refused(bytes.subarray(0, length));
      expect(error, `cut after ${length} bytes`).toMatchObject({ code: 'list-damaged' });
    }
  });
});
