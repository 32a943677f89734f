/**
 * Leases of rows. The lease stands in the row, and is written by compare-and-set on it. Rows that
 * may be taken have not ended and are free, found by an index of lane, due time and order. Wall
 * clocks decide only whether a row is due.
 */
import assert from 'node:assert/strict';
import type { WithId } from 'mongodb';
import {
  LEASE_ROWS_MAX,
  type Leased,
  PAGE_RECORDS_MAX,
  type Scalar,
  type Tables,
  writesOf,
} from '#core/kernel';
import { recordsIn } from '../readableRecord.ts';
import type { AppendTools } from './append.ts';
import { lineOf } from './tableCollections.ts';
import { asFilter, asUpdate, type TableDocument } from './tableDocuments.ts';
import {
  fieldOf,
  freeLease,
  idOf,
  idPrefix,
  openFilter,
  type PlainRecord,
  type TableForm,
  toRecord,
} from './tableForm.ts';
import { behind } from './tablePages.ts';
import { openTable } from './tableReads.ts';
import { claimFilter, seeCommitted, workUpdate } from './tableWork.ts';

type Row = WithId<TableDocument>;

/** The half of the port about leased rows. */
export const tableLeases = (tools: AppendTools) => ({
  ...waitingRows(tools),
  ...rowsByKey(tools),
  ...rowsInHand(tools),
});

function openLeased(tools: AppendTools, table: { readonly name: string }) {
  const opened = openTable(tools, table);
  assert(opened.form.spec.leased !== undefined, `table ${table.name} is not leased`);
  return opened;
}

function waitingRows(tools: AppendTools): Pick<Tables, 'lanes' | 'lease'> {
  return {
    async lanes(table, ask) {
      assert(ask.limit >= 1 && ask.limit <= PAGE_RECORDS_MAX, `lanes: limit ${ask.limit}`);
      return findLanes(openLeased(tools, table), ask);
    },
    async lease(table, { holder, lane, limit, now }) {
      assert(limit >= 1 && limit <= LEASE_ROWS_MAX, `lease: ${limit} rows`);
      const { collection, form } = openLeased(tools, table);
      await seeCommitted(tools, form, laneMembers(form, lane));
      const { order } = lineOf(form);
      const filter = waitingFilter(form, lane, now);
      const sort = Object.fromEntries(order.map((field) => [field, 1 as const]));
      const rows: Row[] = [];
      while (rows.length < limit) {
        const options = { returnDocument: 'after' as const, sort };
        const row = await collection.findOneAndUpdate(filter, takenBy(form, holder), options);
        if (row === null) break;
        rows.push(row);
      }
      return recordsIn(rows, (row) => leasedOf(form, row));
    },
  };
}

function rowsByKey(tools: AppendTools): Pick<Tables, 'claim' | 'takeOver'> {
  return {
    async claim(table, { holder, key }) {
      const { collection, form } = openLeased(tools, table);
      await seeCommitted(tools, form, key);
      const free = { ...openFilter(form), isGone: null, leaseHolder: null };
      const filter = asFilter({ _id: idOf(form, key), ...free });
      const options = { returnDocument: 'after' as const };
      const row = await collection.findOneAndUpdate(filter, takenBy(form, holder), options);
      return row === null ? undefined : leasedOf(form, row);
    },
    async takeOver(table, { holder, key, seen }) {
      const { collection, form } = openLeased(tools, table);
      await seeCommitted(tools, form, key);
      const filter = asFilter({
        _id: idOf(form, key),
        leaseBeat: numberOrAbsent(seen.beat),
        leaseFence: numberOrAbsent(seen.fence),
        leaseHolder: seen.holder,
      });
      const options = { returnDocument: 'after' as const };
      const row = await collection.findOneAndUpdate(filter, takenBy(form, holder), options);
      return row === null ? undefined : leasedOf(form, row);
    },
  };
}

function rowsInHand(tools: AppendTools): Pick<Tables, 'held' | 'renew' | 'giveBack'> {
  return {
    async held(table, { after, limit }) {
      assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `held: limit ${limit}`);
      const { collection, form } = openLeased(tools, table);
      const behindKey = after === undefined ? {} : { _id: { $gt: idPrefix(form, after) } };
      const filter = asFilter({ leaseHolder: { $gt: '' }, ...behindKey });
      const rows = await collection.find(filter).sort({ _id: 1 }).limit(limit).toArray();
      return recordsIn(rows, (row) => leasedOf(form, row));
    },
    async renew(table, { claim, key, work = {} }) {
      const { collection, form } = openLeased(tools, table);
      await seeCommitted(tools, form, key);
      const filter = asFilter({ _id: idOf(form, key), ...claimFilter(claim) });
      const update = asUpdate({ ...workUpdate(form, work), $inc: { leaseBeat: 1 } });
      return (await collection.updateOne(filter, update)).matchedCount === 1;
    },
    async giveBack(table, { claim, hasGotOn, isTried, key, work = {} }) {
      const { collection, form } = openLeased(tools, table);
      await seeCommitted(tools, form, key);
      const filter = asFilter({ _id: idOf(form, key), ...claimFilter(claim) });
      const free = { ...freeLease(form), ...(hasGotOn && { tries: 0 }) };
      const update = asUpdate({
        ...workUpdate(form, work, free),
        ...(!isTried && !hasGotOn && { $inc: { tries: -1 } }),
      });
      return (await collection.updateOne(filter, update)).matchedCount === 1;
    },
  };
}

/** Documents of a former release have neither fence nor beat. */
const numberOrAbsent = (value: number): unknown => (value === 0 ? { $in: [0, null] } : value);

/**
 * The only time that a process of a former release checks, so that it leaves the row to its holder.
 */
const NEVER = Number.MAX_SAFE_INTEGER;

function takenBy(form: TableForm, holder: string) {
  const until = form.spec.stored?.lease?.mongoUntil;
  return asUpdate({
    $inc: { leaseBeat: 1, leaseFence: 1, tries: 1 },
    $set: { leaseHolder: holder, ...(until !== undefined && { [until]: NEVER }) },
  });
}

function leasedOf(form: TableForm, row: Row): Leased<never> {
  const { leaseBeat = 0, leaseFence = 0, leaseHolder, tries = 0 } = row;
  assert(typeof leaseHolder === 'string', `table ${form.name}: a row that nobody has`);
  const lease = { beat: leaseBeat, fence: leaseFence, holder: leaseHolder, tries };
  return { lease, record: toRecord(form, row) as never };
}

const laneMembers = ({ spec }: TableForm, lane: readonly Scalar[]): PlainRecord =>
  Object.fromEntries((spec.leased?.lane ?? []).map((member, index) => [member, lane[index]]));

function laneFilter(form: TableForm, lane: readonly Scalar[]): object {
  const fields = lineOf(form).lane;
  assert.equal(lane.length, fields.length, `table ${form.name}: a lane of ${lane.length} values`);
  return Object.fromEntries(fields.map((field, index) => [field, lane[index]]));
}

/** Rows that have not ended, by what the index of the line holds. */
function lineFilter(form: TableForm): object {
  const { open } = form.spec;
  if (open === undefined) return { isGone: null };
  return writesOf(form.spec) === 'once' ? openFilter(form) : { [fieldOf(form, open)]: true };
}

/** Rows of a lane that may be taken now. */
function waitingFilter(form: TableForm, lane: readonly Scalar[], now: number) {
  const free = [lineFilter(form), { leaseHolder: null }];
  return asFilter({ $and: [laneFilter(form, lane), ...free, dueFilter(form, now)] });
}

/** The fields of the order exist, and the due time has come. */
function dueFilter(form: TableForm, now: number): object {
  const { due, order = [] } = form.spec.leased ?? {};
  const ordered = order.map((member) => [fieldOf(form, member), { $ne: null }]);
  const isDue = due === undefined ? {} : { [fieldOf(form, due)]: { $lte: now } };
  return { ...Object.fromEntries(ordered), ...isDue };
}

/** From lane to lane, each by one seek behind the last; a second one where its first row is no. */
async function findLanes(
  { collection, form }: ReturnType<typeof openTable>,
  { after, limit, now }: Parameters<Tables['lanes']>[1],
): Promise<readonly (readonly Scalar[])[]> {
  const { due } = form.spec.leased ?? {};
  const { lane, mark, order } = lineOf(form);
  const sort = Object.fromEntries([...lane, ...mark, ...order].map((field) => [field, 1 as const]));
  const present = Object.fromEntries(lane.map((field) => [field, { $ne: null }]));
  const lanes: (readonly Scalar[])[] = [];
  // Where no field names a lane there is only one.
  const isLast = (last: readonly Scalar[] | undefined) => last !== undefined && lane.length === 0;
  for (let last = after; lanes.length < limit && !isLast(last); ) {
    const conditions = [present, lineFilter(form), ...(last ? behind(lane, last) : [])];
    const first = await collection.findOne(asFilter({ $and: conditions }), {
      projection: { document: 0, work: 0 },
      sort,
    });
    if (first === null) break;
    last = lane.map((field) => first[field] as Scalar);
    const dueAt = due === undefined ? now : first[fieldOf(form, due)];
    // The first of a line is the earliest due.
    if (typeof dueAt === 'number' && dueAt > now) continue;
    const isFree = typeof dueAt === 'number' && typeof first.leaseHolder !== 'string';
    const free = waitingFilter(form, last, now);
    if (isFree || (await collection.findOne(free, { projection: { _id: 1 } }))) lanes.push(last);
  }
  return lanes;
}
