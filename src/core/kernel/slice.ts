/**
 * What a slice declares as plain data, for those who know no process: the stores, the generators of
 * docs, the registries. src/slices/slice.ts adds what is loaded in one process alone.
 */
import type { TopicRows } from './events.ts';
import type { LimitRow } from './limitRow.ts';
import type { Adapter, Port, Question } from './port.ts';
import type { ProblemRows } from './problemRows.ts';
import type { AnyTable } from './table.ts';

/** Questions by name; a name is one question in all slices. */
export type Asks = Readonly<Record<string, Port<Question, never>>>;

/** Adapters by name, as src/app has them. */
export type Needs = Readonly<Record<string, Adapter<Question>>>;

/** Each name leads to the module that exports, by the same name, who answers. */
export type Answers = Readonly<Record<string, () => Promise<object>>>;

/** The data of one slice. */
export interface SliceData {
  /** Its folder. */
  readonly name: string;
  /** What it stores, by names of its own. */
  readonly tables?: Readonly<Record<string, AnyTable>>;
  /** Problems that its callers can meet. */
  readonly problems?: ProblemRows;
  /** Topics of the bus that it tells. */
  readonly events?: TopicRows;
  /** Limits that its callers meet. */
  readonly limits?: readonly LimitRow[];
  /** What it asks of the slices to its right. */
  readonly asks?: Asks;
  /** What it needs of adapters. */
  readonly needs?: Needs;
  /** What it answers to the slices to its left. */
  readonly answers?: Answers;
}
