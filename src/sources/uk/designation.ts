/**
 * A designation of the Foreign Office's UK Sanctions List, whichever layout states it: the whole of
 * one in XML, a row of one in CSV. Both become this, so that both come to the same entity. Dates of
 * birth that are known in part stand as `dd/mm/1945`.
 */
import type { DomainError } from '#core/kernel';
import type { UkName, UkTarget, UkTargets } from './target.ts';

type Text = string | undefined;
type Texts = readonly Text[];
export type Fact = readonly [property: string, text: Text];

/** A field that is empty in the file is undefined. */
export interface Designation {
  readonly uniqueId: string;
  readonly groupId: Text;
  readonly kind: Text;
  readonly names: readonly UkName[];
  readonly nonLatinNames: Texts;
  readonly addresses: readonly { readonly lines: Texts; readonly country: Text }[];
  readonly dates: Texts;
  readonly birthPlaces: readonly { readonly town: Text; readonly country: Text }[];
  readonly nationalities: Texts;
  readonly genders: Texts;
  readonly documents: readonly {
    readonly type: string;
    readonly number: Text;
    readonly details?: Text;
  }[];
  readonly imoNumbers: Texts;
  readonly flags: Texts;
  readonly owners: Texts;
  readonly parents: Texts;
  readonly unReference: Text;
  /** `Asset freeze|Travel Ban` */
  readonly measures: Text;
  readonly days: readonly Fact[];
  readonly remarks: readonly Fact[];
  /** Texts that may hold several values, numbered. */
  readonly facts: readonly Fact[];
  /** Texts that are always one value each, as a telephone number with its `(02)`. */
  readonly values: readonly Fact[];
}

export function addDesignation(
  stated: Designation,
  targets: UkTargets,
  damage: (what: string) => DomainError,
): UkTarget {
  const { groupId: group, uniqueId, kind } = stated;
  const groupId = group !== undefined && /^\d{1,9}$/.test(group) ? group : undefined;
  // One group under two regimes is two designations of one target.
  const target = targets.target({ groupId, uniqueId, kind }, damage);
  target.reference(uniqueId);
  for (const name of stated.names) target.name(name);
  for (const name of stated.nonLatinNames) target.nonLatinName(name);
  for (const { lines, country } of stated.addresses) target.address(lines, country);
  addPerson(stated, target);
  for (const { type, number, details } of stated.documents) target.document(type, number, details);
  for (const number of stated.imoNumbers) target.imo(number);
  for (const flag of stated.flags) {
    target.facts('vessel_flag', flag);
    target.draft.addCountries(flag);
  }
  for (const name of stated.owners) addOwner(target, 'current owner', 'vessel_owner', name);
  for (const name of stated.parents) addOwner(target, 'parent company', 'parent_companies', name);
  addFacts(stated, target);
  return target;
}

function addPerson({ birthPlaces, dates, genders, nationalities }: Designation, target: UkTarget) {
  for (const date of dates) target.date(date);
  for (const { town, country } of birthPlaces) target.birthPlaces(town, country);
  for (const nationality of nationalities) target.draft.addCitizenships(nationality);
  for (const gender of genders) target.facts('gender', gender?.toLowerCase());
}

function addOwner(target: UkTarget, label: string, property: string, name: Text): void {
  if (name === undefined) return;
  target.draft.properties.add(property, name);
  target.draft.addRelation({ label, type: 'OWNER', isFirm: true, target: { name } });
}

function addFacts(stated: Designation, target: UkTarget): void {
  const { properties } = target.draft;
  target.unReference(stated.unReference);
  const measures = (stated.measures ?? '').split('|').map((one) => one.trim());
  properties.addAll('sanction_details', measures);
  for (const [property, text] of stated.facts) target.facts(property, text);
  for (const [property, text] of stated.values) properties.add(property, text);
  for (const [property, text] of stated.days) target.day(property, text);
  for (const [property, text] of stated.remarks) target.remarks(text, property);
}
