/**
 * Records made from a table's declaration: the n-th of a tenant, with key, indexed fields, version,
 * and values that the derived fields are taken of. The same n makes the same record.
 */
import {
  type AnyTable,
  type PlainSpec,
  plainTable,
  type Scalar,
  type Table,
  writesOf,
} from '#core/kernel';
import type { PlainRecord } from '../modelRows.ts';

/** A table whatever its records are, with the methods that make changes. */
export type LooseTable = Table<PlainRecord, string>;

/** Values that a field has by turns, or of what type they are. */
type FieldKind = 'text' | 'integer' | 'boolean' | readonly Scalar[];

export interface CaseOptions {
  /** Members that every record has, beside those that the declaration names. */
  readonly base?: (n: number) => PlainRecord;
  /** Kinds of fields that neither the declaration nor their names tell. */
  readonly fields?: Readonly<Record<string, FieldKind>>;
  /** Fields that every fifth record lacks, each another fifth. */
  readonly optional?: readonly string[];
  /** Members that end a record, where a value outside of `open` does not. */
  readonly end?: PlainRecord;
}

export interface TableCase extends CaseOptions {
  readonly name: string;
  readonly table: LooseTable;
  readonly spec: PlainSpec;
}

/** Whose records: `salt` keeps those of one test apart from another's in tables without tenants. */
export interface SampleOf {
  readonly tenant: string;
  readonly salt: string;
}

export function tableCase(table: AnyTable, options: CaseOptions = {}): TableCase {
  const { name, spec } = plainTable(table);
  return { name, spec, table: table as unknown as LooseTable, ...options };
}

/** By UTF-16 units the face would stand before the sign that stands for no character. */
const TEXTS = ['a', 'a/', 'a0', '', 'é', '\uFFFD', '\u{1F600}', 'Z', '\u0000'];

/** Keys of tables from before declarations, some of which are joined by a slash. */
const OLD_TEXTS = TEXTS.filter((text) => /^[^/\0]+$/.test(text));

export function sampleRecord(of: TableCase, n: number, sample: SampleOf): PlainRecord {
  const { optional = [], spec } = of;
  const record: Record<string, unknown> = { ...of.base?.(n) };
  for (const field of indexedFields(spec)) {
    const isLacked = optional.includes(field) && (n + optional.indexOf(field)) % 5 === 4;
    if (!isLacked && !isOpenByAbsence(spec, field))
      record[field] = sampleValue(of, field, n, sample);
  }
  for (const field of distinct(of)) {
    if (field in record) record[field] = keyValue(of, field, n, sample);
  }
  Object.assign(record, sampleKey(of, n, sample), identity(spec, sample.tenant));
  if (writesOf(spec) === 'versioned') record.version = 1;
  return record;
}

/** The members of the n-th record's key, and whose it is. */
export function sampleKey(of: TableCase, n: number, sample: SampleOf): Record<string, Scalar> {
  const { key } = of.spec;
  const own = key.filter((field) => field !== of.spec.chain);
  const values = own.map((field, index) => {
    // Several members: the first ones are shared by three records each.
    const isLast = index === own.length - 1;
    return [field, keyValue(of, field, isLast ? n : Math.floor(n / 3), sample)] as const;
  });
  const chain = key.includes(of.spec.chain) ? { [of.spec.chain]: sample.tenant } : {};
  return { ...Object.fromEntries(values), ...chain };
}

/** The record in its next version, in all but its key and owner like the n-th. */
export function sampleNext(
  of: TableCase,
  record: PlainRecord,
  n: number,
  sample: SampleOf,
): PlainRecord {
  const { chain, key, owner = chain } = of.spec;
  const kept = [...key, chain, owner].filter((field) => field in record);
  return {
    ...sampleRecord(of, n, sample),
    ...Object.fromEntries(kept.map((field) => [field, record[field]])),
    ...nextVersion(of, record),
  };
}

/** The record ended, in its next version. */
export function sampleEnd(of: TableCase, record: PlainRecord): PlainRecord {
  const { derived = {}, open = '' } = of.spec;
  const declared = derived[open];
  const end = of.end ?? { [declared?.field ?? '']: declared?.absent ? 9_000 : outsideOf(of, open) };
  return { ...record, ...end, ...nextVersion(of, record) };
}

const nextVersion = ({ spec }: TableCase, { version }: PlainRecord): PlainRecord =>
  writesOf(spec) === 'versioned' ? { version: Number(version) + 1 } : {};

function outsideOf(of: TableCase, name: string): Scalar | undefined {
  const { field, in: values = [] } = of.spec.derived?.[name] ?? { field: '' };
  const kind = kindOf(of, field);
  return typeof kind === 'string' ? 'ended' : kind.find((value) => !values.includes(value));
}

/** Fields of which no two records share a value, lest they be refused as not unique. */
function distinct({ spec }: TableCase): string[] {
  const { chain, derived = {}, key, owner, unique = {} } = spec;
  const known = [...key, chain, owner, ...Object.keys(derived)];
  return Object.values(unique).flatMap((fields) =>
    fields.filter((field) => !known.includes(field)),
  );
}

function indexedFields(spec: PlainSpec): string[] {
  const { derived = {}, indexes = {}, kept, leased, stamp, unique = {} } = spec;
  const named = [
    ...Object.values(indexes).flat(),
    ...Object.values(unique).flat(),
    ...(leased?.lane ?? []),
    ...(leased?.order ?? []),
    ...(leased?.due === undefined ? [] : [leased.due]),
    ...(kept === undefined ? [] : [kept.from]),
    ...(stamp?.fields ?? []),
  ];
  const sources = Object.values(derived).map(({ field }) => field);
  const all = [...named.filter((field) => !(field in derived)), ...sources];
  return [...new Set(all)];
}

function isOpenByAbsence({ derived = {}, open = '' }: PlainSpec, field: string): boolean {
  return derived[open]?.absent === true && derived[open].field === field;
}

function sampleValue(of: TableCase, field: string, n: number, { salt }: SampleOf): Scalar {
  const kind = kindOf(of, field);
  if (kind === 'boolean') return n % 2 === 0;
  if (kind === 'integer') return 1_000 + ((n * 7) % 5);
  if (kind === 'text') return TEXTS[n % TEXTS.length] ?? '';
  const { derived = {}, open = '' } = of.spec;
  const whileOpen = derived[open]?.field === field ? (derived[open].in ?? kind) : kind;
  return whileOpen[n % whileOpen.length] ?? salt;
}

function keyValue(of: TableCase, field: string, n: number, { salt }: SampleOf): Scalar {
  if (kindOf(of, field) === 'integer') return Number(salt) * 1_000 + n;
  const texts = of.spec.stored === undefined ? TEXTS : OLD_TEXTS;
  return `${texts[n % texts.length]}${salt}.${n}`;
}

const identity = ({ chain, owner }: PlainSpec, tenant: string): PlainRecord => ({
  ...(chain !== 'platform' && chain !== 'any' && { [chain]: tenant }),
  ...(owner !== undefined && { [owner]: tenant }),
});

const INTEGER = /(At|No|Seq|Count|Total)$|^(at|no|ordinal|position|rank|seq|version)$/;

function kindOf({ fields = {}, spec }: TableCase, field: string): FieldKind {
  const given = fields[field];
  if (given !== undefined) return given;
  const inAny = Object.values(spec.derived ?? {}).flatMap((derived) =>
    derived.field === field ? (derived.in ?? []) : [],
  );
  if (inAny.length > 0) return [...new Set([...inAny, 'other'])];
  if (INTEGER.test(field) || field === spec.touch) return 'integer';
  if (/^(is|has)[A-Z]/.test(field)) return 'boolean';
  return 'text';
}
