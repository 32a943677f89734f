/**
 * The facts that show whether an entity is the same as one of another list: kind, names, dates of
 * birth, nationalities, gender, and identifiers under one spelling, for all names that publishers
 * give them. Pure.
 *
 * References of one list that another quotes are identifiers of both: the Security Council's
 * (`QDi.080`), and those that an aggregator gives as `referents` (`ofac-36`, `gb-hmt-7059`,
 * `eu-fsf-eu-13-5`, `unsc-6908555`).
 */
import type { ListEntity } from '#slices/lists';
import { nameWords, shareWord, WORDS_MAX, wordsOf } from './resolveNames.ts';

/**
 * `registry`: one authority's number for one subject; `paper`: issued to a person and reused, or a
 * registry's number as a text states it.
 */
export type IdentifierStrength = 'registry' | 'paper';

export interface Identifier {
  /** Kind and number: `passport:AB123456`. */
  readonly key: string;
  readonly strength: IdentifierStrength;
}

export interface Facts {
  readonly source: string;
  readonly ftmId: string;
  readonly kind: 'person' | 'body' | 'either' | 'vessel' | 'aircraft';
  /** Words of the main name, which may be one alone. */
  readonly mainName: readonly string[];
  /** Words of each full name, distinct. */
  readonly names: readonly (readonly string[])[];
  /** Dates as on the list. */
  readonly dates: readonly string[];
  readonly nationalities: readonly string[];
  readonly gender: 'm' | 'f' | undefined;
  readonly identifiers: readonly Identifier[];
}

const KINDS: Readonly<Record<ListEntity['schema'], Facts['kind'] | undefined>> = {
  Aircraft: 'aircraft',
  Company: 'body',
  LegalEntity: 'either',
  Organization: 'body',
  Person: 'person',
  // A post is held by many, and no list sanctions it.
  Position: undefined,
  Vessel: 'vessel',
};
const NAMES_MAX = 40;

interface IdentifierRule {
  /** Matches the key, without its ` (2)`. */
  readonly name: RegExp;
  readonly kind: string;
  readonly strength: IdentifierStrength;
  /** The number under one spelling; undefined where it identifies no one. */
  readonly read: (value: string) => string | undefined;
}

const digits = (count: number) => (value: string) => {
  const plain = value.replace(/^IMO/i, '').replace(/\D/g, '');
  return plain.length === count ? plain : undefined;
};

/** Letters and digits of a number, without words such as a country's name, and not too short. */
const number = (lengthMin: number, digitsMin: number) => (value: string) => {
  const parts = value.toUpperCase().split(/[^A-Z0-9]+/);
  const plain = parts.filter((part) => /\d/.test(part) || part.length <= 2).join('');
  const isLong = plain.length >= lengthMin && plain.length <= 24;
  return isLong && plain.replace(/\D/g, '').length >= digitsMin ? plain : undefined;
};

const RULES: readonly IdentifierRule[] = [
  {
    kind: 'un',
    name: /^un[ _]ref/i,
    read: (value) => /[A-Z]{2,3}[ie]\.\d{3,4}/i.exec(value)?.[0].toUpperCase(),
    strength: 'registry',
  },
  { kind: 'imo', name: /\bimo\b/i, read: digits(7), strength: 'registry' },
  {
    kind: 'lei',
    name: /^lei$|legal entity identifier/i,
    read: (value) => /^[A-Z0-9]{18}\d{2}$/.exec(value.toUpperCase().trim())?.[0],
    strength: 'registry',
  },
  { kind: 'mmsi', name: /\bmmsi\b/i, read: digits(9), strength: 'paper' },
  { kind: 'passport', name: /passport/i, read: number(6, 5), strength: 'paper' },
  {
    kind: 'national',
    name: /national[ _]id|^id_number|identity card|cedula|social.security|personal id/i,
    read: number(7, 6),
    strength: 'paper',
  },
  { kind: 'tax', name: /^tax|\binn\b|fiscal|matricule/i, read: number(8, 7), strength: 'paper' },
  {
    kind: 'register',
    name: /registration|\bogrn\b|company number|^registry|commercial registry/i,
    read: number(7, 6),
    strength: 'paper',
  },
  {
    kind: 'bic',
    name: /swift|\bbic\b/i,
    read: (value) => /^([A-Z]{6}[A-Z0-9]{2})(?:[A-Z0-9]{3})?$/.exec(value.trim())?.[1],
    strength: 'paper',
  },
  {
    kind: 'eu',
    name: /^eu reference$/i,
    read: (value) => /^EU\.(\d+)\.(\d+)$/i.exec(value)?.slice(1).join('-'),
    strength: 'registry',
  },
  {
    kind: 'gb',
    name: /^uk reference$/i,
    read: (value) => /^[A-Z]{3}\d{4}$/i.exec(value)?.[0].toUpperCase(),
    strength: 'registry',
  },
];
const rulesByKey = new Map<string, IdentifierRule | undefined>();

/** Undefined for entities that are never resolved. */
export function factsOf(source: string, entity: ListEntity): Facts | undefined {
  const kind = KINDS[entity.schema];
  if (kind === undefined) return undefined;
  return {
    dates: entity.dates_of_birth,
    ftmId: entity.ftm_id,
    gender: genderOf(entity),
    identifiers: identifiersOf(entity),
    kind,
    mainName: wordsOf(entity.primary_name).slice(0, WORDS_MAX),
    names: namesOf(entity),
    nationalities: entity.citizenships,
    source,
  };
}

/**
 * Whether the names share a word. One word is enough beside an equal number, and means nothing
 * without.
 */
export const shareNameWord = (a: Facts, b: Facts): boolean =>
  shareWord([a.mainName, ...a.names], [b.mainName, ...b.names]);

function namesOf(entity: ListEntity): readonly (readonly string[])[] {
  const byText = new Map<string, readonly string[]>();
  const weak = new Set(entity.properties?.weak_aliases ?? []);
  for (const name of [entity.primary_name, ...entity.akas]) {
    if (weak.has(name)) continue;
    const words = nameWords(name);
    if (words.length > 0 && byText.size < NAMES_MAX) byText.set(words.join(' '), words);
  }
  return [...byText.values()];
}

function genderOf(entity: ListEntity): Facts['gender'] {
  const genders = new Set((entity.properties?.gender ?? []).map((text) => text[0]?.toLowerCase()));
  if (genders.size !== 1) return undefined;
  const [gender] = genders;
  return gender === 'm' || gender === 'f' ? gender : undefined;
}

function identifiersOf(entity: ListEntity): readonly Identifier[] {
  const byKey = new Map<string, Identifier>();
  const add = (key: string, strength: IdentifierStrength): void => {
    byKey.set(key, { key, strength });
  };
  // The remarks of the United Kingdom's list state about one in a hundred wrongly.
  const stated = new Set(entity.properties?.stated_un_reference ?? []);
  for (const [name, value] of Object.entries(entity.identifiers)) {
    const rule = ruleOf(name.replace(/ \(\d+\)$/, ''));
    const read = rule?.read(value);
    if (!rule || read === undefined) continue;
    const strength = rule.kind === 'un' && stated.has(value) ? 'paper' : rule.strength;
    add(`${rule.kind}:${read}`, strength);
  }
  for (const key of registryKeys(entity)) add(key, 'registry');
  return [...byKey.values()];
}

function ruleOf(name: string): IdentifierRule | undefined {
  if (rulesByKey.has(name)) return rulesByKey.get(name);
  const rule = RULES.find((one) => one.name.test(name));
  if (rulesByKey.size < 1_000) rulesByKey.set(name, rule);
  return rule;
}

/** The entity's own number in its list, and those of others that it quotes. */
function* registryKeys({ ftm_id, properties }: ListEntity): Generator<string> {
  const own = /^(ofac|gb)-(\d+)$/.exec(ftm_id);
  if (own) yield own[1] === 'gb' ? `gb-hmt:${own[2]}` : `ofac:${own[2]}`;
  for (const id of properties?.data_id ?? []) yield `unsc:${id}`;
  for (const referent of properties?.referents ?? []) {
    const match = /^(ofac|gb-hmt|unsc)-(\d+)$|^eu-fsf-eu-(\d+-\d+)$|^gb-fcdo-([a-z]{3}\d{4})$/.exec(
      referent,
    );
    if (!match) continue;
    const [, registry, plain, eu, gb] = match;
    if (registry !== undefined) yield `${registry}:${plain}`;
    else if (eu !== undefined) yield `eu:${eu}`;
    else yield `gb:${gb?.toUpperCase()}`;
  }
}
