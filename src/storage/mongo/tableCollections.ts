/**
 * Collections, indexes and rights of declared tables, all made from their declarations. A digest of
 * each one's layout is kept in store_state. If it matches, the collection and its indexes exist, so
 * a start reads one document a table and needs no right to create anything.
 */
import type { Db, IndexDescription } from 'mongodb';
import { type PlainTable, writesOf } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { type Collections, createCollection } from './collections.ts';
import { fillTable } from './tableFill.ts';
import { fieldOf, type TableForm } from './tableForm.ts';

/** An index as it is wanted. */
export interface TableIndex {
  readonly fields: readonly string[];
  readonly partial?: Readonly<Record<string, unknown>>;
  readonly isUnique?: true;
}

/** Every index of a table but the one of `_id`. All ascending: pages read them both ways. */
export function indexesOf(form: TableForm): TableIndex[] {
  const { indexes = {}, kept, leased, unique = {} } = form.spec;
  const places = { placed: [], ...indexes };
  const declared = Object.entries(form.spec.isPlaced ? places : indexes).map(([name, members]) => ({
    fields: [...members.map((member) => fieldOf(form, member)), ...tailOf(form, name, members)],
    ...whileDerived(form, members),
  }));
  const uniques = Object.values(unique).map((members) => ({
    fields: members.map((member) => fieldOf(form, member)),
    isUnique: true as const,
    partial: { ...presenceOf(form, members), ...whileDerived(form, members).partial },
  }));
  return [
    ...declared,
    ...uniques,
    ...(leased === undefined ? [] : leaseIndexes(form)),
    ...(kept === undefined ? [] : [{ fields: [fieldOf(form, kept.from)] }]),
  ];
}

/** The order of an index after its members: the place, or the key unless it is among them. */
export function tailOf(form: TableForm, index: string, members: readonly string[]): string[] {
  if (index === 'placed') return [form.placeField];
  return form.spec.key.every((member) => members.includes(member)) ? [] : ['_id'];
}

function whileDerived(form: TableForm, members: readonly string[]): Pick<TableIndex, 'partial'> {
  const derived = members.filter((member) => member in (form.spec.derived ?? {}));
  if (derived.length === 0) return {};
  return { partial: Object.fromEntries(derived.map((member) => [fieldOf(form, member), true])) };
}

const presenceOf = (form: TableForm, members: readonly string[]) =>
  Object.fromEntries(members.map((member) => [fieldOf(form, member), { $exists: true }]));

/**
 * Fields of the order in which rows wait: the lane's, one that says whether they may be taken,
 * those of their order.
 */
export function lineOf(form: TableForm): { lane: string[]; mark: string[]; order: string[] } {
  const { leased: { due, lane = [], order = [] } = {}, open } = form.spec;
  const named = (members: readonly string[]) => members.map((member) => fieldOf(form, member));
  const members = [...(due === undefined ? [] : [due]), ...order];
  // The index has open rows only, except where the stored version shows them; it needs a field.
  const isBare = open !== undefined && lane.length + members.length === 0;
  return {
    lane: named(lane),
    mark: isOnce(form) ? ['version'] : isBare ? [fieldOf(form, open)] : [],
    order: [...named(members), ...tailOf(form, '', [...lane, ...members])],
  };
}

const isOnce = ({ spec }: TableForm): boolean => writesOf(spec) === 'once';

function leaseIndexes(form: TableForm): TableIndex[] {
  const { lane, mark, order } = lineOf(form);
  const { open } = form.spec;
  const isPartial = open !== undefined && !isOnce(form);
  const fields = [...lane, ...mark, ...order];
  const partial = isPartial ? { partial: { [fieldOf(form, open)]: true } } : {};
  return [
    // The order of all keys has an index already.
    ...(fields[0] === '_id' ? [] : [{ fields, ...partial }]),
    // Leased rows: few, so their order need not be the index's.
    { fields: ['leaseHolder', '_id'], partial: { leaseHolder: { $gt: '' } } },
  ];
}

/** Rights of the service on a table's collection: what its declaration lets it do, and no more. */
export function actionsOf({ spec }: PlainTable): string[] {
  const writes = writesOf(spec);
  const isWritten = writes === 'versioned' || writes === 'once';
  return [
    ...['find', 'insert'],
    ...(isWritten || spec.touch !== undefined ? ['update'] : []),
    // A commit may remove a versioned record, and a purge one that is kept for a time.
    ...(writes === 'versioned' || spec.kept !== undefined ? ['remove'] : []),
  ];
}

/** Tables whose collections may lack something of what is declared. */
export async function outdatedTables(
  { state }: Pick<Collections, 'state'>,
  forms: readonly TableForm[],
): Promise<readonly TableForm[]> {
  const catalogue = await state.find({ _id: { $in: forms.map(catalogueId) } }).toArray();
  const digests = new Map(catalogue.map(({ _id, digest }) => [_id, digest]));
  return forms.filter((form) => digests.get(catalogueId(form)) !== digestOf(form));
}

const catalogueId = ({ name }: TableForm) => `table/${name}` as const;

function digestOf(form: TableForm): string {
  const { columns, flags, spec } = form;
  const layout = { columns, flags, indexes: indexesOf(form), stored: spec.stored ?? null };
  return sha256Hex(JSON.stringify({ ...layout, derived: spec.derived ?? null }));
}

/**
 * Makes what these declarations need and is not there. Harmless to repeat, and to do at once. It
 * may take long, so the connection of `db` has no limit of time.
 */
export async function prepareTables(
  db: Db,
  { state }: Pick<Collections, 'state'>,
  forms: readonly TableForm[],
): Promise<void> {
  for (const form of forms) {
    await prepareTable(db, form);
    // Records that are only added to may not be written: their new fields are of new records.
    if (actionsOf(form).includes('update')) await fillTable(db.collection(form.name), form);
    const noted = { digest: digestOf(form), no: 0 };
    await state.updateOne({ _id: catalogueId(form) }, { $set: noted }, { upsert: true });
  }
}

async function prepareTable(db: Db, form: TableForm): Promise<void> {
  await createCollection(db, form.name);
  const collection = db.collection(form.name);
  const present = await collection.listIndexes().toArray();
  const wanted = indexesOf(form).filter(
    (index) => !present.some((there) => serves(there as IndexDescription, index)),
  );
  const distinct = new Map(wanted.map((index) => [JSON.stringify(index), index]));
  if (distinct.size === 0) return;
  await collection.createIndexes([...distinct.values()].map(toDescription));
}

function toDescription({ fields, isUnique, partial }: TableIndex): IndexDescription {
  return {
    key: Object.fromEntries(fields.map((field) => [field, 1])),
    ...(isUnique && { unique: true }),
    ...(partial !== undefined && { partialFilterExpression: partial }),
  };
}

/**
 * An index from before declarations serves too: whichever way its fields go (pages fix those in
 * front), if it begins with the wanted ones, over no fewer records.
 */
function serves(there: IndexDescription, { fields, isUnique, partial }: TableIndex): boolean {
  const present = Object.keys(there.key);
  const filter = there.partialFilterExpression;
  const isWide = filter === undefined || JSON.stringify(filter) === JSON.stringify(partial);
  if (!isWide || fields.some((field, index) => present[index] !== field)) return false;
  return isUnique ? there.unique === true && present.length === fields.length : true;
}
