/** What the audit asks of the slices to its right. */
import type { Actor, ErasedParts, JsonRecord } from '#core/audit';
import { port, type TenantId } from '#core/kernel';

/** An erasure of parts of a thing, as an entry of a newer export names it. */
export interface NamedParts extends ErasedParts {
  readonly actor: Actor;
  readonly tenantId: TenantId;
}

/** Erases them once more; false where they are erased, or the thing is gone with its backup. */
export type EraseParts = (of: NamedParts) => Promise<boolean>;

/** Unanswered: nothing has parts. */
export const eraseParts = port<EraseParts>(() => async () => false);

/** The same of what was taken into a log, place by place. Unanswered: there is none. */
export const eraseLogParts = port<EraseParts>(() => async () => false);

/** Erases a person once more, by the receipt of a newer export; false where nobody came back. */
export type ErasePersonAgain = (of: {
  readonly actor: Actor;
  readonly tenantId: TenantId;
  readonly receipt: JsonRecord;
}) => Promise<boolean>;

/** Unanswered: nobody is erased as a whole. */
export const erasePersonAgain = port<ErasePersonAgain>(() => async () => false);
