/**
 * The header of a CSV: names of attributes in any order, the required ones among them, each once.
 *
 * An unknown column refuses the file: `nationalty` would otherwise be ignored, and every subject be
 * screened without its nationality. Case and white space around a name do not count. A refusal says
 * what was expected and what was found, but never a value: a file without a header begins with a
 * person's name. So names are reported only from a line that has a known one.
 */
import { DomainError } from '#core/kernel';
import {
  isAttribute,
  REQUIRED_ATTRIBUTES,
  SUBJECT_ATTRIBUTES,
  type SubjectAttribute,
} from './attributes.ts';

const SEPARATORS: readonly (readonly [sign: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];
/** Form of an unknown column's name that may be reported. */
const NAME = /^[\w .-]{1,40}$/;
const UNKNOWN_TOLD = 10;
const REQUIRED = REQUIRED_ATTRIBUTES.join(' and ');
const OPTIONAL = SUBJECT_ATTRIBUTES.slice(REQUIRED_ATTRIBUTES.length).join(', ');
const EXPECTED = `expected the columns ${REQUIRED}, and any of ${OPTIONAL}`;

/** Attribute of each column; throws `csv-invalid`. */
export function readHeader(fields: readonly string[]): readonly SubjectAttribute[] {
  if (fields.some((field) => field.includes('\r'))) {
    throw refused('expected lines that end in LF or CRLF; found CR alone');
  }
  const names = fields.map(normalized);
  if (!names.some(isAttribute)) throw refused(`${EXPECTED}; found ${describeLine(fields)}`);
  const columns = names.filter(isAttribute);
  const faults = [...missingOf(columns), ...unknownOf(names)];
  if (faults.length > 0) throw refused(`${EXPECTED}; ${faults.join('; ')}`);
  const repeated = columns.find((name, at) => columns.indexOf(name) !== at);
  if (repeated !== undefined) throw refused(`expected each column once; found ${repeated} twice`);
  return columns;
}

function missingOf(columns: readonly SubjectAttribute[]): string[] {
  const missing = REQUIRED_ATTRIBUTES.filter((name) => !columns.includes(name));
  return missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`];
}

/** Unknown names with their places, as many as a person reads. */
function unknownOf(names: readonly string[]): string[] {
  const unknown = names.flatMap((name, at) =>
    isAttribute(name) ? [] : [`${describeName(name)} (column ${at + 1})`],
  );
  if (unknown.length === 0) return [];
  const more = unknown.length - UNKNOWN_TOLD;
  const told = unknown.slice(0, UNKNOWN_TOLD).join(', ');
  return [`unknown: ${told}${more > 0 ? ` and ${more} more` : ''}`];
}

const normalized = (name: string): string => name.trim().toLowerCase();

function describeName(name: string): string {
  if (name === '') return 'a name that is empty';
  return NAME.test(name) ? `'${name}'` : 'a name with other characters';
}

/** Describes a line without any known name: perhaps one in another dialect. */
function describeLine(fields: readonly string[]): string {
  const line = fields.join(',');
  for (const [sign, name] of SEPARATORS) {
    if (line.split(sign).some((part) => isAttribute(normalized(part.replaceAll('"', ''))))) {
      return `${name} between the columns, where commas are expected`;
    }
  }
  if (line.includes('\0')) return 'NUL bytes: no text, or not in UTF-8';
  return `a first line of ${fields.length} fields, none of which is the name of a column`;
}

export const refused = (detail: string): DomainError => new DomainError('csv-invalid', { detail });
