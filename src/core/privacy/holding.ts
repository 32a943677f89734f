/**
 * What a slice holds of one person: the seam by which a request about his data reaches every
 * store. A slice declares its holdings beside its tables, and the slice `privacy` folds them: it
 * knows no noun of another.
 */
import type { DataSubject } from './dataSubject.ts';
import type { HoldingErasure } from './erasure.ts';

/** One document of what a person is given. */
export interface HeldFile {
  /** In the export, by its kind: `screenings/<id>.json`. */
  readonly name: string;
  readonly content: Uint8Array | object;
}

/** What one slice holds in one store. */
export interface Holding {
  /** The table or store, by its declared name. */
  readonly store: string;
  /** What else this slice knows him by. */
  identify?(subject: DataSubject): Promise<Partial<DataSubject>>;
  /**
   * What he is given of it. Never reports of suspicion, alerts, notes about suspicion, thresholds,
   * or data of others (customers.md 5.2).
   */
  files(subject: DataSubject): AsyncIterable<HeldFile>;
  /**
   * Whether something is under way for which all that is held of him is needed: a match that nobody
   * has decided, an investigation, a report, an order of a court. An erasure waits for its end, and
   * nothing that people are shown says so.
   */
  holds?(subject: DataSubject): Promise<boolean>;
  /** What becomes of it when he is erased. */
  readonly erasure?: HoldingErasure;
}
