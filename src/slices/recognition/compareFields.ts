/** Single fields of a document against what was said: names by likeness, all else to the letter. */
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import type { CompareNames } from './asks.ts';
import type { ReadField, SaidOfPerson } from './documentFields.ts';
import type { MrzReading } from './readMrz.ts';

/** How a field agrees. */
export interface FieldComparison {
  readonly field: 'name' | 'dob' | 'document_number' | 'nationality';
  readonly result: 'match' | 'partial' | 'mismatch' | 'absent';
  readonly score: number | null;
}

const NAME_MATCH = 0.92;
const NAME_PARTIAL = 0.8;

/** Codes of ICAO 9303-3, part 5, that are none of ISO 3166: Germany, and the British ones. */
const ALPHA2_OF_ICAO: Readonly<Record<string, string>> = {
  D: 'DE',
  GBD: 'GB',
  GBN: 'GB',
  GBO: 'GB',
  GBP: 'GB',
  GBS: 'GB',
  RKS: 'XK',
};
const ALPHA2 = new Map<string, string>(
  Object.entries(countries as Readonly<Record<string, { readonly alpha3?: string }>>).flatMap(
    ([alpha2, { alpha3 }]) => (alpha3 === undefined ? [] : [[alpha3, alpha2] as const]),
  ),
);

/** Two letters for a state of a machine-readable zone; undefined for one that has none. */
export const countryOfIcao = (code: string): string | undefined =>
  ALPHA2_OF_ICAO[code] ?? ALPHA2.get(code);

/** Against each way in which the name was said; the best counts. */
export async function nameComparison(
  { fields, mrz }: { readonly fields: readonly ReadField[]; readonly mrz?: MrzReading },
  { firstName, fullName, fullNameAr, lastName }: SaidOfPerson,
  compareNames: CompareNames,
): Promise<FieldComparison> {
  const read = fields.find(({ name }) => name === 'full_name')?.value;
  const parted = [firstName, lastName].filter((part) => part !== undefined).join(' ');
  const said = [fullName, parted, fullNameAr].filter((name) => name !== undefined && name !== '');
  if (read === undefined || said.length === 0) return absent('name');
  let score = 0;
  for (const name of said) {
    const whole = name ?? '';
    score = Math.max(score, await compareNames(whole, read));
    // A name that fills its field may go on: as much of what was said is compared.
    if (mrz?.isNameTruncated === true) {
      const start = [...whole].slice(0, [...read].length).join('');
      score = Math.max(score, await compareNames(start, read));
    }
  }
  const result = score >= NAME_MATCH ? 'match' : score >= NAME_PARTIAL ? 'partial' : 'mismatch';
  return { field: 'name', result, score: Math.round(score * 1e4) / 1e4 };
}

const absent = (field: FieldComparison['field']): FieldComparison => ({
  field,
  result: 'absent',
  score: null,
});

const exact = (field: FieldComparison['field'], isEqual: boolean): FieldComparison => ({
  field,
  result: isEqual ? 'match' : 'mismatch',
  score: isEqual ? 1 : 0,
});

/** A date of which the document does not have all agrees in part. */
export function dateComparison(
  read: string | undefined,
  said: string | undefined,
): FieldComparison {
  if (read === undefined || said === undefined) return absent('dob');
  const isPart = read.length < said.length && said.startsWith(read);
  return isPart ? { field: 'dob', result: 'partial', score: 0.5 } : exact('dob', read === said);
}

/** Letters and digits alone count. The number of a person may stand in the optional data. */
export function numberComparison(
  read: string | undefined,
  mrz: MrzReading | undefined,
  { documentNumber, nationalId }: SaidOfPerson,
): FieldComparison {
  const said = [documentNumber, nationalId].flatMap((one) =>
    one === undefined ? [] : [bare(one)],
  );
  if (read === undefined || said.length === 0) return absent('document_number');
  const there = [bare(read), ...(mrz?.fields.optional ?? '').split(' ').map(bare)];
  return exact(
    'document_number',
    said.some((one) => one !== '' && there.includes(one)),
  );
}

const bare = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** ISO's two letters, or those of a machine-readable zone. */
export function countryComparison(
  read: string | undefined,
  said: string | undefined,
): FieldComparison {
  if (read === undefined || said === undefined) return absent('nationality');
  const country = read.length === 2 ? read : countryOfIcao(read);
  return exact('nationality', country === said.toUpperCase());
}
