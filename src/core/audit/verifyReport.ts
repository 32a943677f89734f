/** What a verification reports: one stable code per way in which an export can be bad. */
import type { EventReason } from './verifyEvent.ts';

/** Stable code of a finding. docs/audit-format.md explains each one. */
export type BadReason =
  | EventReason
  | 'erasure-missing'
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
  | 'checkpoint-lost'
  | 'tail-missing';

/** The first bad line of an export. */
export interface FirstBad {
  /** The seq that is bad or missing. */
  readonly seq: number;
  /** Counts from 1. */
  readonly line: number;
  readonly reason: BadReason;
  /** For people; never personal data. */
  readonly detail: string;
}

/** A finding about the line being read. `seq` is set where it is not the next expected one. */
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
