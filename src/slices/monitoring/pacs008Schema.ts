/**
 * The schemas of pacs.008.001.01 to .13, as one table that was made from the published XSDs
 * (scripts/makePacs008Schema.ts): which elements stand where, how often, and what their text is.
 */
import table from '../../../config/tables/pacs008.json' with { type: 'json' };
import { isDate, readInstant } from './instants.ts';

/** A place in a content model: it takes elements of these names, so many times. */
export interface SchemaPlace {
  readonly least: number;
  readonly most: number;
  readonly names: ReadonlyMap<string, SchemaType>;
  /** How often each, where one name takes the whole place. */
  readonly repeats?: ReadonlyMap<string, number>;
}

/** What an element holds: elements, or a text, which may have one attribute. */
export interface SchemaType {
  /** Undefined for a text; `any` takes elements of whatever name. */
  readonly places?: readonly SchemaPlace[] | 'any';
  readonly text?: TextRule;
  readonly attribute?: { readonly name: string; readonly rule: TextRule };
}

/** Why a text is wrong: what was expected instead. */
export type TextRule = (text: string) => string | undefined;

/** Versions that are known, `01` to `13`. */
export const VERSIONS: readonly string[] = Object.keys(table.roots).sort();

type Packed = {
  readonly is?: string;
  readonly codes?: readonly string[];
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  readonly digits?: number;
  readonly fraction?: number;
  readonly least?: number;
  readonly text?: number;
  readonly attribute?: string;
  readonly of?: number;
  readonly places?: readonly PackedPlace[];
};
type PackedPlace = readonly [
  least: number,
  most: number,
  names: '*' | Readonly<Record<string, number>>,
  repeats?: Readonly<Record<string, number>>,
];

const PACKED = table.types as unknown as readonly Packed[];
/** Patterns of the schemas, compiled: whole texts, as XML Schema has it. */
const FORMS: ReadonlyMap<string, RegExp> = new Map(
  PACKED.flatMap(({ pattern }) =>
    pattern === undefined ? [] : [[pattern, new RegExp(`^(?:${pattern})$`)]],
  ),
);
const made = new Map<number, SchemaType>();
const rules = new Map<number, TextRule>();

/** The type of `Document` in this version; undefined for a version that is not known. */
export function documentType(version: string): SchemaType | undefined {
  const roots: Readonly<Record<string, number>> = table.roots;
  const root = Object.hasOwn(roots, version) ? roots[version] : undefined;
  return root === undefined ? undefined : typeAt(root);
}

function typeAt(place: number): SchemaType {
  const known = made.get(place);
  if (known !== undefined) return known;
  const type = unpacked(PACKED[place] ?? {}, place);
  made.set(place, type);
  return type;
}

function unpacked(packed: Packed, place: number): SchemaType {
  if (packed.places !== undefined) return { places: placesOf(packed.places) };
  if (packed.attribute === undefined) return { text: ruleAt(place) };
  const rule = ruleAt(packed.of ?? 0);
  return { attribute: { name: packed.attribute, rule }, text: ruleAt(packed.text ?? 0) };
}

function placesOf(packed: readonly PackedPlace[]): readonly SchemaPlace[] | 'any' {
  if (packed.some(([, , names]) => names === '*')) return 'any';
  return packed.map(([least, most, names, repeats]) => ({
    least,
    most: most === 0 ? Number.POSITIVE_INFINITY : most,
    names: new Map(Object.entries(names).map(([name, type]) => [name, typeAt(Number(type))])),
    ...(repeats && {
      repeats: new Map(
        Object.entries(repeats).map(([name, many]) => [
          name,
          many === 0 ? Number.POSITIVE_INFINITY : many,
        ]),
      ),
    }),
  }));
}

function ruleAt(place: number): TextRule {
  const known = rules.get(place);
  if (known !== undefined) return known;
  const rule = ruleOf(PACKED[place] ?? {});
  rules.set(place, rule);
  return rule;
}

const DECIMAL = /^[+-]?(\d*)(?:\.(\d*))?$/;
const TIME = /^\d{2}:[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d{2}:[0-5]\d)?$/;
const BASE64 = /^[A-Za-z0-9+/= \n\r\t]*$/;
/** A zone may follow a date of XML; it says nothing that a payment needs. */
const DATE_ZONE = /(?:Z|[+-]\d{2}:\d{2})$/;
const BOOLEANS: ReadonlySet<string> = new Set(['true', 'false', '1', '0']);

function ruleOf(packed: Packed): TextRule {
  switch (packed.is) {
    case 'decimal':
      return decimalRule(packed);
    case 'date':
      return (text) => (isDate(text.replace(DATE_ZONE, '')) ? undefined : 'a date, YYYY-MM-DD');
    case 'dateTime':
      return (text) =>
        readInstant(text, 'UTC')?.precision === 'ms' ? undefined : 'a date and time';
    case 'time':
      return (text) => (TIME.test(text) ? undefined : 'a time, hh:mm:ss');
    case 'gYear':
      return (text) => (/^\d{4}$/.test(text) ? undefined : 'a year of four digits');
    case 'boolean':
      return (text) => (BOOLEANS.has(text) ? undefined : '`true` or `false`');
    case 'base64Binary':
      return (text) => (BASE64.test(text) ? undefined : 'base64');
    default:
      return stringRule(packed);
  }
}

function stringRule({ codes, max = Number.POSITIVE_INFINITY, min = 0, pattern }: Packed): TextRule {
  if (codes !== undefined) {
    const known = new Set(codes);
    const expected = `one of ${codes.slice(0, 10).join(', ')}`;
    return (text) => (known.has(text) ? undefined : expected);
  }
  const form = FORMS.get(pattern ?? '');
  if (form !== undefined) {
    return (text) => (form.test(text) ? undefined : `a text of the form ${pattern}`);
  }
  return (text) => {
    // Code points, as XML counts; only a text that is too long in UTF-16 has to be counted.
    const length = text.length > max ? [...text.slice(0, 2 * max + 2)].length : text.length;
    return length >= min && length <= max ? undefined : `a text of ${min} to ${max} characters`;
  };
}

/** A fraction without the zeros at its end. */
export function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  return fraction.slice(0, end);
}

function decimalRule({ digits = 18, fraction = 17, least }: Packed): TextRule {
  const expected = `a decimal number of at most ${digits} digits, ${fraction} after the point`;
  return (text) => {
    const [matched, whole = '', part = ''] = DECIMAL.exec(text) ?? [];
    if (matched === undefined || (whole === '' && part === '')) return expected;
    const kept = withoutZeros(part).length;
    if (kept > fraction || whole.replace(/^0+/, '').length + kept > digits) return expected;
    return least !== undefined && text.startsWith('-')
      ? `${expected}, not below ${least}`
      : undefined;
  };
}
