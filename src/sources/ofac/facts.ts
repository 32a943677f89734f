/**
 * What OFAC says of a party where identifiers stand, without identifying it: sdn.xml has genders,
 * websites and directives among the ids, SDN_ADVANCED among the features, under the same names. So
 * one table decides what becomes of them, and both layouts say the same.
 */
import { foldText } from '#platform/foldText';
import type { Properties } from '../properties.ts';

/** Under the property `sanction_details`, with their type before them. */
const DETAILS = beginsWith(
  ...['additional sanctions', 'caatsa', 'effective date', 'equity ticker', 'executive order'],
  ...['ifca', 'issuer name', 'listing date', 'paipa', 'peesa', 'purchase/sales'],
  ...['secondary sanctions', 'transactions prohibited'],
);
const DETAIL = 'sanction_details';

const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^gender\b/i, 'gender'],
  [/^website\b/i, 'websites'],
  [/^e-?mail\b/i, 'emails'],
  [/^(?:phone|telephone|fax)\b/i, 'phones'],
  [/^(?:organization|target) type\b/i, 'organization_type'],
  [/^organization established/i, 'established'],
  [/^vessel call ?sign/i, 'call_sign'],
  [/^vessel tonnage/i, 'tonnage'],
  [/^vessel gross/i, 'gross_registered_tonnage'],
];
/** Under their own name: `former_vessel_flag`. */
const OWN_NAME = beginsWith(
  'nationality of registration|registration country|un/locode',
  '(?:(?:former|other) )?vessel (?:call sign|flag|owner|type|year)',
  'aircraft (?:manufacture date|model|operator|type)',
);
/** The flags among them, each of which names a country. */
export const FLAG_PROPERTIES = [
  ...['former_vessel_flag', 'nationality_of_registration', 'other_vessel_flag'],
  ...['registration_country', 'vessel_flag'],
];

/** Properties that name a party. */
export const NAMING_PROPERTIES = ['aircraft_operator', 'vessel_owner'];

/** The property of a type that is a fact; '' of one that may identify. */
export function factOf(type: string): string {
  if (DETAILS.test(type)) return DETAIL;
  const named = NAMED.find(([pattern]) => pattern.test(type))?.[1];
  return named ?? (OWN_NAME.test(type) ? propertyName(type) : '');
}

/** A detail keeps its type before it. False, and nothing is added, where there is no value. */
export function addFact(
  properties: Properties,
  property: string,
  { type, value }: { readonly type: string; readonly value: string },
): boolean {
  if (value === '') return false;
  properties.add(property, property === DETAIL ? `${type}: ${value}` : value);
  return true;
}

export const propertyName = (type: string): string =>
  foldText(type).replaceAll(' ', '_') || 'feature';

function beginsWith(...beginnings: readonly string[]): RegExp {
  return new RegExp(`^(?:${beginnings.join('|')})`, 'i');
}
