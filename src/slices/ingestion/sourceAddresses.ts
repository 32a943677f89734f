/**
 * Changed addresses of sources under the guard that also stands before every connection: better
 * refused to the person who types one than to the run that follows.
 */
import { DomainError, type Violation } from '#core/kernel';
import { AddressRefused, type OutboundGuard } from '#platform/outbound/outboundGuard';
import type { SourceChange } from './sourceFields.ts';

/** Throws `address-refused` with a violation for each; the addresses are well-formed. */
export async function refuseAddresses(
  guard: Pick<OutboundGuard, 'check'>,
  changes: readonly SourceChange[],
): Promise<void> {
  const checked = await Promise.all(changes.map((change) => violationOf(guard, change)));
  const violations = checked.filter((one) => one !== undefined);
  if (violations.length > 0) throw new DomainError('address-refused', { violations });
}

async function violationOf(
  guard: Pick<OutboundGuard, 'check'>,
  { fields: { url }, pointer }: SourceChange,
): Promise<Violation | undefined> {
  if (typeof url !== 'string') return undefined;
  try {
    await guard.check(new URL(url));
    return undefined;
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return { code: 'private-address', detail: error.message, pointer: `${pointer}/url` };
  }
}
