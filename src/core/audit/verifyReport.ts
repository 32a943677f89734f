/** The words of a verification: one stable code per way in which an export can be bad. */
import type { EventReason } from './verifyEvent.ts';

export type BadReason =
  | EventReason
  | 'line-malformed'
  | 'header-missing'
  | 'version-unknown'
  | 'start-unanchored'
  | 'chain-broken'
  | 'signature-invalid'
  | 'key-unknown'
  | 'key-not-held'
  | 'checkpoint-invalid'
  | 'checkpoint-mismatch'
  | 'checkpoint-uncovered'
  | 'tail-missing';

export interface FirstBad {
  /** The seq that is bad or missing. */
  readonly seq: number;
  /** From 1. */
  readonly line: number;
  readonly reason: BadReason;
  /** For people; never personal data. */
  readonly detail: string;
}

/** Raised where a line is read; `seq` where it is not the one that should come next. */
export class Bad extends Error {
  override readonly name = 'Bad';
  readonly reason: BadReason;
  readonly seq: number | undefined;

  constructor(reason: BadReason, detail: string, seq?: number) {
    super(detail);
    this.reason = reason;
    this.seq = seq;
  }
}
