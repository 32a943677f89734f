/** SanctionsEntries: why a party is on the list, since when, under which programmes. */
import { PROGRAMMES } from '../../properties.ts';
import { childOf, childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { readDay, readPeriod } from './datePeriod.ts';
import type { References } from './references.ts';

/** Property and value, in the file's order. */
export type Facts = readonly (readonly [property: string, value: string])[];

export function readSanctionsEntry(entry: XmlRecord, references: References): Facts {
  const facts: [string, string][] = [
    ['lists', references.text('List', entry)],
    ['sanctions_comments', childText(entry, 'Comment')],
    ['limitations_to_listing', childText(entry, 'LimitationsToListing')],
    ['entry_profile_ref', entry.attributes.get('EntryProfileRef') ?? ''],
  ];
  for (const event of childrenOf(entry, 'EntryEvent')) readEvent(event, references, facts);
  for (const measure of childrenOf(entry, 'SanctionsMeasure')) {
    readMeasure(measure, references, facts);
  }
  for (const info of childrenOf(entry, 'SupportingInfo')) {
    const type = references.text('SupInfoType', info);
    const text = [childText(info, 'Text'), childText(info, 'DirectURL')].filter(Boolean).join(' ');
    if (text !== '') facts.push(['supporting_information', `${type}: ${text}`]);
  }
  return facts.filter(([, value]) => value !== '');
}

function readEvent(event: XmlRecord, references: References, facts: [string, string][]): void {
  const type = references.text('EntryEventType', event);
  const date = readDay(childOf(event, 'Date')) ?? '';
  if (/^(?:created|listed|added)/i.test(type)) facts.push(['listed_on', date]);
  else facts.push(['entry_events', `${type}: ${date}`]);
  facts.push(['legal_bases', references.text('LegalBasis', event)]);
  facts.push(['sanctions_comments', childText(event, 'Comment')]);
}

/** OFAC writes a programme as a measure of type `Program` with its code for a comment. */
function readMeasure(measure: XmlRecord, references: References, facts: [string, string][]): void {
  const type = references.text('SanctionsType', measure);
  const comment = childText(measure, 'Comment');
  const period = childOf(measure, 'DatePeriod');
  const date = period ? readPeriod(period)?.date : undefined;
  if (/^program/i.test(type) && comment !== '') facts.push([PROGRAMMES, comment]);
  else facts.push(['measures', [type, comment].filter(Boolean).join(': ')]);
  if (date !== undefined) facts.push(['measure_dates', `${comment || type}: ${date}`]);
}
