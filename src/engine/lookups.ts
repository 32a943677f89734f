/**
 * The lookups of a snapshot, made from its tables: token, whole name, date, year, nationality →
 * entities, and on lists that are swept the forms by length.
 */
import { words } from './growingArray.ts';
import { NAME_UNITS_MAX } from './limits.ts';
import { LENGTH_BITS } from './native/votes.ts';
import { letterHash, spread } from './native/wholeNames.ts';
import { ENTITY_PRIMARY_CODED, type Snapshot, SWEEP_FORMS_MAX } from './snapshotFormat.ts';
import { groupPairs } from './sortedPairs.ts';

type LookupName =
  | `token${'FirstPosting' | 'Posting'}`
  | `letters${'First' | 'Entry'}`
  | `${'date' | 'year' | 'nation'}${'Key' | 'First' | 'Entity'}`
  | 'uncodedEntity'
  | `sweep${'Start' | 'Entity' | 'Once' | 'Twice'}`;
type Lookups = Pick<Snapshot, LookupName>;
type Tables = Omit<Snapshot, LookupName | 'formFacts'>;

/** A published range longer than this is no date of birth. */
const YEARS_MAX = 150;
const SPACE_BIT = 1 << 26;
/** Whole names that share a place of the directory, about. */
const LETTERS_PER_PLACE_BITS = 4;

/** Characters of a form. */
function lengthOf(tables: Tables, form: number): number {
  const start = tables.formFirstToken[form] as number;
  const end = tables.formFirstToken[form + 1] as number;
  let length = end - start - 1;
  for (let at = start; at < end; at++) {
    const token = tables.formToken[at] as number;
    length += (tables.tokenStart[token + 1] as number) - (tables.tokenStart[token] as number);
  }
  return length;
}

/**
 * Calls `visit` with each token of each form of each entity in turn; `repeated`: the entity had it
 * in what came before.
 */
function eachToken(
  tables: Tables,
  visit: (at: { token: number; entity: number; length: number; repeated: boolean }) => void,
): void {
  const { entityFirstForm, formFirstToken, formToken } = tables;
  const last = new Uint32Array(tables.tokenKind.length);
  const at = { token: 0, entity: 0, length: 0, repeated: false };
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      at.entity = entity;
      at.length = lengthOf(tables, form);
      const stop = formFirstToken[form + 1] as number;
      for (let place = formFirstToken[form] as number; place < stop; place++) {
        at.token = formToken[place] as number;
        at.repeated = last[at.token] === entity + 1;
        last[at.token] = entity + 1;
        visit(at);
      }
    }
  }
}

/**
 * Entities by token: counted, then laid out; each is there once, however often it has one, with the
 * length of its shortest form that does.
 */
function tokenPostings(tables: Tables): Pick<Lookups, 'tokenFirstPosting' | 'tokenPosting'> {
  const tokens = tables.tokenKind.length;
  const first = new Uint32Array(tokens + 1);
  eachToken(tables, ({ token, repeated }) => {
    if (!repeated) first[token + 1] = (first[token + 1] as number) + 1;
  });
  for (let at = 1; at < first.length; at++) {
    first[at] = (first[at] as number) + (first[at - 1] as number);
  }
  const posting = new Uint32Array(first[tokens] as number);
  const next = first.slice();
  eachToken(tables, ({ token, entity, length, repeated }) => {
    const own = (entity << LENGTH_BITS) | Math.min(length, (1 << LENGTH_BITS) - 1);
    const place = next[token] as number;
    if (repeated) {
      posting[place - 1] = Math.min(posting[place - 1] as number, own >>> 0);
    } else {
      posting[place] = own;
      next[token] = place + 1;
    }
  });
  return { tokenFirstPosting: first, tokenPosting: posting };
}

/** Sum of what the letters of a token hash to. */
function lettersOfTokens(tables: Tables): Int32Array {
  return Int32Array.from(tables.tokenKind, (_, token) => {
    let sum = 0;
    const end = tables.tokenStart[token + 1] as number;
    for (let at = tables.tokenStart[token] as number; at < end; at++) {
      sum = (sum + letterHash(tables.tokenUnits[at] as number)) | 0;
    }
    return sum;
  });
}

/** Bits that numbers below `count` need, at least one. */
export function bitsFor(count: number): number {
  return Math.max(1, 32 - Math.clz32(Math.max(0, count - 1)));
}

function wholeNames(tables: Tables): Pick<Lookups, 'lettersFirst' | 'lettersEntry'> {
  const ofToken = lettersOfTokens(tables);
  const { entityFirstForm, formFirstToken, formToken } = tables;
  const entities = tables.entitySchema.length;
  const forms = formFirstToken.length - 1;
  const entityBits = bitsFor(entities);
  const bits = Math.max(1, bitsFor(forms) - LETTERS_PER_PLACE_BITS);
  const keys = new Uint32Array(forms);
  const entries = new Uint32Array(forms);
  for (let entity = 0; entity < entities; entity++) {
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      let sum = 0;
      const stop = formFirstToken[form + 1] as number;
      for (let at = formFirstToken[form] as number; at < stop; at++) {
        sum = (sum + (ofToken[formToken[at] as number] as number)) | 0;
      }
      const key = spread(sum);
      keys[form] = key >>> (32 - bits);
      entries[form] = (key << entityBits) | entity;
    }
  }
  const first = new Uint32Array((1 << bits) + 1);
  const groups = groupPairs(keys, entries);
  groups.keys.forEach((key, at) => {
    first[key + 1] = (groups.first[at + 1] as number) - (groups.first[at] as number);
  });
  for (let at = 1; at < first.length; at++) {
    first[at] = (first[at] as number) + (first[at - 1] as number);
  }
  return { lettersFirst: first, lettersEntry: groups.values };
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

type SweptName = `nation${'Key' | 'First' | 'Entity'}` | 'uncodedEntity' | `sweep${string}`;
type Swept = Pick<Lookups, Extract<LookupName, SweptName>>;

function nothingSwept(): Swept {
  return {
    nationKey: new Uint32Array(),
    nationFirst: new Uint32Array(),
    nationEntity: new Uint32Array(),
    uncodedEntity: new Uint32Array(),
    sweepStart: new Uint32Array(),
    sweepEntity: new Uint32Array(),
    sweepOnce: new Int32Array(),
    sweepTwice: new Int32Array(),
  };
}

function nations(tables: Tables): Pick<Swept, `nation${'Key' | 'First' | 'Entity'}`> {
  const entities = words();
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = tables.entityFirstNation[entity + 1] as number;
    for (let at = tables.entityFirstNation[entity] as number; at < end; at++) entities.push(entity);
  }
  const groups = groupPairs(Uint32Array.from(tables.nationCode), entities.view());
  return { nationKey: groups.keys, nationFirst: groups.first, nationEntity: groups.values };
}

function uncoded(tables: Tables): Uint32Array {
  const entities = words();
  tables.entityFlags.forEach((flags, entity) => {
    if ((flags & ENTITY_PRIMARY_CODED) === 0) entities.push(entity);
  });
  return entities.view();
}

/** Length and letters of a form, from those of its tokens. */
function signOf(tables: Tables, form: number): { length: number; once: number; twice: number } {
  const start = tables.formFirstToken[form] as number;
  const end = tables.formFirstToken[form + 1] as number;
  let length = end - start - 1;
  let once = end - start > 1 ? SPACE_BIT : 0;
  let twice = end - start > 2 ? SPACE_BIT : 0;
  for (let at = start; at < end; at++) {
    const token = tables.formToken[at] as number;
    length += (tables.tokenStart[token + 1] as number) - (tables.tokenStart[token] as number);
    const own = tables.tokenOnce[token] as number;
    twice |= (tables.tokenTwice[token] as number) | (once & own);
    once |= own;
  }
  return { length, once, twice };
}

function sweep(tables: Tables): Pick<Swept, `sweep${'Start' | 'Entity' | 'Once' | 'Twice'}`> {
  const count = tables.formFirstToken.length - 1;
  const signs = Array.from({ length: count }, (_, form) => signOf(tables, form));
  const entityOf = new Uint32Array(count);
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    entityOf.fill(entity, tables.entityFirstForm[entity], tables.entityFirstForm[entity + 1]);
  }
  const forms = groupPairs(
    Uint32Array.from(signs, ({ length }) => length),
    Uint32Array.from(signs, (_, form) => form),
  ).values;
  const sweepStart = new Uint32Array(NAME_UNITS_MAX + 2);
  for (const { length } of signs) sweepStart[length + 1] = (sweepStart[length + 1] as number) + 1;
  for (let at = 1; at < sweepStart.length; at++) {
    sweepStart[at] = (sweepStart[at] as number) + (sweepStart[at - 1] as number);
  }
  return {
    sweepStart,
    sweepEntity: Uint32Array.from(forms, (form) => entityOf[form] as number),
    sweepOnce: Int32Array.from(forms, (form) => signs[form]?.once ?? 0),
    sweepTwice: Int32Array.from(forms, (form) => signs[form]?.twice ?? 0),
  };
}

/** All lookup sections for these tables. */
export function buildLookups(tables: Tables): Lookups {
  const isSwept = tables.formFirstToken.length - 1 <= SWEEP_FORMS_MAX;
  return {
    ...tokenPostings(tables),
    ...wholeNames(tables),
    ...dates(tables),
    ...(isSwept
      ? { ...nations(tables), uncodedEntity: uncoded(tables), ...sweep(tables) }
      : nothingSwept()),
  };
}
