/**
 * ReferenceValueSets: what the numbers in the rest of the file mean. The meanings decide, not the
 * numbers: publishers renumber, and other users of the format have numbers of their own.
 */
import { DomainError } from '#core/kernel';
import type { XmlRecord } from '../../recordBuilder.ts';

export type ReferenceSet =
  | 'AliasType'
  | 'AreaCode'
  | 'CalendarType'
  | 'Country'
  | 'DetailReference'
  | 'DocNameStatus'
  | 'EntryEventType'
  | 'EntryLinkType'
  | 'ExRefType'
  | 'FeatureType'
  | 'IDRegDocDateType'
  | 'IDRegDocType'
  | 'LegalBasis'
  | 'List'
  | 'LocPartType'
  | 'NamePartType'
  | 'PartySubType'
  | 'PartyType'
  | 'RelationQuality'
  | 'RelationType'
  | 'Reliability'
  | 'SanctionsType'
  | 'Script'
  | 'SupInfoType'
  | 'Validity';

/** Values of all sets; the file has a few thousand. */
const REFERENCES_MAX = 100_000;

export class References {
  /** By set and number. */
  readonly #sets = new Map<string, Map<string, XmlRecord>>();
  #size = 0;

  add(record: XmlRecord): void {
    if (this.#size >= REFERENCES_MAX) throw damaged('too many reference values');
    const id = record.attributes.get('ID');
    if (id === undefined) return;
    this.#size++;
    const values = this.#sets.get(record.name);
    if (values) values.set(id, record);
    else this.#sets.set(record.name, new Map([[id, record]]));
  }

  /** '' where the record has no such reference; `?12` where nothing says what 12 means. */
  text(set: ReferenceSet, record: XmlRecord, attribute = `${set}ID`): string {
    const id = record.attributes.get(attribute);
    return id === undefined ? '' : this.textOf(set, id);
  }

  textOf(set: ReferenceSet, id: string): string {
    return this.#sets.get(set)?.get(id)?.text || `?${id}`;
  }

  /** An attribute of the reference value itself. */
  attribute(set: ReferenceSet, id: string, name: string): string | undefined {
    return this.#sets.get(set)?.get(id)?.attributes.get(name);
  }
}

/** An attribute that the format requires to be a number. */
export function numberOf(record: XmlRecord, attribute: string): number {
  const text = record.attributes.get(attribute) ?? '';
  if (!/^\d{1,15}$/.test(text)) throw damaged(`${record.name} ${attribute}: expected a number`);
  return Number(text);
}

export const isTrue = (record: XmlRecord, attribute: string): boolean =>
  /^(?:true|1)$/.test(record.attributes.get(attribute) ?? '');

export const damaged = (detail: string) => new DomainError('list-damaged', { detail });
