/**
 * The stored records that a group's changes are about, with the planned ones laid over them, and
 * who holds which unique value. Read table by table at once: a group may hold a thousand changes.
 */
import type { ClientSession } from 'mongodb';
import type { Scalar, TableChange } from '#core/kernel';
import type { Collections } from './collections.ts';
import type { TableDocument } from './tableDocuments.ts';
import { columnsOf, fieldOf, idOf, type PlainRecord, type TableForm } from './tableForm.ts';

/** Unique values asked for in one query. */
const ALTERNATIVES_MAX = 100;

interface ViewAsk {
  readonly collections: Collections;
  readonly session: ClientSession | undefined;
  readonly changes: readonly { readonly form: TableForm; readonly change: TableChange }[];
}

/** The members by which a change's record is found. */
export const subjectOf = ({ key = {}, record = key }: TableChange): PlainRecord => record;

/** Documents by table and id; see the file's head. */
export class TableView {
  readonly #documents = new Map<string, TableDocument>();
  /** Ids by table, unique declaration and values. */
  readonly #holders = new Map<string, string>();

  /** Reads what these changes need. Rows need nothing: they are appended unseen. */
  static async read({ changes, collections, session }: ViewAsk): Promise<TableView> {
    const view = new TableView();
    const asked = session === undefined ? {} : { session };
    const forms = new Set(changes.map(({ form }) => form));
    for (const form of forms) {
      const own = changes.filter((given) => given.form === form && given.change.op !== 'append');
      const ids = [...new Set(own.map(({ change }) => idOf(form, subjectOf(change))))];
      if (ids.length === 0) continue;
      const table = collections.table(form.name);
      const options = { ...asked, projection: projectionOf(form) };
      const found = await table.find({ _id: { $in: ids } }, options).toArray();
      for (const document of found) view.set(form, document);
      const records = own.flatMap(({ change: { record } }) =>
        record === undefined ? [] : [record],
      );
      const filters = [...filtersOf(form, records).values()];
      for (let from = 0; from < filters.length; from += ALTERNATIVES_MAX) {
        const $or = filters.slice(from, from + ALTERNATIVES_MAX);
        const options = { ...asked, projection: { document: 0, work: 0 } };
        for (const document of await table.find({ $or }, options).toArray()) {
          for (const value of uniqueValues(form, document)) {
            view.#holders.set(value, document._id);
          }
        }
      }
    }
    return view;
  }

  find(form: TableForm, _id: string): TableDocument | undefined {
    return this.#documents.get(`${form.name} ${_id}`);
  }

  set(form: TableForm, document: TableDocument): void {
    this.#documents.set(`${form.name} ${document._id}`, document);
  }

  remove(form: TableForm, _id: string): void {
    this.#documents.delete(`${form.name} ${_id}`);
  }

  /**
   * Releases the record's former values, then takes its new ones; false where one is another
   * record's.
   */
  takeValues(form: TableForm, before: TableDocument | undefined, after: TableDocument): boolean {
    this.releaseValues(form, before);
    for (const value of uniqueValues(form, after)) {
      if ((this.#holders.get(value) ?? after._id) !== after._id) return false;
      this.#holders.set(value, after._id);
    }
    return true;
  }

  releaseValues(form: TableForm, before: TableDocument | undefined): void {
    if (before === undefined) return;
    for (const value of uniqueValues(form, before)) {
      if (this.#holders.get(value) === before._id) this.#holders.delete(value);
    }
  }
}

/** Documents may be long, so they are read only where their members are needed. */
function projectionOf({ spec }: TableForm): Record<string, 0> {
  const isRead = (spec.stamp?.fields.length ?? 0) > 0 || isCarried(spec);
  return isRead ? {} : { document: 0, work: 0 };
}

/** Whether work members may stand in a document: only before there were declarations. */
export const isCarried = ({ stored, work = [] }: TableForm['spec']): boolean =>
  stored !== undefined && work.length > 0;

/** The values of each unique declaration that a document holds wholly, as one text each. */
function uniqueValues(form: TableForm, document: TableDocument): string[] {
  return Object.entries(form.spec.unique ?? {}).flatMap(([name, members]) => {
    const values = members.map((member) => document[fieldOf(form, member)]);
    const isWhole = values.every((value) => value !== undefined && value !== false);
    return isWhole ? [JSON.stringify([form.name, name, values])] : [];
  });
}

/** Records that have the unique values that these records are to have: one query for each. */
function filtersOf(form: TableForm, records: readonly PlainRecord[]): Map<string, object> {
  const { derived = {}, unique = {} } = form.spec;
  const filters = new Map<string, object>();
  for (const members of Object.values(unique)) {
    const plain = members.filter((member) => !(member in derived));
    const held = members.filter((member) => member in derived);
    const whiles = Object.fromEntries(held.map((name) => [fieldOf(form, name), true]));
    for (const record of records) {
      const { set, unset } = columnsOf(form, record, plain);
      const filter: Record<string, Scalar | unknown> = { ...set, ...whiles };
      if (unset.length === 0) filters.set(JSON.stringify(filter), filter);
    }
  }
  return filters;
}
