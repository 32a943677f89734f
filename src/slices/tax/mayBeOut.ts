/**
 * What may have left the house: it counts as sent until it is known that it was not. Sent a second
 * time, or forgotten, its accounts would be reported twice. Whether a person carries a package
 * stands with it: how the institution files now says nothing of a package of before.
 */
import { DomainError } from '#core/kernel';
import type { DeclarationMessage, TaxDeclaration } from './declarationTables.ts';

/** Whether the authority has it, or may have. */
export function mayBeOut({ filing }: DeclarationMessage): boolean {
  if (filing === undefined || filing.state === 'ordered') return false;
  if (filing.state !== 'packaged') return filing.state !== 'rejected';
  return filing.isByHand !== false || filing.deposit?.step === 'releasing';
}

/**
 * Throws `state-conflict` while nobody knows whether a message has left the house; what was
 * deposited is known to be there.
 */
export function requireKnown({ messages }: TaxDeclaration): void {
  const unknown = messages.find((one) => mayBeOut(one) && one.filing?.state === 'packaged');
  if (unknown === undefined) return;
  const { filing, messageNo } = unknown;
  const named = `message ${messageNo} (${filing?.fileName ?? ''})`;
  const detail = `${named} may have left the house: note its receipt or let it be settled`;
  throw new DomainError('state-conflict', { detail });
}
