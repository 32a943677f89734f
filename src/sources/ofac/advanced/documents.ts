/** IDRegDocuments: passports, tax numbers, registrations, in the fields of OFAC's other layout. */
import { childOf, childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import type { OfacFields } from '../layout.ts';
import { readPeriod } from './datePeriod.ts';
import { type AddressLine, placeOf } from './locations.ts';
import type { References } from './references.ts';

export interface DocumentContext {
  readonly references: References;
  readonly location: (id: string) => AddressLine | undefined;
}

const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/^issue/i, 'issueDate'],
  [/^expir/i, 'expirationDate'],
];

export function readDocument(
  document: XmlRecord,
  { references, location }: DocumentContext,
): OfacFields {
  const dates = new Map<string, string>();
  const notes = [childText(document, 'IssuingAuthority'), childText(document, 'Comment')];
  const others: string[] = [];
  for (const item of childrenOf(document, 'DocumentDate')) {
    const type = references.text('IDRegDocDateType', item);
    const period = childOf(item, 'DatePeriod');
    const date = period ? readPeriod(period)?.date : undefined;
    if (date === undefined) continue;
    const field = FIELDS.find(([pattern]) => pattern.test(type))?.[1];
    if (field !== undefined && !dates.has(field)) dates.set(field, date);
    else others.push(`${type} ${date}`);
  }
  const validity = references.text('Validity', document);
  if (validity !== '' && !/^(?:valid|unknown)$/i.test(validity)) notes.push(validity);
  const issuedInId = document.attributes.get('IssuedIn-LocationID');
  const issuedIn = issuedInId === undefined ? undefined : location(issuedInId);
  if (issuedIn) notes.push(`issued in ${placeOf(issuedIn)}`);
  const country = references.text('Country', document, 'IssuedBy-CountryID');
  const note = [...notes, ...others.sort()].filter(Boolean).join('; ');
  return {
    idType: references.text('IDRegDocType', document),
    idNumber: childText(document, 'IDRegistrationNo'),
    ...(country === '' ? {} : { idCountry: country }),
    ...Object.fromEntries(dates),
    ...(note === '' ? {} : { note }),
  };
}
