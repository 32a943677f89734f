/**
 * FtM schemas that are no entities of their own here: what each adds to the entities that it names.
 * The tables are the whole rule. A relation is added to both of its ends, since each is the related
 * party of the other (slices/ingestion/rca.ts follows relations from the entity that states them).
 *
 * Strengths: 1.0 for what ties two parties by itself; 0.5 for what is only reported, is a share of
 * less than a quarter, or has ended; 0.3 for a shared address.
 */
import type { AssociationType } from '#slices/lists';
import { distinct } from '../entityParts.ts';
import { PROGRAMMES } from '../properties.ts';
import { trimEnd } from '../trimEnds.ts';
import type { JoinTable } from './joinTable.ts';
import type { FtmEntity } from './record.ts';

interface Relation {
  /** The property of either end, and what that end is to the other. */
  readonly ends: readonly [readonly [string, string], readonly [string, string]];
  readonly type: AssociationType;
  readonly strength: number;
}

const RELATIONS: Readonly<Record<string, Relation>> = {
  Associate: {
    ends: [
      ['person', 'associate'],
      ['associate', 'associate'],
    ],
    strength: 1,
    type: 'BUSINESS',
  },
  Directorship: {
    ends: [
      ['director', 'directs'],
      ['organization', 'directed by'],
    ],
    strength: 1,
    type: 'EMPLOYER',
  },
  Employment: {
    ends: [
      ['employee', 'employed by'],
      ['employer', 'employs'],
    ],
    strength: 1,
    type: 'EMPLOYER',
  },
  Family: {
    ends: [
      ['person', 'relative'],
      ['relative', 'relative'],
    ],
    strength: 1,
    type: 'FAMILY',
  },
  Membership: {
    ends: [
      ['member', 'member of'],
      ['organization', 'has member'],
    ],
    strength: 0.5,
    type: 'BUSINESS',
  },
  Ownership: {
    ends: [
      ['owner', 'owns'],
      ['asset', 'owned by'],
    ],
    strength: 1,
    type: 'OWNER',
  },
  Representation: {
    ends: [
      ['agent', 'represents'],
      ['client', 'represented by'],
    ],
    strength: 0.5,
    type: 'BUSINESS',
  },
  Succession: {
    ends: [
      ['predecessor', 'succeeded by'],
      ['successor', 'successor of'],
    ],
    strength: 1,
    type: 'BUSINESS',
  },
  UnknownLink: {
    ends: [
      ['subject', 'linked to'],
      ['object', 'linked to'],
    ],
    strength: 0.5,
    type: 'BUSINESS',
  },
};

/** Below this share an owner is a reported one: the usual line of beneficial ownership. */
const PERCENTAGE_MIN = 25;
const REPORTED = 0.5;
/** Parties to one fact, and numbers of one document: each is added to each. */
const PARTIES_MAX = 100;
/** Characters of all that one record adds to others. */
const ADDED_CHARS_MAX = 1024 * 1024;

/** Identifying documents: the property of the holder, and the key in `identifiers`. */
const DOCUMENTS: Readonly<Record<string, readonly [holder: string, key: string]>> = {
  CryptoWallet: ['holder', 'crypto_wallet'],
  Identification: ['holder', 'id_number'],
  Passport: ['holder', 'passport'],
  Security: ['issuer', 'isin'],
};
const DOCUMENT_NUMBERS = ['passportNumber', 'number', 'publicKey', 'isin'];
/** Type of the holder's own number, for any document. */
const HOLDER_NUMBERS: Readonly<Record<string, string>> = { personalNumber: 'personal_number' };
const PARTIES: readonly string[] = [
  ...Object.values(RELATIONS).flatMap(({ ends }) => ends.map(([name]) => name)),
  ...Object.values(DOCUMENTS).map(([holder]) => holder),
  ...DOCUMENT_NUMBERS,
  ...Object.keys(HOLDER_NUMBERS),
  ...['entity', 'post', 'programId', 'program', 'unscId'],
];
const DOCUMENT_FACTS = [
  ...['type', 'country', 'authority', 'startDate', 'endDate', 'currency'],
  ...['name', 'ticker', 'issueDate', 'maturityDate', 'summary', 'description'],
];
const SANCTION_FACTS = [
  ...['authority', 'country', 'program', 'programId', 'authorityId', 'recordId', 'status'],
  ...['provisions', 'listingDate', 'startDate', 'endDate', 'duration', 'reason', 'summary'],
  ...['description', 'programUrl', 'sourceUrl'],
];
const OCCUPANCY_FACTS = [
  ...['startDate', 'endDate', 'status', 'constituency', 'politicalGroup'],
  ...['summary', 'description'],
];
/** Properties of a relation that are kept beside its label. */
const RELATION_FACTS = [
  ...['startDate', 'endDate', 'date', 'status', 'ownershipType', 'legalBasis', 'sharesCount'],
  ...['sharesValue', 'sharesCurrency', 'sharesType', 'summary', 'description', 'sourceUrl'],
];

/** What one line adds to an entity. */
export type Join =
  | {
      readonly kind: 'relation';
      readonly type: AssociationType;
      readonly strength: number;
      /** The day that it ended; empty where it is not said to have. */
      readonly end: string;
      readonly target: string;
      readonly label: string;
    }
  | { readonly kind: 'identifier'; readonly name: string; readonly value: string }
  | { readonly kind: 'property'; readonly name: string; readonly value: string }
  | { readonly kind: 'post'; readonly post: string; readonly value: string };

/** Between the parts of a join's text; the last part alone may hold it. */
const UNIT_SEPARATOR = '\u001f';
const part = (text: string): string => text.replaceAll(UNIT_SEPARATOR, ' ');

function toText(join: Join): string {
  if (join.kind === 'relation') {
    const { type, strength, end, target, label } = join;
    return ['r', type, strength, part(end), part(target), label].join(UNIT_SEPARATOR);
  }
  if (join.kind === 'post') return ['o', part(join.post), join.value].join(UNIT_SEPARATOR);
  const kind = join.kind === 'identifier' ? 'i' : 'p';
  return [kind, join.name, join.value].join(UNIT_SEPARATOR);
}

export function fromText(text: string): Join {
  const [kind, first = '', second = '', end = '', target = '', ...label] =
    text.split(UNIT_SEPARATOR);
  if (kind === 'r') {
    const type = first as AssociationType;
    const strength = Number(second);
    return { end, kind: 'relation', label: label.join(' '), strength, target, type };
  }
  if (kind === 'o') return { kind: 'post', post: first, value: second };
  return { kind: kind === 'i' ? 'identifier' : 'property', name: first, value: second };
}

export const JOINED_SCHEMAS: ReadonlySet<string> = new Set([
  ...Object.keys(RELATIONS),
  ...Object.keys(DOCUMENTS),
  'Address',
  'Occupancy',
  'Sanction',
]);

/** Properties that an entity gets from other records than its own. */
export const JOINED_PROPERTIES: readonly string[] = [
  ...['identifier_details', 'positions', 'relation_details', 'sanction_details'],
];

/** Keys for an address and a post: no entity has them. */
export const addressKey = (id: string): string => `\u0001${id}`;
export const tenantsKey = (id: string): string => `\u0002${id}`;
export const postKey = (id: string): string => `\u0003${id}`;
export const isEntityKey = (key: string): boolean => key.charCodeAt(0) > 3;

/**
 * Entities at one address; an address with more is a registered office, and ties no one to anyone.
 */
export const TENANTS_MAX = 20;

export function addTenant(joins: JoinTable, addressId: string, entityId: string): void {
  const key = tenantsKey(addressId);
  if (joins.count(key) <= TENANTS_MAX) joins.add(key, entityId);
}

/** Names of a post, or lines of an address: one each, unless several lines give the same id. */
const SAME_ID_MAX = 20;

export function addPostName(joins: JoinTable, { id, properties }: FtmEntity): void {
  const [name] = distinct(properties.name ?? []);
  const key = postKey(id);
  if (name !== undefined && joins.count(key) < SAME_ID_MAX) joins.add(key, name);
}

/**
 * `too-much`: nothing is filed, since the record has more parties or more facts than one fact can
 * have. `nothing`: it names no party, or states nothing about the parties that it names.
 */
export type Filed = 'filed' | 'too-much' | 'nothing';

/** Files what the entity adds to others. Its schema is one of JOINED_SCHEMAS. */
export function addJoins(joins: JoinTable, { id, schema, properties }: FtmEntity): Filed {
  // Sets, which come in another order every time.
  const values = (name: string): readonly string[] => properties[name]?.toSorted() ?? [];
  if (PARTIES.some((name) => values(name).length > PARTIES_MAX)) return 'too-much';
  const added: (readonly [to: string, text: string])[] = [];
  let chars = 0;
  const put = (to: string, join: Join): void => {
    if (chars > ADDED_CHARS_MAX) return;
    const text = toText(join);
    chars += text.length;
    added.push([to, text]);
  };
  const relation = RELATIONS[schema];
  if (relation) addRelation(put, relation, values);
  const document = DOCUMENTS[schema];
  if (document) addDocument(put, document, values);
  if (schema === 'Address') {
    const key = addressKey(id);
    for (const line of addressLines(values)) {
      if (joins.count(key) < SAME_ID_MAX) joins.add(key, line);
    }
  }
  if (schema === 'Occupancy') {
    const value = OCCUPANCY_FACTS.flatMap(values).join('; ');
    for (const holder of values('holder')) {
      for (const post of values('post')) put(holder, { kind: 'post', post, value });
    }
  }
  if (schema === 'Sanction') addSanction(put, values);
  if (chars > ADDED_CHARS_MAX) return 'too-much';
  for (const [to, text] of added) joins.add(to, text);
  return added.length > 0 || schema === 'Address' ? 'filed' : 'nothing';
}

type Values = (name: string) => readonly string[];
type Put = (to: string, join: Join) => void;

function addRelation(put: Put, relation: Relation, values: Values): void {
  const [[first, firstIs], [second, secondIs]] = relation.ends;
  const detail = [...values('relationship'), ...values('role'), ...percentages(values)].join('; ');
  const label = (is: string): string => (detail === '' ? is : `${is}: ${detail}`);
  const facts = RELATION_FACTS.flatMap(values).join('; ');
  const tell = (to: string, is: string, target: string): void => {
    if (facts === '') return;
    put(to, { kind: 'property', name: 'relation_details', value: `${is} ${target}: ${facts}` });
  };
  const strength = isSmallShare(values('percentage')[0]) ? REPORTED : relation.strength;
  const end = values('endDate').toSorted().at(-1) ?? '';
  const common = { end, kind: 'relation' as const, strength, type: relation.type };
  for (const a of values(first)) {
    for (const b of values(second)) {
      if (a === b) continue;
      put(a, { ...common, label: label(firstIs), target: b });
      put(b, { ...common, label: label(secondIs), target: a });
      tell(a, firstIs, b);
      tell(b, secondIs, a);
    }
  }
}

/** `12,5 %`, `12.5`; text that is no number is no small share. */
const isSmallShare = (percentage: string | undefined): boolean =>
  percentage !== undefined && Number.parseFloat(percentage.replace(',', '.')) < PERCENTAGE_MIN;

const percentages = (values: Values): string[] =>
  values('percentage').map((value) => `${trimEnd(value, '%')} %`);

function addDocument(put: Put, [holder, key]: readonly [string, string], values: Values): void {
  const facts = DOCUMENT_FACTS.flatMap(values).join('; ');
  for (const to of values(holder)) {
    for (const [name, own] of Object.entries(HOLDER_NUMBERS)) {
      for (const value of values(name)) put(to, { kind: 'identifier', name: own, value });
    }
    const numbers = DOCUMENT_NUMBERS.flatMap(values);
    for (const value of numbers) put(to, { kind: 'identifier', name: key, value });
    // Without a number only the facts are added.
    for (const value of numbers.length > 0 ? numbers : ['']) {
      const told = [value === '' ? key : `${key}: ${value}`, ...(facts === '' ? [] : [facts])];
      if (told.length === 1 && value === '') continue;
      put(to, { kind: 'property', name: 'identifier_details', value: told.join('; ') });
    }
  }
}

function addSanction(put: Put, values: Values): void {
  const details = SANCTION_FACTS.flatMap(values).join('; ');
  for (const to of values('entity')) {
    if (details !== '') {
      put(to, { kind: 'property', name: 'sanction_details', value: details });
    }
    for (const value of [...values('programId'), ...values('program')]) {
      put(to, { kind: 'property', name: PROGRAMMES, value });
    }
    for (const value of values('unscId')) {
      put(to, { kind: 'identifier', name: 'un_reference', value });
    }
  }
}

const ADDRESS_PARTS = ['street', 'street2', 'street3', 'postOfficeBox', 'postalCode', 'city'];

function addressLines(values: Values): readonly string[] {
  if (values('full').length > 0) return values('full');
  const parts = [...ADDRESS_PARTS, 'state', 'region', 'country'].map((name) => values(name)[0]);
  const line = parts.filter((part) => part !== undefined && part !== '').join(', ');
  return line === '' ? [] : [line];
}

/** A town alone ties no one to anyone: a street's number or a post box does. */
export const isPrecise = (address: string): boolean => /\d/.test(address) && address.length >= 12;

/** Strength of a relation; less where it ended before the file was released. */
export const strengthAt = (
  { end, strength }: { readonly end: string; readonly strength: number },
  releaseDate: string,
): number =>
  end !== '' && end.slice(0, 10) < releaseDate ? Math.min(strength, REPORTED) : strength;
