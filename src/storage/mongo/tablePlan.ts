/**
 * Plans a group's changes of declared tables: one write each, in their order, each seeing those
 * before it. Nothing is written here, so that both ways of writing (in a transaction, or by an
 * intent) share the rules.
 */
import assert from 'node:assert/strict';
import type { ClientSession } from 'mongodb';
import type { TableChange } from '#core/kernel';
import type { Collections } from './collections.ts';
import type {
  StampId,
  StepBefore,
  TableDocument,
  TableEffects,
  TableStep,
} from './tableDocuments.ts';
import {
  evidenceOf,
  fieldOf,
  freeLease,
  idOf,
  isOpenDocument,
  isOpenRecord,
  type PlainRecord,
  type TableForm,
  toDocument,
  workFields,
} from './tableForm.ts';
import { isCarried, subjectOf, TableView } from './tableView.ts';

/** Declared tables by their names. */
export type TableForms = ReadonlyMap<string, TableForm>;

/** A group's changes, and the place that it is to have. */
export interface PlanAsk {
  readonly collections: Collections;
  readonly forms: TableForms;
  /** The session of a transaction; absent: by intent. */
  readonly session: ClientSession | undefined;
  readonly chain: string;
  /** The group's number in its chain. */
  readonly group: number;
  /** The group's place among all that change state, where it takes one. */
  readonly changeNo?: number | undefined;
  readonly changes: readonly TableChange[];
}

/** A group's writes, or the change that does not fit what is stored. */
export type TablePlan =
  | { readonly kind: 'writes'; readonly tables: TableEffects }
  | { readonly kind: 'stale'; readonly changeIndex: number };

/** Places of one group keep their order within it. */
const PLACES_PER_CHANGE_NO = 1_000;
const PLACES_PER_GROUP = 1_000_000;

/** The declaration that a change names; throws where there is none. */
export function formOf(forms: TableForms, { table }: Pick<TableChange, 'table'>): TableForm {
  const form = forms.get(table);
  assert(form !== undefined, `table ${table} is not declared`);
  return form;
}

/** Whether a group takes its place among all groups that change state. */
export function groupTakesTurn(
  { forms, hasTransactions }: { readonly forms: TableForms; readonly hasTransactions: boolean },
  changes: readonly TableChange[],
): boolean {
  return changes.some((change) => takesTurn(formOf(forms, change), change, hasTransactions));
}

/**
 * Whether a change takes the installation's turn. Without transactions so does one whose record
 * might meet another chain's: under a key, or beside a unique value, that names no chain.
 */
export function takesTurn(
  { spec }: TableForm,
  change: Pick<TableChange, 'op'>,
  hasTransactions: boolean,
): boolean {
  const { chain, key, unique = {} } = spec;
  if (change.op === 'append') return chain === 'any' && spec.isPlaced === true;
  if (chain === 'any') return true;
  if (hasTransactions || chain === 'platform') return false;
  return [key, ...Object.values(unique)].some((members) => !members.includes(chain));
}

/** Plans the changes from the records as they are. */
export async function planTables(ask: PlanAsk): Promise<TablePlan> {
  const { collections, forms, session } = ask;
  const changes = ask.changes.map((change) => ({ change, form: formOf(forms, change) }));
  const planner = new Planner(ask, await TableView.read({ changes, collections, session }));
  for (const [index, { change, form }] of changes.entries()) {
    if (!planner.plan(form, change, index)) return { kind: 'stale', changeIndex: index };
  }
  return { kind: 'writes', tables: planner.effects() };
}

interface Writes {
  readonly steps: TableStep[];
  readonly stamps: Map<StampId, boolean>;
}

class Planner {
  readonly #ask: PlanAsk;
  readonly #view: TableView;
  readonly #inTurn: Writes = { stamps: new Map(), steps: [] };
  readonly #inChain: Writes = { stamps: new Map(), steps: [] };

  constructor(ask: PlanAsk, view: TableView) {
    this.#ask = ask;
    this.#view = view;
  }

  effects(): TableEffects {
    const plain = ({ stamps, steps }: Writes) => ({
      stamps: [...stamps].map(([_id, isInTurn]) => ({ _id, isInTurn })),
      steps,
    });
    return { inChain: plain(this.#inChain), inTurn: plain(this.#inTurn) };
  }

  /** False: the change is stale. */
  plan(form: TableForm, change: TableChange, index: number): boolean {
    const { op, record = {} } = change;
    if (op === 'append') {
      const document = toDocument(form, record, this.#placeOf(form, index));
      return this.#add(form, change, { document, op, table: form.name });
    }
    const stored = this.#view.find(form, idOf(form, subjectOf(change)));
    if (op === 'insert') return this.#insert(form, change, { index, stored });
    if (stored === undefined || stored.isGone || !this.#isOfChain(form, stored)) return false;
    if (op === 'expect') return this.#expect(form, change, stored);
    const { versionExpected = stored.version } = change;
    if (!isOpenDocument(form, stored) || stored.version !== versionExpected) return false;
    return op === 'put' ? this.#put(form, change, stored) : this.#remove(form, change, stored);
  }

  #insert(
    form: TableForm,
    change: TableChange,
    { index, stored }: { readonly index: number; readonly stored: TableDocument | undefined },
  ): boolean {
    if (stored !== undefined && !stored.isGone) return false;
    const document = toDocument(form, change.record ?? {}, this.#placeOf(form, index));
    if (!this.#view.takeValues(form, undefined, document)) return false;
    const over = stored?.rev;
    this.#view.set(form, { ...document, ...(over !== undefined && { rev: over + 1 }) });
    return this.#add(form, change, {
      document,
      op: 'insert',
      table: form.name,
      ...(over !== undefined && { over }),
    });
  }

  #put(form: TableForm, change: TableChange, stored: TableDocument): boolean {
    const { record = {} } = change;
    const { owner } = form.spec;
    if (owner !== undefined && stored[fieldOf(form, owner)] !== record[owner]) return false;
    const { set, unset } = putOf(form, change);
    const after: Record<string, unknown> = { ...stored, ...set, rev: (stored.rev ?? 0) + 1 };
    for (const field of unset) delete after[field];
    const next = after as unknown as TableDocument;
    if (!this.#view.takeValues(form, stored, next)) return false;
    this.#view.set(form, next);
    const carried = carriedOf(form, stored);
    const before = beforeOf(stored);
    const step: TableStep = { before, carried, op: 'put', set, table: form.name, unset };
    return this.#add(form, change, step, stored);
  }

  #remove(form: TableForm, change: TableChange, stored: TableDocument): boolean {
    const { _id } = stored;
    this.#view.releaseValues(form, stored);
    if (this.#ask.session !== undefined) this.#view.remove(form, _id);
    else this.#view.set(form, { _id, isGone: true, rev: (stored.rev ?? 0) + 1 });
    const step: TableStep = { before: beforeOf(stored), op: 'remove', table: form.name };
    return this.#add(form, change, step, stored);
  }

  /**
   * Writers of a record take turns, so that its version cannot change beside the commit; a lease
   * can, and then one of the two must conflict.
   */
  #expect(form: TableForm, change: TableChange, stored: TableDocument): boolean {
    const { fence, versionExpected = stored.version } = change;
    const { _id, leaseFence = 0 } = stored;
    if (stored.version !== versionExpected || (fence ?? leaseFence) !== leaseFence) return false;
    if (fence === undefined || fence === 0) return true;
    return this.#add(form, change, { _id, leaseFence, op: 'touch', table: form.name });
  }

  #add(form: TableForm, change: TableChange, step: TableStep, stored?: TableDocument): boolean {
    const hasTransactions = this.#ask.session !== undefined;
    const isInTurn = takesTurn(form, change, hasTransactions);
    const writes = isInTurn ? this.#inTurn : this.#inChain;
    writes.steps.push(step);
    const { stamp, stored: old } = form.spec;
    if (stamp === undefined || !isStampMoved(stamp.fields, change, stored)) return true;
    writes.stamps.set(stampId(form.spec), isInTurn && old?.stamp !== undefined);
    return true;
  }

  /** A record of a tenant's chain is another's business: to that chain it is not there. */
  #isOfChain(form: TableForm, stored: TableDocument): boolean {
    const { chain } = form.spec;
    const isAnyone = chain === 'any' || chain === 'platform';
    return isAnyone || stored[fieldOf(form, chain)] === this.#ask.chain;
  }

  #placeOf({ name, spec }: TableForm, index: number): number | undefined {
    if (!spec.isPlaced) return undefined;
    const { changeNo, group } = this.#ask;
    if (spec.chain !== 'any') return group * PLACES_PER_GROUP + index;
    assert(changeNo !== undefined && index < PLACES_PER_CHANGE_NO, `${name}: no place ${index}`);
    return changeNo * PLACES_PER_CHANGE_NO + index;
  }
}

/** The document of store_state that holds a table's stamp. */
export const stampId = ({ stamp, stored }: TableForm['spec']): StampId =>
  (stored?.stamp?.mongo ?? `stamp/${stamp?.name}`) as StampId;

/** The put that ends a record writes the work members that it names, and ends the lease. */
function putOf(form: TableForm, { record = {}, work = [] }: TableChange) {
  const evidence = evidenceOf(form, record);
  if (isOpenRecord(form, record)) return evidence;
  const { set, unset } = workFields(form, record, work);
  const lease = form.spec.leased === undefined ? {} : freeLease(form);
  return {
    set: { ...evidence.set, ...set, ...lease },
    unset: [...evidence.unset, ...unset],
  };
}

const beforeOf = ({ _id, rev, version }: TableDocument): StepBefore => ({
  _id,
  rev: rev ?? null,
  version: version ?? null,
});

/** Work members that only the document holds, which the put writes anew without them. */
function carriedOf(form: TableForm, stored: TableDocument): Readonly<Record<string, string>> {
  if (!isCarried(form.spec) || stored.document === undefined) return {};
  const old = JSON.parse(stored.document) as PlainRecord;
  const { work = {} } = stored;
  const members = (form.spec.work ?? []).filter((name) => name in old && !(name in work));
  return Object.fromEntries(members.map((name) => [name, JSON.stringify(old[name])]));
}

function isStampMoved(
  fields: readonly string[],
  { op, record = {} }: TableChange,
  stored: TableDocument | undefined,
): boolean {
  if (op === 'expect') return false;
  if (fields.length === 0) return stored === undefined;
  const before = JSON.parse(stored?.document ?? '{}') as PlainRecord;
  return fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(record[field]));
}
