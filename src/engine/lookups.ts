/**
 * The lookups of a snapshot, made from its tables: token, whole name, date, year, nationality →
 * entities, and on swept lists the forms by length.
 */
import { letterSections } from './entityHints.ts';
import { words } from './growingArray.ts';
import { HEAD_BITS, headBits } from './native/signs.ts';
import { SWEEP_ATTRIBUTES, SWEEP_GROUPS, SWEEP_LENGTHS } from './native/sweeping.ts';
import { letterHash, spread } from './native/wholeNames.ts';
import { ENTITY_PRIMARY_CODED, type Snapshot, SWEEP_FORMS_MAX } from './snapshotFormat.ts';
import type { PartColumns } from './snapshotPart.ts';
import { groupPairs, runningSum, sortPairs } from './sortedPairs.ts';
import { tokenLengths, tokenPostings } from './tokenPostings.ts';

type SweepArray = 'Start' | 'Entity' | 'Once' | 'Twice' | 'Heads';
type LookupName =
  | `token${'FirstPosting' | 'Posting'}`
  | `letters${'First' | 'Entry'}`
  | `entity${'Letters' | 'Initials'}`
  | `${'date' | 'year' | 'nation'}${'Key' | 'First' | 'Entity'}`
  | `identifier${'Key' | 'Check' | 'Entity'}`
  | 'uncodedEntity'
  | `sweep${SweepArray}`;
type Lookups = Pick<Snapshot, LookupName>;
type Tables = Omit<Snapshot, LookupName | 'formFacts' | `${'id' | 'card' | 'name'}Bytes`> &
  Pick<PartColumns, `identifier${'Key' | 'Check'}` | 'entityFirstIdentifier'>;

/** A published range longer than this is no date of birth. */
const YEARS_MAX = 150;
const SPACE_BIT = 1 << 26;
const SPACE = 0x20;
/** Bits of the number of whole names that share a place of the directory, about. */
const LETTERS_PER_PLACE_BITS = 4;

/** Per token the sum of its letters' hashes. */
function lettersOfTokens(tables: Tables): Int32Array {
  const { tokenStart, tokenUnits } = tables;
  const sums = new Int32Array(tokenStart.length - 1);
  for (let token = 0; token < sums.length; token++) {
    let sum = 0;
    const end = tokenStart[token + 1] as number;
    for (let at = tokenStart[token] as number; at < end; at++) {
      sum = (sum + letterHash(tokenUnits[at] as number)) | 0;
    }
    sums[token] = sum;
  }
  return sums;
}

/** Identifiers by key; those of one key by entity. */
function identifiers(tables: Tables): Pick<Lookups, `identifier${'Key' | 'Check' | 'Entity'}`> {
  const { entityFirstIdentifier, identifierCheck, identifierKey } = tables;
  const entityOf = new Uint32Array(identifierKey.length);
  for (let entity = 0; entity + 1 < entityFirstIdentifier.length; entity++) {
    entityOf.fill(entity, entityFirstIdentifier[entity], entityFirstIdentifier[entity + 1]);
  }
  const places = Uint32Array.from(identifierKey, (_, at) => at);
  const { keys, values } = sortPairs(identifierKey, places);
  return {
    identifierCheck: values.map((at) => identifierCheck[at] as number),
    identifierEntity: values.map((at) => entityOf[at] as number),
    identifierKey: keys,
  };
}

/** Bits that numbers below `count` need, at least 1. */
export function bitsFor(count: number): number {
  return Math.max(1, 32 - Math.clz32(Math.max(0, count - 1)));
}

function wholeNames(tables: Tables): Pick<Lookups, 'lettersFirst' | 'lettersEntry'> {
  const { entityFirstForm } = tables;
  const keys = keysOfForms(tables);
  const bits = Math.max(1, bitsFor(keys.length) - LETTERS_PER_PLACE_BITS);
  const entityBits = bitsFor(tables.entitySchema.length);
  const counts = new Uint32Array(1 << bits);
  for (const key of keys) {
    const place = key >>> (32 - bits);
    counts[place] = (counts[place] as number) + 1;
  }
  const first = runningSum(counts);
  const next = first.slice();
  const entries = new Uint32Array(keys.length);
  for (let entity = 0; entity + 1 < entityFirstForm.length; entity++) {
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      const key = keys[form] as number;
      const place = key >>> (32 - bits);
      const at = next[place] as number;
      entries[at] = (key << entityBits) | entity;
      next[place] = at + 1;
    }
  }
  return sortEntries(first, entries);
}

/** A hash of the letters of each form. */
function keysOfForms(tables: Tables): Uint32Array {
  const { formFirstToken, formToken } = tables;
  const ofToken = lettersOfTokens(tables);
  const keys = new Uint32Array(formFirstToken.length - 1);
  for (let form = 0; form < keys.length; form++) {
    let sum = 0;
    const stop = formFirstToken[form + 1] as number;
    for (let at = formFirstToken[form] as number; at < stop; at++) {
      sum = (sum + (ofToken[formToken[at] as number] as number)) | 0;
    }
    keys[form] = spread(sum);
  }
  return keys;
}

/** Sorts the entries inside each place of the directory and drops repeated ones, in place. */
function sortEntries(first: Uint32Array, entries: Uint32Array) {
  let count = 0;
  for (let place = 0; place + 1 < first.length; place++) {
    const own = entries.subarray(first[place], first[place + 1]).sort();
    first[place] = count;
    own.forEach((entry, at) => {
      if (at > 0 && entry === own[at - 1]) return;
      entries[count++] = entry;
    });
  }
  first[first.length - 1] = count;
  return { lettersFirst: first, lettersEntry: entries.subarray(0, count) };
}

/** Nationalities of an entity; 0 for none. */
function nationsOf(tables: Tables, entity: number): readonly number[] {
  const start = tables.entityFirstNation[entity] as number;
  const end = tables.entityFirstNation[entity + 1] as number;
  return start === end ? [0] : [...tables.nationCode.subarray(start, end)];
}

function dates(tables: Tables): Pick<Lookups, `${'date' | 'year'}${'Key' | 'First' | 'Entity'}`> {
  const dateKeys = words();
  const dateEntities = words();
  const yearKeys = words();
  const yearEntities = words();
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = tables.entityFirstDate[entity + 1] as number;
    const start = tables.entityFirstDate[entity] as number;
    if (start === end) continue;
    const nations = nationsOf(tables, entity);
    for (let at = start; at < end; at++) {
      const from = tables.dateFrom[at] as number;
      const to = tables.dateTo[at] as number;
      if (from === to && from % 100 !== 0) {
        dateKeys.push(from);
        dateEntities.push(entity);
      }
      const first = Math.floor(from / 10_000);
      const last = Math.min(Math.floor(to / 10_000), first + YEARS_MAX);
      for (let year = first; year <= last; year++) {
        for (const nation of nations) {
          yearKeys.push(year * 65_536 + nation);
          yearEntities.push(entity);
        }
      }
    }
  }
  const byDate = groupPairs(dateKeys.view(), dateEntities.view());
  const byYear = groupPairs(yearKeys.view(), yearEntities.view());
  return {
    dateKey: byDate.keys,
    dateFirst: byDate.first,
    dateEntity: byDate.values,
    yearKey: byYear.keys,
    yearFirst: byYear.first,
    yearEntity: byYear.values,
  };
}

type SweptName = 'uncodedEntity' | `sweep${string}`;
type Swept = Pick<Lookups, Extract<LookupName, SweptName>>;

function nothingSwept(): Swept {
  return {
    uncodedEntity: new Uint32Array(),
    sweepStart: new Uint32Array(),
    sweepEntity: new Uint32Array(),
    sweepOnce: new Int32Array(),
    sweepTwice: new Int32Array(),
    sweepHeads: new Uint32Array(),
  };
}

function nations(tables: Tables): Pick<Lookups, `nation${'Key' | 'First' | 'Entity'}`> {
  const entities = words();
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = tables.entityFirstNation[entity + 1] as number;
    for (let at = tables.entityFirstNation[entity] as number; at < end; at++) entities.push(entity);
  }
  const groups = groupPairs(new Uint32Array(tables.nationCode), entities.view());
  return { nationKey: groups.keys, nationFirst: groups.first, nationEntity: groups.values };
}

function uncoded(tables: Tables): Uint32Array {
  const entities = words();
  tables.entityFlags.forEach((flags, entity) => {
    if ((flags & ENTITY_PRIMARY_CODED) === 0) entities.push(entity);
  });
  return entities.view();
}

/** Lengths and letters of all forms, from those of their tokens. */
function signsOf({ formFirstToken, formToken, tokenOnce, tokenTwice, ...tables }: Tables) {
  const count = formFirstToken.length - 1;
  const signs = {
    length: new Uint32Array(count),
    once: new Int32Array(count),
    twice: new Int32Array(count),
  };
  const lengths = tokenLengths(tables);
  for (let form = 0; form < count; form++) {
    const start = formFirstToken[form] as number;
    const end = formFirstToken[form + 1] as number;
    let length = end - start - 1;
    let once = end - start > 1 ? SPACE_BIT : 0;
    let twice = end - start > 2 ? SPACE_BIT : 0;
    for (let at = start; at < end; at++) {
      const token = formToken[at] as number;
      length += lengths[token] as number;
      const own = tokenOnce[token] as number;
      twice |= (tokenTwice[token] as number) | (once & own);
      once |= own;
    }
    signs.length[form] = length;
    signs.once[form] = once;
    signs.twice[form] = twice;
  }
  return signs;
}

/** How each form begins, in natural and in sorted order. */
function headsOf(tables: Tables): Uint32Array {
  const { formFirstToken, formToken, tokenStart, tokenUnits } = tables;
  const headOf = (token: number, tokens: number): number => {
    const start = tokenStart[token] as number;
    const length = (tokenStart[token + 1] as number) - start;
    const after = length > 1 ? (tokenUnits[start + 1] as number) : tokens > 1 ? SPACE : 0;
    return headBits(tokenUnits[start] ?? 0, after);
  };
  const heads = new Uint32Array(formFirstToken.length - 1);
  for (let form = 0; form < heads.length; form++) {
    const start = formFirstToken[form] as number;
    const end = formFirstToken[form + 1] as number;
    let least = formToken[start] as number;
    for (let at = start; at < end; at++) least = Math.min(least, formToken[at] as number);
    const natural = headOf(formToken[start] as number, end - start);
    heads[form] = natural | (headOf(least, end - start) << HEAD_BITS);
  }
  return heads;
}

/**
 * The group of an entity, by schema and attributes: it decides how much a sweep asks of its names.
 */
function sweepGroup(tables: Tables, entity: number): number {
  const has = (first: Uint32Array) => (first[entity + 1] as number) > (first[entity] as number);
  const attributes =
    (has(tables.entityFirstDate) ? 1 : 0) | (has(tables.entityFirstNation) ? 2 : 0);
  return ((tables.entitySchema[entity] as number) - 1) * SWEEP_ATTRIBUTES + attributes;
}

function sweep(tables: Tables): Pick<Swept, `sweep${SweepArray}`> {
  const signs = signsOf(tables);
  const heads = headsOf(tables);
  const entityOf = new Uint32Array(signs.length.length);
  const keys = new Uint32Array(signs.length.length);
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const base = sweepGroup(tables, entity) * SWEEP_LENGTHS;
    const end = tables.entityFirstForm[entity + 1] as number;
    for (let form = tables.entityFirstForm[entity] as number; form < end; form++) {
      entityOf[form] = entity;
      keys[form] = base + (signs.length[form] as number);
    }
  }
  const forms = groupPairs(
    keys,
    entityOf.map((_, form) => form),
  ).values;
  const counts = new Uint32Array(SWEEP_GROUPS * SWEEP_LENGTHS);
  for (const key of keys) counts[key] = (counts[key] as number) + 1;
  return {
    sweepStart: runningSum(counts),
    sweepEntity: forms.map((form) => entityOf[form] as number),
    sweepOnce: Int32Array.from(forms, (form) => signs.once[form] as number),
    sweepTwice: Int32Array.from(forms, (form) => signs.twice[form] as number),
    sweepHeads: forms.map((form) => heads[form] as number),
  };
}

/**
 * All lookup sections for these tables. Lists of more than SWEEP_FORMS_MAX forms are not swept:
 * their `sweep*` sections and `uncodedEntity` are empty.
 */
export function buildLookups(tables: Tables): Lookups {
  const isSwept = tables.formFirstToken.length - 1 <= SWEEP_FORMS_MAX;
  return {
    ...tokenPostings(tables),
    ...letterSections(tables),
    ...nations(tables),
    ...wholeNames(tables),
    ...dates(tables),
    ...identifiers(tables),
    ...(isSwept ? { uncodedEntity: uncoded(tables), ...sweep(tables) } : nothingSwept()),
  };
}
