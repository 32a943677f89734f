/**
 * What a slice holds of one person: the seam by which a request about his data reaches every
 * store. A slice declares its holdings beside its tables, and the slice `privacy` folds them: it
 * knows no noun of another.
 */
import type { TenantId } from '#core/kernel';

/** The person, under the names that slices know him by. */
export interface DataSubject {
  readonly tenantId: TenantId;
  /** The tenant's own id: `subject_ref` of screenings, `external_ref` of cases. */
  readonly subjectRef?: string;
  readonly subjectId?: string;
  readonly caseIds?: readonly string[];
}

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
}
