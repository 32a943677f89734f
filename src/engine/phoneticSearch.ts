/**
 * All entities whose phoneticScore is 1: every token of one query name finds its sound in one and
 * the same name of the entity (decisions 2.5). Complete, not a guess: the postings of the query's
 * rarest coded token hold every such name, and each is checked token by token.
 *
 * In names of companies, vessels and the rest a legal form says nothing: the query's is not asked
 * for, the list's is heard by an equal word alone, and single letters are no initials there.
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import type { Deadline } from './deadline.ts';
import type { EntityMarks } from './entityMarks.ts';
import { initialKey, TOKEN_KIND } from './phonetic.ts';
import type { QueryName, QueryToken } from './preparedQuery.ts';
import { FORM_CODED, FORM_PRIMARY, type Snapshot } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';

const LETTER_A = 0x61;

/** Tokens of a query name, all and those beside its legal form. */
type Heard = Pick<QueryName, 'tokens' | 'coreTokens'>;

interface PostingSlice {
  readonly start: number;
  readonly end: number;
}

function slice(list: Snapshot, code: number): PostingSlice {
  const at = code === 0 ? list.codeKey.length : lowerBound(list.codeKey, code);
  if (at >= list.codeKey.length || list.codeKey[at] !== code) return { start: 0, end: 0 };
  return { start: list.codeFirstForm[at] ?? 0, end: list.codeFirstForm[at + 1] ?? 0 };
}

/**
 * How to search one name: postings that hold all its forms, and its tokens, the likeliest to be
 * missing first.
 */
interface Plan extends Heard {
  readonly slices: readonly PostingSlice[];
}

function planOf(list: Snapshot, name: QueryName): Plan {
  const ranked = name.coreTokens.map((token) => {
    if (token.kind !== TOKEN_KIND.coded) {
      return { token, slices: [], count: Number.POSITIVE_INFINITY };
    }
    // A list's initial is heard in every token with its letter.
    const initial = initialKey(token.text.charCodeAt(0));
    const slices = [token.primary, token.alternate, initial].map((code) => slice(list, code));
    return { token, slices, count: slices.reduce((sum, { start, end }) => sum + end - start, 0) };
  });
  ranked.sort((a, b) => a.count - b.count);
  const [rarest, ...others] = ranked;
  if (rarest === undefined) return { slices: [], tokens: [], coreTokens: [] };
  // What the postings stand for is heard almost always: it is asked last.
  const coreTokens = [...others, rarest].map(({ token }) => token);
  const legal = name.tokens.filter((token) => !coreTokens.includes(token));
  return { slices: rarest.slices, tokens: [...legal, ...coreTokens], coreTokens };
}

/** Same token of the dictionary, compared by hash and text. */
function isSameToken(list: Snapshot, token: number, query: QueryToken): boolean {
  if (list.tokenHash[token] !== query.hash) return false;
  const start = list.tokenStart[token] ?? 0;
  if ((list.tokenStart[token + 1] ?? 0) - start !== query.text.length) return false;
  for (let at = 0; at < query.text.length; at++) {
    if (list.tokenUnits[start + at] !== query.text.charCodeAt(at)) return false;
  }
  return true;
}

/** Whether a query token sounds like a token of the list that is no initial. */
function soundsAlike(list: Snapshot, token: number, query: QueryToken): boolean {
  const kind = list.tokenKind[token] ?? TOKEN_KIND.literal;
  if (query.kind === TOKEN_KIND.literal || kind === TOKEN_KIND.literal) {
    return isSameToken(list, token, query);
  }
  if (query.kind === TOKEN_KIND.initial) {
    return list.tokenUnits[list.tokenStart[token] ?? 0] === query.text.charCodeAt(0);
  }
  const primary = list.tokenPrimary[token] ?? 0;
  const alternate = list.tokenAlternate[token] ?? 0;
  if (primary === query.primary || primary === query.alternate) return true;
  return alternate !== 0 && (alternate === query.primary || alternate === query.alternate);
}

/** Initials of a form that are spent, by letter: one stands for one token of the query. */
const spentInitials = new Uint8Array(26);

/** Words first: they may be heard more than once, so what needs an initial is the same anyhow. */
function isTokenHeard(list: Snapshot, form: number, query: QueryToken): boolean {
  const start = list.formFirstToken[form] ?? 0;
  const end = list.formFirstToken[form + 1] ?? 0;
  const coreStart = list.formCoreStart[form] ?? 0;
  const coreEnd = list.formCoreEnd[form] ?? 0;
  const letter = query.text.charCodeAt(0);
  let initials = 0;
  for (let at = start; at < end; at++) {
    const token = list.formToken[at] ?? 0;
    if (list.tokenKind[token] === TOKEN_KIND.initial) {
      if (list.tokenUnits[list.tokenStart[token] ?? 0] === letter) initials += 1;
    } else if (at < coreStart || at >= coreEnd) {
      if (isSameToken(list, token, query)) return true;
    } else if (soundsAlike(list, token, query)) return true;
  }
  if (initials === 0 || query.kind === TOKEN_KIND.literal) return false;
  if (query.kind !== TOKEN_KIND.initial && !isPersonForm(list, form)) return false;
  const spent = spentInitials[letter - LETTER_A] ?? 0;
  spentInitials[letter - LETTER_A] = spent + 1;
  return spent < initials;
}

function isPersonForm(list: Snapshot, form: number): boolean {
  return list.entitySchema[list.formEntity[form] ?? 0] === SCHEMA_CODE.Person;
}

/** Every token of the query name that counts here is heard in this one form. */
function isHeardIn(list: Snapshot, form: number, name: Heard): boolean {
  spentInitials.fill(0);
  if (isPersonForm(list, form)) {
    return name.tokens.every((token) => isTokenHeard(list, form, token));
  }
  const { coreTokens } = name;
  // One word that is left of a name (`Maria SA`) must be all that the other is called, too.
  if (coreTokens.length === 1 && name.tokens.length > 1) {
    if ((list.formCoreEnd[form] ?? 0) - (list.formCoreStart[form] ?? 0) > 1) return false;
  }
  return coreTokens.every((token) => isTokenHeard(list, form, token));
}

/** Where found entities go, and which names count. */
interface PhoneticFinds {
  readonly marks: EntityMarks;
  readonly found: number[];
  /** Only primary names (the policy's phonetic_names "primary"). */
  readonly primaryOnly: boolean;
  readonly deadline: Deadline;
}

/** Marks every entity with phoneticScore 1 and appends it to `found`. */
export function searchPhonetic(
  list: Snapshot,
  names: readonly QueryName[],
  into: PhoneticFinds,
): void {
  for (const name of names) {
    if (!name.isCoded) continue;
    const plan = planOf(list, name);
    for (const { start, end } of plan.slices) {
      for (let at = start; at < end; at++) hear(list, list.codeForm[at] ?? 0, plan, into);
    }
  }
}

/** The same without postings, form by form: the truth that tests measure the search against. */
export function searchPhoneticExhaustively(
  list: Snapshot,
  names: readonly QueryName[],
  into: PhoneticFinds,
): void {
  for (const name of names) {
    if (!name.isCoded) continue;
    for (let form = 0; form < list.formEntity.length; form++) hear(list, form, name, into);
  }
}

function hear(list: Snapshot, form: number, name: Heard, into: PhoneticFinds): void {
  into.deadline.spend(1);
  const flags = into.primaryOnly ? FORM_CODED | FORM_PRIMARY : FORM_CODED;
  if (((list.formFlags[form] ?? 0) & flags) !== flags) return;
  const entity = list.formEntity[form] ?? 0;
  if (into.marks.has(entity) || !isHeardIn(list, form, name)) return;
  into.marks.add(entity);
  into.found.push(entity);
}
