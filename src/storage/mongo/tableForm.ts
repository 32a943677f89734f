/**
 * How a record of a declared table lies in its collection:
 *
 *   _id        the key: integers padded, members joined so that it sorts as they do
 *   version    the record's; 1 where it has none, 2 once it has ended without one (`once`)
 *   <fields>   what indexes, lanes and rules name, by their own names; derived ones true or absent
 *   document   the evidence as JSON text: setting names hold dots, and numbers stay as they are
 *   work       members that are saved beside commits, each as JSON text, null where taken away
 *   leaseHolder leaseFence leaseBeat tries · no (place) · the touched member
 *   rev        grows with each put, so that a write applied late meets nothing it was made for
 *   isGone     removed where the server has no transactions; see tableWrites
 *   isBeside   inserted beside commits, on such a server
 *
 * Tables that are older than declarations deviate as their `stored` says. Their documents may hold
 * work members inside `document`, and lack what came later; every reader here allows for that.
 */
import assert from 'node:assert/strict';
import {
  type DerivedField,
  isDerived,
  type PlainSpec,
  type PlainTable,
  type Scalar,
  writesOf,
} from '#core/kernel';
import { readable } from '../readableRecord.ts';
import { assertKeyMember } from '../tableChange.ts';
import type { TableDocument } from './tableDocuments.ts';

/** A record of any type. */
export type PlainRecord = Readonly<Record<string, unknown>>;

/** A declaration, and the members that stand as fields of their own. */
export interface TableForm extends PlainTable {
  readonly columns: readonly string[];
  /** Derived members that something is found by. */
  readonly flags: readonly string[];
  readonly placeField: string;
}

const RESERVED: ReadonlySet<string> = new Set(
  ['_id', 'document', 'work', 'leaseHolder', 'leaseFence', 'leaseBeat', 'tries', 'rev'].concat(
    'isGone',
    'isBeside',
    'touches',
  ),
);
/** Versions of a record without one, while it may end and once it has. */
const UNENDED = 1;
const ENDED = 2;

/** Throws where a declared name is one that this adapter needs. */
export function tableForm({ name, spec }: PlainTable): TableForm {
  const { derived = {}, indexes = {}, kept, leased, open, owner, stored, unique = {} } = spec;
  const openSource = open === undefined ? undefined : derived[open];
  const named = [
    ...[...Object.values(indexes), ...Object.values(unique)].flat(),
    ...(leased === undefined ? [] : [...leased.lane, ...(leased.order ?? []), leased.due]),
    ...(openSource?.in === undefined ? [] : [openSource.field]),
    ...(spec.chain === 'any' || spec.chain === 'platform' ? [] : [spec.chain]),
    owner,
    kept?.from,
  ];
  const members = new Set(named.filter((member) => member !== undefined));
  const columns = [...members].filter((member) => !(member in derived) && member !== spec.touch);
  const isVersioned = writesOf(spec) === 'versioned';
  const held = [...members, kept?.unless, ...(isVersioned ? [open] : [])];
  const flags = Object.keys(derived).filter((member) => held.includes(member));
  const form = { columns, flags, name, placeField: stored?.place?.mongo ?? 'no', spec };
  const fields = [...columns, ...flags].map((member) => fieldOf(form, member));
  const placed = spec.isPlaced ? [form.placeField] : [];
  const all = [...fields, ...placed, ...(spec.touch === undefined ? [] : [spec.touch])];
  assert(new Set(all).size === all.length, `table ${name}: two fields of one name`);
  const taken = all.find((field) => RESERVED.has(field));
  assert(taken === undefined, `table ${name}: the field ${taken} is the store's own`);
  const isOfWork = Object.values(derived).some(({ field }) => spec.work?.includes(field));
  assert(!isOfWork, `table ${name}: no field is derived from a work field`);
  return form;
}

/** The document's field for a member. */
export const fieldOf = ({ spec }: Pick<TableForm, 'spec'>, member: string): string =>
  spec.stored?.mongoFields?.[member] ?? member;

const DIGITS = 12;
const DIGITS_MAX = 16;

/** Grows as text as the value grows; those of more than twelve digits come behind a colon. */
function integerText(value: number): string {
  const isLong = value >= 10 ** DIGITS;
  return isLong ? `:${`${value}`.padStart(DIGITS_MAX, '0')}` : `${value}`.padStart(DIGITS, '0');
}

const isSlashed = ({ spec }: TableForm): boolean => spec.stored?.mongoKey === 'slashed';

/** Lower than every character of an escaped member, so that a shorter text comes first. */
const separatorOf = (form: TableForm): string => (isSlashed(form) ? '/' : ' ');

/** A character up to `!` follows an escape, in its own order. */
const ESCAPED = /[^"-\u{10ffff}]/gu;
const escaped = (text: string): string =>
  text.replace(ESCAPED, (low) => `!${String.fromCharCode(low.charCodeAt(0) + 0x30)}`);

function memberText(form: TableForm, value: Scalar, isLast: boolean): string {
  if (typeof value === 'number') return integerText(value);
  return isLast || isSlashed(form) ? `${value}` : escaped(`${value}`);
}

/** Where ids begin whose first members are these; a whole key's own id. */
export function idPrefix(form: TableForm, values: readonly unknown[]): string {
  const { key } = form.spec;
  const texts = values.map((value, index) => {
    assertKeyMember(value, `table ${form.name}: key member ${key[index]}`);
    return memberText(form, value, index === key.length - 1);
  });
  const prefix = texts.join(separatorOf(form));
  const isWhole = values.length === 0 || values.length === key.length;
  return isWhole ? prefix : prefix + separatorOf(form);
}

/** A bound after all ids that begin with the prefix of some members. */
export const behindPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

/** The id of a record, or of a key. */
export const idOf = (form: TableForm, key: PlainRecord): string =>
  idPrefix(
    form,
    form.spec.key.map((member) => key[member]),
  );

/** The key's members in their order. */
export const keyOf = ({ spec }: TableForm, record: PlainRecord): Scalar[] =>
  spec.key.map((member) => record[member] as Scalar);

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Fields of an evidence write: to be set, and to be taken away. */
export interface FieldWrite {
  readonly set: Record<string, unknown>;
  readonly unset: readonly string[];
}

/** The fields of these members, as far as they stand as fields. */
export function columnsOf(
  form: TableForm,
  record: PlainRecord,
  members: readonly string[],
): FieldWrite {
  const set: Record<string, unknown> = {};
  const unset: string[] = [];
  for (const member of members.filter((name) => form.columns.includes(name))) {
    const value = record[member];
    if (isScalar(value)) set[fieldOf(form, member)] = value;
    else unset.push(fieldOf(form, member));
  }
  return { set, unset };
}

/** The fields of these members, and those derived from the record. */
export function fieldsOf(
  form: TableForm,
  record: PlainRecord,
  members: readonly string[],
): FieldWrite {
  const { derived = {}, stored } = form.spec;
  const { set, unset } = columnsOf(form, record, members);
  const absent = [...unset];
  for (const name of form.flags) {
    const field = derived[name];
    if (field !== undefined && isDerived(field, record)) set[fieldOf(form, name)] = true;
    else if (stored?.isFalseZero) set[fieldOf(form, name)] = false;
    else absent.push(fieldOf(form, name));
  }
  return { set, unset: absent };
}

/** The parts of a record that a commit stores: version, document, fields. */
export function evidenceOf(form: TableForm, record: PlainRecord): FieldWrite {
  const { touch, work = [] } = form.spec;
  const apart: readonly (string | undefined)[] = [...work, touch];
  const members = Object.entries(record).filter(([name]) => !apart.includes(name));
  const columns = form.columns.filter((member) => !work.includes(member));
  const { set, unset } = fieldsOf(form, record, columns);
  const document = JSON.stringify(Object.fromEntries(members));
  return { set: { ...set, document, version: versionOf(form, record) }, unset };
}

/** Work members as they are stored, and those of their fields that are looked up. */
function workOf(form: TableForm, record: PlainRecord): FieldWrite & WorkTexts {
  const { work = [] } = form.spec;
  const present = work.filter((member) => record[member] !== undefined);
  const texts = present.map((member) => [member, JSON.stringify(record[member])] as const);
  return { ...columnsOf(form, record, work), work: Object.fromEntries(texts) };
}

/** The fields that set these work members to what the record has; null where it has none. */
export function workFields(
  form: TableForm,
  record: PlainRecord,
  members: readonly string[],
): FieldWrite {
  const texts = members.map((member) => {
    const value = record[member];
    return [`work.${member}`, value === undefined ? null : JSON.stringify(value)] as const;
  });
  const { set, unset } = columnsOf(form, record, members);
  return { set: { ...set, ...Object.fromEntries(texts) }, unset };
}

interface WorkTexts {
  readonly work: Readonly<Record<string, string>>;
}

/** A record as it is inserted. */
export function toDocument(form: TableForm, record: PlainRecord, place?: number): TableDocument {
  const { touch } = form.spec;
  const { set, work } = workOf(form, record);
  const touched = touch === undefined ? undefined : record[touch];
  return {
    _id: idOf(form, record),
    ...evidenceOf(form, record).set,
    ...set,
    ...(Object.keys(work).length > 0 && { work }),
    ...(touch !== undefined && isScalar(touched) && { [fieldOf(form, touch)]: touched }),
    ...(place !== undefined && { [form.placeField]: place }),
  };
}

/** A stored document as the record that it is. Throws `record-damaged`. */
export const toRecord = (form: TableForm, stored: TableDocument): PlainRecord =>
  readable(form, [stored._id], () => parsedDocument(form, stored));

function parsedDocument(form: TableForm, stored: TableDocument): PlainRecord {
  const { stored: old, touch } = form.spec;
  const record: Record<string, unknown> = {
    ...(old?.isBare && bareMembers(form, stored)),
    ...(JSON.parse(stored.document ?? '{}') as PlainRecord),
  };
  for (const [member, text] of Object.entries(stored.work ?? {})) {
    if (text === null) delete record[member];
    else record[member] = JSON.parse(text);
  }
  const touched = touch === undefined ? undefined : stored[fieldOf(form, touch)];
  return touch === undefined || touched === undefined ? record : { ...record, [touch]: touched };
}

/** Documents of a bare table may be empty: key and fields are the record. */
function bareMembers(form: TableForm, stored: TableDocument): PlainRecord {
  const texts = stored._id.split(separatorOf(form));
  const members = form.spec.key.map((member, index) => [member, texts[index]]);
  const fields = form.columns.map((member) => [member, stored[fieldOf(form, member)]]);
  const isThere = ([, value]: unknown[]) => value !== undefined;
  return Object.fromEntries([...members, ...fields].filter(isThere)) as PlainRecord;
}

/** The derived field that says whether a record may still change; undefined: it always may. */
const openOf = ({ derived, open }: PlainSpec): DerivedField | undefined =>
  open === undefined ? undefined : derived?.[open];

/** Whether a record has not ended. */
export function isOpenRecord({ spec }: TableForm, record: PlainRecord): boolean {
  const open = openOf(spec);
  return open === undefined || isDerived(open, record);
}

function versionOf(form: TableForm, record: PlainRecord): unknown {
  if (writesOf(form.spec) === 'versioned') return record.version;
  return isOpenRecord(form, record) ? UNENDED : ENDED;
}

/**
 * Documents that have not ended. The filter must work for the oldest documents too, so it uses the
 * member from which `open` is derived, where that is a field.
 */
export function openFilter(form: TableForm): Readonly<Record<string, unknown>> {
  const open = openOf(form.spec);
  if (open === undefined) return {};
  if (writesOf(form.spec) === 'once') return { version: UNENDED };
  if (open.in !== undefined) return { [fieldOf(form, open.field)]: { $in: open.in } };
  return { [fieldOf(form, form.spec.open ?? '')]: true };
}

/** As `openFilter`, for one document. */
export function isOpenDocument(form: TableForm, stored: TableDocument): boolean {
  const open = openOf(form.spec);
  if (open === undefined) return true;
  if (writesOf(form.spec) === 'once') return stored.version === UNENDED;
  if (open.in !== undefined) return open.in.includes(stored[fieldOf(form, open.field)] as Scalar);
  return stored[fieldOf(form, form.spec.open ?? '')] === true;
}

/** A free lease: the end of each lease, and the start of a record. */
export function freeLease({ spec: { stored } }: TableForm): Record<string, unknown> {
  const until = stored?.lease?.mongoUntil;
  return { leaseHolder: null, ...(until !== undefined && { [until]: 0 }) };
}
