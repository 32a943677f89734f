/** What waits packed comes back as it was. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  packDocument,
  packLocation,
  unpackDocument,
  unpackLocation,
} from '../../../../src/sources/ofac/advanced/packedRecords.ts';
import { Phrases } from '../../../../src/sources/ofac/packed.ts';

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

test('locations and documents, through the text that they wait as', () => {
  const location = fc.record({
    countries: fc.array(fc.string()),
    details: fc.array(fc.string()),
    line: fc.string(),
  });
  const document = fc.record(
    {
      idCountry: fc.string(),
      idNumber: fc.oneof(fc.string(), fc.nat().map(String)),
      idType: fc.string(),
      issueDate: fc.string(),
      note: fc.string(),
    },
    { requiredKeys: ['idType', 'idNumber'] },
  );
  fc.assert(
    fc.property(fc.array(location), fc.array(document), (locations, documents) => {
      const phrases = new Phrases();
      const places = json(locations.map((one) => packLocation(one, phrases)));
      const papers = json(documents.map((one) => packDocument(one, phrases)));
      expect(places.map((one) => unpackLocation(one, phrases))).toEqual(locations);
      expect(papers.map((one) => unpackDocument(one, phrases))).toEqual(documents);
    }),
  );
});
