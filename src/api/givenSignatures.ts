/** Signatures of a publication as they come in a body: one of the caller, or those of two. */
import type { GivenSignature } from '#core/identity';
import { DomainError } from '#core/kernel';

/** The members of such a body. */
export interface SignaturesBody {
  readonly signature?: string;
  readonly timestamp?: string;
  readonly signatures?: readonly GivenSignature[];
}

/** Problems that an operation may give where it takes signatures. */
export const SIGNING_PROBLEMS = [
  'dual-control-expired',
  'dual-control-replayed',
  'dual-control-roles',
  'dual-control-same-person',
  'dual-control-signature-invalid',
] as const;

/** Throws `body-invalid` where there are both, or neither. */
export function signaturesIn(given: SignaturesBody): readonly GivenSignature[] {
  const { signature, signatures, timestamp } = given;
  const isOne = signature !== undefined && timestamp !== undefined;
  if (signatures !== undefined && signature === undefined && timestamp === undefined) {
    return signatures;
  }
  if (isOne && signatures === undefined) return [{ signature, timestamp }];
  const detail = 'expected either signature and timestamp, or signatures';
  const violations = [{ code: 'missing', detail, pointer: '/signature' }];
  throw new DomainError('body-invalid', { detail, violations });
}
