/**
 * What an authority has on file of an institution, a period and a receiver, record by record, and
 * what may be sent of it. What was filed is the ledger: records of accepted messages in the order
 * in which they were accepted, and the errors that were answered. A correction names the latest
 * version and no other, so that the authority refuses none (tax.md 5.2 and 5.4).
 */
import type { ReportRegime } from './account.ts';

/** What a record says of the one before it. */
export type FiledType = 'amended' | 'corrected' | 'new' | 'resent' | 'void';

/** Digits of DocTypeIndic; amendments are known to FATCA alone, resent institutions to CRS. */
export const TYPE_DIGITS: Readonly<Record<FiledType, string>> = {
  amended: '4',
  corrected: '2',
  new: '1',
  resent: '0',
  void: '3',
};

/** One record of an accepted message. */
export interface FiledRecord {
  readonly docRefId: string;
  readonly messageRefId: string;
  readonly type: FiledType;
  readonly corrDocRefId?: string;
  /** The declaration that filed it. */
  readonly origin: string;
  /** Institution or sponsor: it stands in each message, and is there as long as accounts are. */
  readonly isFrame?: boolean;
}

/** A record that is on file, in its latest version. */
export interface LiveRecord {
  readonly docRefId: string;
  readonly messageRefId: string;
  readonly isInError: boolean;
  /** The declaration that filed its first version. */
  readonly origin: string;
}

/** What a correction names. */
export interface Corrected {
  readonly docRefId: string;
  /** FATCA requires it, CRS forbids it. */
  readonly messageRefId?: string;
}

/** Codes of records that the IRS has not taken: the version before them stays. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  ...['8002', '8004', '8005', '8006', '8008', '8010', '8011', '8012'],
  ...['8014', '8016', '8017', '8018', '8020', '8021'],
]);

/** The versions of all records of one ledger. */
export class RecordLedger {
  readonly #regime: ReportRegime;
  readonly #live = new Map<string, LiveRecord>();
  /** The version that took the place of one, or null where it was voided. */
  readonly #next = new Map<string, string | null>();

  constructor(regime: ReportRegime) {
    this.#regime = regime;
  }

  /** A record was accepted, with the code of its error where it has one. */
  file(record: FiledRecord, errorCode?: string): void {
    const { corrDocRefId, docRefId, isFrame = false, messageRefId, type } = record;
    const isVoid = type === 'void' && !isFrame;
    if (type === 'resent' || (errorCode !== undefined && NOT_TAKEN.has(errorCode))) return;
    const former = corrDocRefId === undefined ? undefined : this.#live.get(corrDocRefId);
    const origin = former?.origin ?? record.origin;
    if (corrDocRefId !== undefined) {
      this.#live.delete(corrDocRefId);
      this.#next.set(corrDocRefId, isVoid ? null : docRefId);
    }
    if (isVoid) return;
    const isInError = errorCode !== undefined;
    this.#live.set(docRefId, { docRefId, isInError, messageRefId, origin });
  }

  /** The record where it is the latest version and not voided. */
  live(docRefId: string): LiveRecord | undefined {
    return this.#live.get(docRefId);
  }

  /** The latest version of a record, whichever version is named; undefined once it was voided. */
  latest(docRefId: string): LiveRecord | undefined {
    let at: string | null | undefined = docRefId;
    while (at !== null && at !== undefined) {
      const found = this.#live.get(at);
      if (found !== undefined) return found;
      at = this.#next.get(at);
    }
    return undefined;
  }

  /**
   * What a record of this type must name of that one; undefined where it would be refused: nothing
   * is on file, an error is amended, or what has none is corrected.
   */
  plan(docRefId: string, type: 'amended' | 'corrected' | 'void'): Corrected | undefined {
    const found = this.#live.get(docRefId);
    if (found === undefined) return undefined;
    if (this.#regime === 'CRS') return type === 'amended' ? undefined : { docRefId };
    if (type === 'corrected' && !found.isInError) return undefined;
    if (type === 'amended' && found.isInError) return undefined;
    return { docRefId, messageRefId: found.messageRefId };
  }

  /** All that are on file. */
  get all(): Iterable<LiveRecord> {
    return this.#live.values();
  }
}
