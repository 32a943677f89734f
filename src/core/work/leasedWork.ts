/** What a slice declares of a kind of leased work, for the runner that does it (runner.ts). */
import type { FieldOf, Scalar, Table, TableRecord, WorkFields } from '#core/kernel';
import type { LogFields } from '#platform/log';
import type { Hold, LeaseTimes } from './hold.ts';
import type { RetryPlan } from './retryPlan.ts';
import type { Turn } from './turns.ts';

/** Waiting work: one row, by its key, or the next row of a lane. Turns are taken by its name. */
export type Waiting<R extends TableRecord, K extends FieldOf<R>> = Turn & {
  /** It ends soon, and may have the room that is kept for such work. */
  readonly isShort?: boolean;
} & ({ readonly key: Pick<R, K> } | { readonly lane: readonly Scalar[] });

/** Why work has not ended. */
export interface Fault {
  readonly code: string;
  /** Absent: its workers died. */
  readonly error?: unknown;
  /** Whether another try cannot mend it. */
  readonly isFinal: boolean;
}

/** A kind of work: rows of one table, and the handlers for each. */
export interface LeasedWork<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  readonly table: Table<R, K>;
  readonly times: LeaseTimes;
  readonly plan: RetryPlan;
  /** Rows worked on at once in this process. */
  readonly atOnce: number;
  /** Rows of one tenant among them; absent: as many. */
  readonly atOncePerTenant?: number;
  /** Room beside these, which only short work may have: long work cannot hold it up. */
  readonly shortBeside?: number;
  /** For the log, with an article: `a batch`. */
  readonly what: string;
  /** Ids of a row, for the log. */
  readonly fieldsOf: (record: R) => LogFields;
  /** The code of a failure, by which the plan decides. */
  readonly codeOf: (error: unknown) => string;
  /**
   * Does the work. Resolves once the row has ended or was given back. Rejects with WorkLost, or
   * with the reason of the hold's signal, once another worker has the row.
   */
  readonly work: (hold: Hold<R, K>) => Promise<void>;
  /** Ends work that is not tried again, in a commit. WorkLost: it had ended already. */
  readonly giveUp: (hold: Hold<R, K>, fault: Fault) => Promise<void>;
  /** Work fields for a row that waits for its next try, to show why. */
  readonly heldUp?: (hold: Hold<R, K>, fault: Fault) => Promise<WorkFields<R>>;
  /** Work fields of a row that is handed on because the worker stops. */
  readonly handedOn?: (hold: Hold<R, K>) => WorkFields<R>;
  /** Rows whose worker died, and that this process has freed. */
  readonly freed?: (records: readonly R[]) => void;
  /** `false`: no row is taken just now. */
  readonly mayTake?: () => boolean;
  /** Stores whose turn it was, once a row of it was taken. */
  readonly tookTurn?: (waiting: Waiting<R, K>, turn: number) => Promise<unknown>;
  /** A row was released, after success or failure. */
  readonly settled?: () => void;
}
