/**
 * Pages of an index: equal fields, one range, and the place to go on from as bounds that seek. What
 * an index does not hold (a record without one of its fields) no page shows. Values of `in` are a
 * range each, merged here: a sort over several ranges would read all of them first.
 */
import assert from 'node:assert/strict';
import type { Collection } from 'mongodb';
import { IN_VALUES_MAX, PAGE_RECORDS_MAX, type PageAsk, type Scalar } from '#core/kernel';
import { readablePage } from '../readableRecord.ts';
import { tailOf } from './tableCollections.ts';
import { asFilter, type TableDocument } from './tableDocuments.ts';
import {
  behindPrefix,
  fieldOf,
  idOf,
  idPrefix,
  keyOf,
  type PlainRecord,
  type TableForm,
  toRecord,
} from './tableForm.ts';

type Condition = Readonly<Record<string, unknown>>;

/** A page's ranges (several with `in`), the fields that order it, and how a cursor is read off. */
interface PagePlan {
  readonly ranges: readonly (readonly Condition[])[];
  readonly order: readonly string[];
  cursorOf(stored: TableDocument): Scalar[];
}

/** The page's records, and where it continues. */
export async function readPage(
  collection: Collection<TableDocument>,
  form: TableForm,
  ask: PageAsk,
): Promise<{ records: PlainRecord[]; damaged?: string[]; next?: Scalar[] }> {
  const { direction = 'ascending', limit } = ask;
  assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `page: limit ${limit}`);
  const sign = direction === 'ascending' ? 1 : -1;
  const { cursorOf, order, ranges } = ask.index === 'key' ? ofKey(form, ask) : ofIndex(form, ask);
  const sort = Object.fromEntries(order.map((field) => [field, sign] as const));
  const readRange = (conditions: readonly Condition[], most: number) =>
    collection
      .find(asFilter({ $and: [...conditions, { isGone: null }] }))
      .sort(sort)
      .limit(most)
      .toArray();
  const read = async (most: number): Promise<readonly TableDocument[]> => {
    const found = await Promise.all(ranges.map((range) => readRange(range, most + 1)));
    const [first = []] = found;
    return found.length === 1 ? first : merge(found.flat(), { order, sign }).slice(0, most + 1);
  };
  const page = await readablePage(ask, read, (stored) => toRecord(form, stored));
  const last = page.read.at(-1);
  return {
    records: page.read.map(({ record }) => record),
    ...(page.damaged.length > 0 && { damaged: page.damaged.map(({ message }) => message) }),
    ...(page.hasMore && last !== undefined && { next: cursorOf(last.row) }),
  };
}

function merge(
  found: readonly TableDocument[],
  { order, sign }: { readonly order: readonly string[]; readonly sign: 1 | -1 },
): TableDocument[] {
  // One that moved from range to range meanwhile was read twice.
  const distinct = new Map(found.map((stored) => [stored._id, stored]));
  return [...distinct.values()].sort((left, right) => {
    for (const field of order) {
      const compared = compare(left[field] as Scalar, right[field] as Scalar);
      if (compared !== 0) return sign * compared;
    }
    return 0;
  });
}

/** Text by its UTF-8 bytes, as the server has it. */
function compare(left: Scalar, right: Scalar): number {
  if (typeof left !== 'string' || typeof right !== 'string') return Number(left) - Number(right);
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** The ask's fields by their part in it: a prefix that is equal, one that is any of, the rest. */
function partsOf(form: TableForm, members: readonly string[], ask: PageAsk) {
  const { equal = {}, in: among, index } = ask;
  const count = Object.keys(equal).length;
  const prefix = members.slice(0, count);
  const isPrefix = prefix.every((member) => equal[member] !== undefined);
  assert(isPrefix && count <= members.length, `${form.name} ${index}: equal is of a prefix`);
  const values = [...new Set(among?.values)];
  const isIn = among === undefined || (among.field === members[count] && values.length > 0);
  assert(isIn && values.length <= IN_VALUES_MAX, `${form.name} ${index}: in`);
  const alternatives =
    among === undefined ? [{}] : values.map((value) => ({ [among.field]: value }));
  return {
    fixed: alternatives.map((alternative) => ({ ...equal, ...alternative })),
    rest: members.slice(count + (among === undefined ? 0 : 1)),
  };
}

/** The declared members of an index; `placed` may go without. */
export function indexMembers({ name, spec }: TableForm, index: string): readonly string[] {
  const members = spec.indexes?.[index] ?? (index === 'placed' && spec.isPlaced ? [] : undefined);
  assert(members !== undefined, `table ${name}: no index ${index}`);
  return members;
}

/** These fields are there: a derived one by its value, which its partial index is asked by. */
export const presenceOf = (form: TableForm, members: readonly string[]): Condition[] =>
  members.map((member) => ({
    [fieldOf(form, member)]: member in (form.spec.derived ?? {}) ? true : { $ne: null },
  }));

/** Members and values as a condition on their fields. */
export const equalOf = (form: TableForm, values: Readonly<Record<string, unknown>>): Condition =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [fieldOf(form, name), value]));

function ofIndex(form: TableForm, ask: PageAsk): PagePlan {
  const { after, direction = 'ascending', from, index, to } = ask;
  const members = indexMembers(form, index);
  const { fixed, rest } = partsOf(form, members, ask);
  const tail = tailOf(form, index, members);
  const restFields = rest.map((member) => fieldOf(form, member));
  const order = [...restFields, ...tail];
  const ranged = restFields[0];
  const isRanged = from !== undefined || to !== undefined;
  assert(!isRanged || ranged !== undefined, `${form.name} ${index}: no field is left for a range`);
  const range = {
    ...(from !== undefined && { $gte: from }),
    ...(to !== undefined && { $lt: to }),
  };
  const conditions = [
    ...presenceOf(form, rest),
    ...(isRanged ? [{ [ranged ?? '']: range }] : []),
    ...(after === undefined ? [] : behind(order, valuesOf(form, { after, rest, tail }), direction)),
  ];
  return {
    cursorOf: (stored) => {
      const values = [...restFields, ...(index === 'placed' ? tail : [])].map(
        (field) => stored[field] as Scalar,
      );
      return index === 'placed' ? values : [...values, ...keyOf(form, toRecord(form, stored))];
    },
    order: order.length === 0 ? ['_id'] : order,
    ranges: fixed.map((values) => [equalOf(form, values), ...conditions]),
  };
}

/** A cursor as the values of the order: of the fields, then the place, or the key as its id. */
function valuesOf(
  form: TableForm,
  {
    after,
    rest,
    tail,
  }: {
    readonly after: readonly Scalar[];
    readonly rest: readonly string[];
    readonly tail: readonly string[];
  },
): Scalar[] {
  const isById = tail[0] === '_id';
  const size = rest.length + (tail[0] === form.placeField ? 1 : form.spec.key.length);
  assert(after.length === size, `table ${form.name}: a cursor of ${size} values`);
  const values = after.slice(0, rest.length + (isById ? 0 : tail.length));
  return isById ? [...values, idPrefix(form, after.slice(rest.length))] : values;
}

/** Strictly behind these values, led by a range of the first, so that the index seeks. */
export function behind(
  fields: readonly string[],
  values: readonly Scalar[],
  direction: 'ascending' | 'descending' = 'ascending',
): Condition[] {
  const over = direction === 'ascending' ? '$gt' : '$lt';
  const ladder = fields.map((field, index) => ({
    ...Object.fromEntries(fields.slice(0, index).map((equal, at) => [equal, values[at]])),
    [field]: { [over]: values[index] },
  }));
  const lead = fields[0] === undefined ? [] : [{ [fields[0]]: { [`${over}e`]: values[0] } }];
  return ladder.length === 1 ? ladder : [...lead, { $or: ladder }];
}

/** The key's own order is the one of `_id`. */
function ofKey(form: TableForm, ask: PageAsk): PagePlan {
  const { after, direction = 'ascending', from, to } = ask;
  const { key } = form.spec;
  const { fixed } = partsOf(form, key, ask);
  const over = direction === 'ascending' ? '$gt' : '$lt';
  const shared = after === undefined ? [] : [{ _id: { [over]: idPrefix(form, after) } }];
  const rangeOf = (equal: PlainRecord): Condition[] => {
    if (Object.keys(equal).length === key.length) return [{ _id: idOf(form, equal) }];
    const values = key.filter((member) => member in equal).map((member) => equal[member]);
    const prefix = idPrefix(form, values);
    const startOf = (value: Scalar) => idPrefix(form, [...values, value]);
    return [
      ...(prefix === '' ? [] : [{ _id: { $gte: prefix, $lt: behindPrefix(prefix) } }]),
      ...(from === undefined ? [] : [{ _id: { $gte: startOf(from) } }]),
      ...(to === undefined ? [] : [{ _id: { $lt: startOf(to) } }]),
    ];
  };
  return {
    cursorOf: (stored) => keyOf(form, toRecord(form, stored)),
    order: ['_id'],
    ranges: fixed.map((equal) => [...rangeOf(equal), ...shared]),
  };
}
