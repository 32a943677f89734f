/**
 * Files of the UN, the EU and the UK with bytes changed, cut out or doubled: a reader answers with
 * a list, or with an error that says what is wrong with the file, and with nothing else.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { type ListReader, readWholeList } from '#slices/ingestion';
import { euReader } from '../../src/sources/eu/reader.ts';
import { ukReader } from '../../src/sources/uk/reader.ts';
import { unReader } from '../../src/sources/un/reader.ts';
import { chunksOf } from './chunks.ts';
import { countries } from './countries.ts';
import {
  conListXml,
  csvFile,
  csvRow,
  designation,
  designationRow,
  designationsCsv,
  sanctionsList,
  target,
} from './uk/ukFiles.ts';
import { individual, unFile } from './un/unFile.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

const remarks = 'Brother of A B (QDi.002), C; owned by D. UN Ref QI.A.299.11. IMO: 8937675.';
const UN = unFile({
  individuals: [
    individual({
      reference: 'QDi.001',
      inner: `<COMMENTS1>${remarks}</COMMENTS1><NATIONALITY><VALUE>Iraq</VALUE></NATIONALITY>
        <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>X; Y (ز)</ALIAS_NAME>
        </INDIVIDUAL_ALIAS><INDIVIDUAL_DATE_OF_BIRTH><YEAR>1960</YEAR><NOTE>Sep.</NOTE>
        </INDIVIDUAL_DATE_OF_BIRTH>`,
    }),
  ],
});
const EU = `<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2022-03-18">
  <sanctionEntity euReferenceNumber="EU.1.1" logicalId="1"><remark>${remarks}</remark>
    <subjectType code="person"/><nameAlias wholeName="A B" strong="true" logicalId="1"/>
    <birthdate year="1960" circa="true" calendarType="GREGORIAN"/>
    <identification number="A1" identificationTypeCode="passport"/></sanctionEntity></export>`;
const CSV = csvFile([
  csvRow({
    'Name 6': 'VELMOR',
    DOB: '00/01/1960',
    Nationality: '(1) Afghan (2) DPRK',
    'Passport Details': '(1) A-333602 (Afghan) issued on 4 June 1985',
    'Other Information': `“${remarks}”`,
    'Group ID': '7001',
  }),
]);
const CON_LIST = conListXml([
  target({
    Name6: 'STAR',
    GroupTypeDescription: 'Ship',
    AliasType: 'Primary name',
    Ship_CurrentOwners: '(1) A (2) B',
    LastUpdated: '2022-03-05T00:00:00',
    GroupID: '7009',
  }),
]);
const DESIGNATIONS = sanctionsList([
  designation(`<UniqueID>AFG0001</UniqueID><IndividualEntityShip>Entity</IndividualEntityShip>
    <Names><Name><Name6>A</Name6><NameType>Primary Name</NameType></Name></Names>
    <OtherInformation>${remarks}</OtherInformation>`),
]);
const DESIGNATION_ROWS = designationsCsv([
  designationRow({
    'Name 6': 'VELMOR',
    'Name non-latin script': 'طارق',
    'Other Information': `“${remarks}”`,
    'Unique ID': 'AFG0001',
  }),
]);

const bytesOf = fc.uint8Array({ maxLength: 6 });
const mutations = fc.array(
  fc.record({ at: fc.double({ max: 1, min: 0, noNaN: true }), cut: fc.nat(12), put: bytesOf }),
  { maxLength: 4, minLength: 1 },
);

function mutate(
  bytes: Buffer,
  changes: readonly { at: number; cut: number; put: Uint8Array }[],
): Buffer {
  let changed = bytes;
  for (const { at, cut, put } of changes) {
    const start = Math.floor(at * changed.length);
    changed = Buffer.concat([changed.subarray(0, start), put, changed.subarray(start + cut)]);
  }
  return changed;
}

describe('mutated files', () => {
  test.each<[string, ListReader, string]>([
    ['UN', unReader(countries), UN],
    ['EU', euReader(countries), EU],
    ['UK, CSV', ukReader(countries), CSV],
    ['UK, ConList XML', ukReader(countries), CON_LIST],
    ['UK, UK Sanctions List', ukReader(countries), DESIGNATIONS],
    ['UK, UK Sanctions List, CSV', ukReader(countries), DESIGNATION_ROWS],
  ])('%s: a list or a refusal', async (_layout, reader, text) => {
    const whole = Buffer.from(text);
    const read = (bytes: Uint8Array) =>
      readWholeList(reader, chunksOf(bytes, 97), { sourceId: 'X' });
    expect((await read(whole)).entities.length).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(mutations, async (changes) => {
        const error = await read(mutate(whole, changes)).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined) return;
        expect(error).toBeInstanceOf(DomainError);
        expect((error as DomainError).code).toMatch(/^list-(?:damaged|foreign)$/);
      }),
      { numRuns: RUNS },
    );
  });
});
