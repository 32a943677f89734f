/**
 * The lookups of a snapshot, made from its tables: token, phonetic code, deletion neighbourhood,
 * joined name, date, year, nationality → entities or forms, and the forms by length for the sweep.
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import { integers, words } from './growingArray.ts';
import { NAME_UNITS_MAX } from './jaroWinkler.ts';
import { hashText, initialKey, TOKEN_KIND } from './phonetic.ts';
import { ENTITY_PRIMARY_CODED, FORM_CODED, type Snapshot } from './snapshotFormat.ts';
import { sortPairs } from './sortedPairs.ts';

type LookupName =
  | 'tokenFirstPosting'
  | 'tokenPosting'
  | `code${'Key' | 'FirstForm' | 'Form'}`
  | `deletion${'Key' | 'Token'}`
  | `${'joined' | 'date' | 'year' | 'nation'}${'Key' | 'Entity'}`
  | 'uncodedEntity'
  | `sweep${'Start' | 'Form' | 'Once' | 'Twice'}`;
type Lookups = Pick<Snapshot, LookupName>;
type Tables = Omit<Snapshot, LookupName>;

/** Shorter tokens have neighbours everywhere; longer ones are reached by their whole names. */
export const DELETION_UNITS_MIN = 4;
/** Longer tokens would cost more keys than they are worth. */
export const DELETION_UNITS_MAX = 16;
/** A published range longer than this is no date of birth. */
const YEARS_MAX = 150;

/** FNV-1a of units[start..end) without the one at `skip`; equal to hashText of that text. */
export function hashWithout(units: Uint16Array, start: number, end: number, skip: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) {
    if (at !== skip) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  }
  return hash === 0 ? 1 : hash >>> 0;
}

function tokenPostings(tables: Tables): Pick<Lookups, 'tokenFirstPosting' | 'tokenPosting'> {
  const keys = words();
  const entities = words();
  for (let form = 0; form < tables.formEntity.length; form++) {
    const end = tables.formFirstToken[form + 1] ?? 0;
    for (let at = tables.formFirstToken[form] ?? 0; at < end; at++) {
      keys.push(tables.formToken[at] ?? 0);
      entities.push(tables.formEntity[form] ?? 0);
    }
  }
  const pairs = sortPairs(keys.view(), entities.view());
  const first = new Uint32Array(tables.tokenHash.length + 1);
  for (const key of pairs.keys) first[key + 1] = (first[key + 1] ?? 0) + 1;
  for (let at = 1; at < first.length; at++) first[at] = (first[at] ?? 0) + (first[at - 1] ?? 0);
  return { tokenFirstPosting: first, tokenPosting: pairs.values };
}

/** Codes that a token is found by; a person's initial is found by its letter. */
function codesOf(tables: Tables, token: number, isPerson: boolean): number[] {
  const kind = tables.tokenKind[token];
  if (kind === TOKEN_KIND.initial) {
    if (!isPerson) return [];
    return [initialKey(tables.tokenUnits[tables.tokenStart[token] ?? 0] ?? 0)];
  }
  if (kind !== TOKEN_KIND.coded) return [];
  return [tables.tokenPrimary[token] ?? 0, tables.tokenAlternate[token] ?? 0];
}

function codePostings(tables: Tables): Pick<Lookups, 'codeKey' | 'codeFirstForm' | 'codeForm'> {
  const keys = words();
  const forms = words();
  for (let form = 0; form < tables.formEntity.length; form++) {
    if (((tables.formFlags[form] ?? 0) & FORM_CODED) === 0) continue;
    const isPerson = tables.entitySchema[tables.formEntity[form] ?? 0] === SCHEMA_CODE.Person;
    const end = tables.formFirstToken[form + 1] ?? 0;
    for (let at = tables.formFirstToken[form] ?? 0; at < end; at++) {
      for (const code of codesOf(tables, tables.formToken[at] ?? 0, isPerson)) {
        if (code === 0) continue;
        keys.push(code);
        forms.push(form);
      }
    }
  }
  const pairs = sortPairs(keys.view(), forms.view());
  const codes = words();
  const first = words();
  pairs.keys.forEach((key, at) => {
    if (at > 0 && key === pairs.keys[at - 1]) return;
    codes.push(key);
    first.push(at);
  });
  first.push(pairs.keys.length);
  return { codeKey: codes.view(), codeFirstForm: first.view(), codeForm: pairs.values };
}

function deletions(tables: Tables): Pick<Lookups, 'deletionKey' | 'deletionToken'> {
  const keys = words();
  const tokens = words();
  for (let token = 0; token < tables.tokenHash.length; token++) {
    const start = tables.tokenStart[token] ?? 0;
    const end = tables.tokenStart[token + 1] ?? 0;
    if (end - start < DELETION_UNITS_MIN || end - start > DELETION_UNITS_MAX) continue;
    keys.push(tables.tokenHash[token] ?? 0);
    tokens.push(token);
    for (let skip = start; skip < end; skip++) {
      keys.push(hashWithout(tables.tokenUnits, start, end, skip));
      tokens.push(token);
    }
  }
  const pairs = sortPairs(keys.view(), tokens.view());
  return { deletionKey: Uint32Array.from(pairs.keys), deletionToken: pairs.values };
}

/** Whole names without their spaces, in natural and in sorted order. */
function joinedNames(tables: Tables): Pick<Lookups, 'joinedKey' | 'joinedEntity'> {
  const keys = words();
  const entities = words();
  for (let form = 0; form < tables.formEntity.length; form++) {
    const length = tables.formLength[form] ?? 0;
    for (const start of [tables.formNatural[form] ?? 0, tables.formSorted[form] ?? 0]) {
      const text = String.fromCharCode(...tables.units.subarray(start, start + length));
      keys.push(hashText(text.replaceAll(' ', '')));
      entities.push(tables.formEntity[form] ?? 0);
    }
  }
  const pairs = sortPairs(keys.view(), entities.view());
  return { joinedKey: Uint32Array.from(pairs.keys), joinedEntity: pairs.values };
}

function dates(tables: Tables): Pick<Lookups, `${'date' | 'year'}${'Key' | 'Entity'}`> {
  const dateKeys = integers();
  const dateEntities = words();
  const yearKeys = integers();
  const yearEntities = words();
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = tables.entityFirstDate[entity + 1] ?? 0;
    for (let at = tables.entityFirstDate[entity] ?? 0; at < end; at++) {
      const from = tables.dateFrom[at] ?? 0;
      const to = tables.dateTo[at] ?? 0;
      if (from === to && from % 100 !== 0) {
        dateKeys.push(from);
        dateEntities.push(entity);
      }
      const first = Math.floor(from / 10_000);
      const last = Math.min(Math.floor(to / 10_000), first + YEARS_MAX);
      for (let year = first; year <= last; year++) {
        yearKeys.push(year);
        yearEntities.push(entity);
      }
    }
  }
  const byDate = sortPairs(dateKeys.view(), dateEntities.view());
  const byYear = sortPairs(yearKeys.view(), yearEntities.view());
  return {
    dateKey: Int32Array.from(byDate.keys),
    dateEntity: byDate.values,
    yearKey: Int32Array.from(byYear.keys),
    yearEntity: byYear.values,
  };
}

function nations(tables: Tables): Pick<Lookups, 'nationKey' | 'nationEntity'> {
  const entities = words();
  for (let entity = 0; entity < tables.entitySchema.length; entity++) {
    const end = tables.entityFirstNation[entity + 1] ?? 0;
    for (let at = tables.entityFirstNation[entity] ?? 0; at < end; at++) entities.push(entity);
  }
  const pairs = sortPairs(tables.nationCode, entities.view());
  return { nationKey: Int32Array.from(pairs.keys), nationEntity: pairs.values };
}

function sweep(tables: Tables): Pick<Lookups, `sweep${'Start' | 'Form' | 'Once' | 'Twice'}`> {
  const forms = Uint32Array.from(tables.formLength, (_, form) => form);
  const pairs = sortPairs(tables.formLength, forms);
  const sweepStart = new Uint32Array(NAME_UNITS_MAX + 2);
  for (const length of pairs.keys) sweepStart[length + 1] = (sweepStart[length + 1] ?? 0) + 1;
  for (let at = 1; at < sweepStart.length; at++) {
    sweepStart[at] = (sweepStart[at] ?? 0) + (sweepStart[at - 1] ?? 0);
  }
  return {
    sweepStart,
    sweepForm: pairs.values,
    sweepOnce: Int32Array.from(pairs.values, (form) => tables.formOnce[form] ?? 0),
    sweepTwice: Int32Array.from(pairs.values, (form) => tables.formTwice[form] ?? 0),
  };
}

function uncoded(tables: Tables): Pick<Lookups, 'uncodedEntity'> {
  const entities = words();
  tables.entityFlags.forEach((flags, entity) => {
    if ((flags & ENTITY_PRIMARY_CODED) === 0) entities.push(entity);
  });
  return { uncodedEntity: entities.view() };
}

/** All lookup sections for these tables. */
export function buildLookups(tables: Tables): Lookups {
  return {
    ...tokenPostings(tables),
    ...codePostings(tables),
    ...deletions(tables),
    ...joinedNames(tables),
    ...dates(tables),
    ...nations(tables),
    ...sweep(tables),
    ...uncoded(tables),
  };
}
