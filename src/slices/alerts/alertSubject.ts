/** Whom an alert is about, and what was found: as its evidence has it when it is shown. */
import type { ErrorCode } from '#core/kernel';

/** A hit of an alert: an entry of a list, as it was found. */
export interface AlertHit {
  readonly ftmId: string;
  readonly primaryName: string;
  readonly source: string;
  readonly typology: string;
  readonly score: number;
  readonly matchedName: string | null;
}

/** What a rule has found of whom. */
export interface RuleSubject {
  readonly subjectKind: string;
  readonly accountId?: string;
  readonly customerId?: string;
  /** Each comparison with value, bound, window and transactions; as on the wire. */
  readonly explanation?: object;
  readonly isLate: boolean;
}

/** Payments that an alert is about. */
export interface TriggeringPayments {
  /** Account of the first. */
  readonly accountId?: string;
  /** The first hundred. */
  readonly txIds: readonly string[];
  /** How many there are, up to a thousand. */
  readonly count: number;
}

/** Who was screened, and what was found. */
export interface AlertSubject {
  /** The names that were compared; absent once they were erased. */
  readonly names?: readonly string[];
  /** The id that the tenant gave; absent where there is none, or it was erased. */
  readonly externalId?: string;
  /** Digest of the customer's reference, where a screening was given one (`subjectKeyOfRef`). */
  readonly subjectKey?: string;
  readonly isErased: boolean;
  /** Whom and what an alert of a rule is about. */
  readonly rule?: RuleSubject;
  /** Payments in which a listed party was found; read where the alert is shown by itself. */
  readonly payments?: TriggeringPayments;
  readonly hits: readonly AlertHit[];
  /** Why its evidence cannot be shown, as a code; absent where it can. */
  readonly fault?: ErrorCode;
}
