/**
 * One subject of a batch, as it was sent. The columns of a CSV and the members in JSON have the
 * same names and the same rules (interface 2.3), written once, here.
 *
 * Values lose the white space around them and are otherwise kept; an empty value is absent. A value
 * that cannot be used for screening rejects its subject instead of being left out: a subject
 * screened without its date of birth would come out too clear. Lower-case country codes and any
 * case of the type are accepted, since their meaning is certain; gender may be any word, since one
 * that is not understood decides nothing, and is checked only for its length.
 */
import type { Violation } from '#core/kernel';
import { monthRangeFault, partialDateFault } from '#slices/screening';
import {
  isAttribute,
  REQUIRED_ATTRIBUTES,
  SUBJECT_ATTRIBUTES,
  type SubjectAttribute,
} from './attributes.ts';

/** Wire names, because it is stored as the snapshot of what was sent. */
export interface Subject {
  external_id: string;
  full_name: string;
  full_name_ar?: string;
  /** Further spellings, in JSON only: a cell holds one value. */
  full_name_transliterations?: readonly string[];
  first_name?: string;
  last_name?: string;
  /** YYYY-MM-DD, YYYY-MM or YYYY; years as QUERY_YEARS. */
  dob?: string;
  /** YYYY-MM:YYYY-MM, the first not after the last. */
  dob_range?: string;
  nationality?: string;
  country_residence?: string;
  type?: 'individual' | 'business';
  gender?: string;
  national_id?: string;
}

/** Alpha-2 codes in use: `UK` for `GB` would compare as another country. */
export type KnownCountries = Readonly<Record<string, unknown>>;

export const EXTERNAL_ID_CHARS_MAX = 128;
/** Characters of a subject's name, as in unit screening. */
export const SUBJECT_NAME_CHARS_MAX = 512;
export const NATIONAL_ID_CHARS_MAX = 128;
export const GENDER_CHARS_MAX = 32;
/** Transliterations of a subject, as in unit screening. */
export const SUBJECT_TRANSLITERATIONS_MAX = 20;
const TRANSLITERATIONS = 'full_name_transliterations';
/** Members in JSON; a CSV has the attributes as its columns. */
const MEMBERS = [...SUBJECT_ATTRIBUTES, TRANSLITERATIONS];

/** Limits of free text. */
const CHARS_MAX: Readonly<Partial<Record<SubjectAttribute, number>>> = {
  external_id: EXTERNAL_ID_CHARS_MAX,
  full_name: SUBJECT_NAME_CHARS_MAX,
  full_name_ar: SUBJECT_NAME_CHARS_MAX,
  first_name: SUBJECT_NAME_CHARS_MAX,
  last_name: SUBJECT_NAME_CHARS_MAX,
  gender: GENDER_CHARS_MAX,
  national_id: NATIONAL_ID_CHARS_MAX,
};

const COUNTRY = 'expected an ISO 3166-1 alpha-2 code in use';
const TYPE = 'expected individual or business';

/**
 * Control characters except tab, CR and LF, and the characters that reverse the order of text
 * (embeddings, overrides, isolates: Unicode TR 36). A reviewer would read another name than the one
 * that is screened. The three directional marks are allowed, because Arabic texts contain them.
 */
const UNREADABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/;

export const hasUnreadable = (text: string): boolean => UNREADABLE.test(text);

/**
 * Sets the attribute, or adds what is wrong with its value to `violations`. The value is trimmed
 * text.
 */
export function setAttribute(
  subject: Subject,
  name: SubjectAttribute,
  value: string,
  { countries, violations }: { countries: KnownCountries; violations: Violation[] },
): void {
  const charsMax = CHARS_MAX[name] ?? Number.POSITIVE_INFINITY;
  // Code points are counted only where there may be too many.
  if (value.length > charsMax && [...value].length > charsMax) {
    const detail = `${name}: expected at most ${charsMax} characters`;
    violations.push({ code: 'too-long', detail, pointer: `/${name}` });
    return;
  }
  const fault = setChecked(subject, name, value, countries);
  if (fault === undefined) return;
  const { code, detail } = fault;
  violations.push({ code, detail: `${name}: ${detail}`, pointer: `/${name}` });
}

/** Sets a checked attribute; answers what was expected where the value is wrong. */
function setChecked(
  subject: Subject,
  name: SubjectAttribute,
  value: string,
  countries: KnownCountries,
): Omit<Violation, 'pointer'> | undefined {
  switch (name) {
    case 'dob':
    case 'dob_range': {
      const fault = name === 'dob' ? partialDateFault(value) : monthRangeFault(value);
      if (fault === undefined) subject[name] = value;
      return fault;
    }
    case 'nationality':
    case 'country_residence': {
      const code = Object.hasOwn(countries, value) ? value : value.toUpperCase();
      if (!Object.hasOwn(countries, code)) return { code: 'format', detail: COUNTRY };
      subject[name] = code;
      return undefined;
    }
    case 'type': {
      const type = value.toLowerCase();
      if (type !== 'individual' && type !== 'business') return { code: 'format', detail: TYPE };
      subject.type = type;
      return undefined;
    }
    default:
      subject[name] = value;
      return undefined;
  }
}

/** A subject to fill. Its required members are empty until they are set. */
export const emptySubject = (): Subject => ({ external_id: '', full_name: '' });

/** Which required attributes are missing once all given ones were set. */
export function missingOf(subject: Subject, violations: readonly Violation[]): Violation[] {
  const isTold = (name: string) => violations.some(({ pointer }) => pointer === `/${name}`);
  return REQUIRED_ATTRIBUTES.filter((name) => subject[name] === '' && !isTold(name)).map(
    (name) => ({ code: 'missing', detail: `${name}: expected a value`, pointer: `/${name}` }),
  );
}

/** Reads a member of `subjects`: either all its violations or the subject. */
export function readSubject(
  value: unknown,
  countries: KnownCountries,
): { subject: Subject; violations?: undefined } | { violations: readonly Violation[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { violations: [{ code: 'type', detail: 'expected an object', pointer: '' }] };
  }
  const subject = emptySubject();
  const violations: Violation[] = [];
  for (const [name, given] of Object.entries(value)) {
    if (name === TRANSLITERATIONS) {
      violations.push(...setTransliterations(subject, given));
      continue;
    }
    const fault = memberFault(name, given);
    if (fault !== undefined) violations.push(fault);
    else if (isAttribute(name) && typeof given === 'string') {
      const trimmed = given.trim();
      if (trimmed !== '') setAttribute(subject, name, trimmed, { countries, violations });
    }
  }
  violations.push(...missingOf(subject, violations));
  return violations.length > 0 ? { violations } : { subject };
}

/** Sets the transliterations, or answers what is wrong with them. Empty ones are left out. */
function setTransliterations(subject: Subject, given: unknown): Violation[] {
  const pointer = `/${TRANSLITERATIONS}`;
  if (!Array.isArray(given)) return [{ code: 'type', detail: 'expected an array', pointer }];
  if (given.length > SUBJECT_TRANSLITERATIONS_MAX) {
    const detail = `expected at most ${SUBJECT_TRANSLITERATIONS_MAX} items`;
    return [{ code: 'too-long', detail, pointer }];
  }
  const violations = given.flatMap((text: unknown, at) => {
    const fault = spellingFault(text);
    return fault === undefined ? [] : [{ ...fault, pointer: `${pointer}/${at}` }];
  });
  const names = given.map((text) => String(text).trim()).filter((text) => text !== '');
  if (violations.length === 0 && names.length > 0) subject[TRANSLITERATIONS] = names;
  return violations;
}

function spellingFault(text: unknown): Omit<Violation, 'pointer'> | undefined {
  if (typeof text !== 'string') return { code: 'type', detail: 'expected a string' };
  if (hasUnreadable(text)) {
    const detail = 'expected no control characters, nor any that turn text around';
    return { code: 'format', detail };
  }
  if ([...text].length <= SUBJECT_NAME_CHARS_MAX) return undefined;
  return { code: 'too-long', detail: `expected at most ${SUBJECT_NAME_CHARS_MAX} characters` };
}

function memberFault(name: string, given: unknown): Violation | undefined {
  if (!isAttribute(name)) {
    const detail = `expected only ${MEMBERS.join(', ')}`;
    return { code: 'unknown-member', detail, pointer: `/${escapePointer(name)}` };
  }
  if (typeof given !== 'string') {
    return { code: 'type', detail: `${name}: expected a string`, pointer: `/${name}` };
  }
  if (!hasUnreadable(given)) return undefined;
  const detail = `${name}: expected no control characters, nor any that turn text around`;
  return { code: 'format', detail, pointer: `/${name}` };
}

/** Escapes a name (RFC 6901) and cuts it: a name as long as a body would make an answer as long. */
const escapePointer = (name: string): string =>
  name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');
