/**
 * What a slice says of each kind of resource that is changed under dual control, so that a change
 * may be asked for and signed later (POST /v1/approvals) as well as sent with the approver's
 * headers: the same checks, the same signed bytes, the same commit.
 *
 * The name of a resource is its kind, and behind a colon its id where there are several:
 * `sanctions_source:OFAC_SDN`.
 */
import type { Commit, IdempotencyRecord } from '#core/audit';
import type { Approval, DualControlSubject, RolePair } from './dualControl.ts';
import type { Principal, Role } from './ports.ts';

/** A change as its author asks for it. */
export interface ProposedChange {
  /** Behind the colon of the resource's name; empty where it has none. */
  readonly id: string;
  readonly field: string;
  readonly newValue: unknown;
  readonly author: Principal;
}

/** What a change is made with, once it is signed. */
export interface ApprovedBy {
  readonly approval: Approval;
  /** Free text: it stands in the part of the evidence that can be erased. */
  readonly reason: string;
  /**
   * What the approver saw. Where `show` would say something else by the time of the commit, nothing
   * is done: `state-conflict`.
   */
  readonly old?: unknown;
  /** The author's address, for the entry. */
  readonly ip?: string;
  /**
   * Goes into the same commit, in the chain of the change. A stale one of these changes is thrown
   * as it is, and nothing is done.
   */
  readonly alongside?: Partial<Pick<Commit, 'bus' | 'changes' | 'events'>>;
  /** Keeps the answer under the key of the request. */
  readonly idempotency?: (answer: AppliedChange) => IdempotencyRecord;
}

/** The answer that the operation itself gives. */
export interface AppliedChange {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** Both as they stand on the wire, with the same members. */
export interface ShownChange {
  readonly old: unknown;
  readonly new: unknown;
  /** What helps to decide. */
  readonly about?: unknown;
}

/** A change whose form is right, and which its author may ask for. */
export interface CheckedChange {
  /** What the approver signs. */
  readonly subject: DualControlSubject;
  /**
   * Throws as `apply` does where the change cannot be made now. Another `old` than when it was
   * asked for means that the change is stale.
   */
  show(): Promise<ShownChange>;
  /**
   * How many signatures the change waits for; absent: one. With more `apply` keeps the one that was
   * given, and the request waits for the next.
   */
  signaturesLeft?(): Promise<number>;
  /**
   * Makes the change in the author's name, in one commit with all of `by`. Throws
   * `dual-control-replayed` where the approval was used before.
   */
  apply(by: ApprovedBy): Promise<AppliedChange>;
}

/** One kind of resource. */
export interface Approvable {
  readonly rolePair: RolePair;
  /**
   * False: whoever asks is none of the signers, and a person of each side signs. Absent: whoever
   * asks holds a role of one side, and a person of the other one signs.
   */
  readonly authorSigns?: false;
  /** The author has one of them. */
  readonly roles: readonly Role[];
  /** Throws `body-invalid` for a form that is wrong, and what the author may not or cannot do. */
  check(change: ProposedChange): Promise<CheckedChange>;
}

/** A resource that is changed under dual control. */
export interface FoundApprovable {
  readonly approvable: Approvable;
  /** Behind the colon of its name; empty where it has none. */
  readonly id: string;
}
