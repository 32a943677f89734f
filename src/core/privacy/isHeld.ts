/**
 * Whether something needs what is held of a person, so that nothing of it may be erased yet. The
 * slice that knows legal holds answers for all slices; without one nothing is held.
 */
import { DomainError, port } from '#core/kernel';
import type { DataSubject } from './dataSubject.ts';

/** By whichever of his names is known. */
export type IsHeld = (subject: DataSubject) => Promise<boolean>;

/** The question; its fallback holds nobody. */
export const isHeld = port<IsHeld>(() => async () => false);

/** Throws `subject-held`. */
export async function requireNotHeld(ask: IsHeld, subject: DataSubject): Promise<void> {
  if (await ask(subject)) throw new DomainError('subject-held');
}
