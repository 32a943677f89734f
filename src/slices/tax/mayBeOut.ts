/**
 * What may have left the house: it counts as sent until it is known that it was not. Sent a second
 * time, or forgotten, its accounts would be reported twice.
 */
import { DomainError } from '#core/kernel';
import { findChannel } from './channels.ts';
import type { DeclarationMessage, TaxDeclaration } from './declarationTables.ts';
import type { TaxPorts } from './ports.ts';

/** Whether the authority has it, or may have. `isByHand`: a person carries what is packaged. */
export function mayBeOut({ filing }: DeclarationMessage, isByHand: boolean): boolean {
  if (filing === undefined || filing.state === 'ordered') return false;
  if (filing.state !== 'packaged') return filing.state !== 'rejected';
  return isByHand || filing.deposit?.step === 'releasing';
}

/** Messages of it that may be out. Throws `state-altered`, where the channel was altered. */
export async function messagesOut(
  ports: Pick<TaxPorts, 'signedChannels' | 'tables'>,
  declaration: TaxDeclaration,
): Promise<readonly DeclarationMessage[]> {
  const { messages } = declaration;
  const isAsked = messages.some(({ filing }) => filing?.state === 'packaged');
  const isByHand = isAsked && (await isCarried(ports, declaration));
  return messages.filter((message) => mayBeOut(message, isByHand));
}

/** Under CRS the XML is handed in; without a channel nothing but a hand is left. */
async function isCarried(
  ports: Pick<TaxPorts, 'signedChannels' | 'tables'>,
  declaration: TaxDeclaration,
): Promise<boolean> {
  if (declaration.regime === 'CRS') return true;
  const channel = await findChannel(ports, declaration).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'channel-unknown') return undefined;
    throw error;
  });
  return channel === undefined || channel.place.kind === 'manual';
}

/**
 * Throws `state-conflict` while nobody knows whether a message has left the house; what was
 * deposited is known to be there.
 */
export async function requireKnown(
  ports: Pick<TaxPorts, 'signedChannels' | 'tables'>,
  declaration: TaxDeclaration,
): Promise<void> {
  const out = await messagesOut(ports, declaration);
  const unknown = out.find(({ filing }) => filing?.state === 'packaged');
  if (unknown === undefined) return;
  const { filing, messageNo } = unknown;
  const named = `message ${messageNo} (${filing?.fileName ?? ''})`;
  const detail = `${named} may have left the house: note its receipt or let it be settled`;
  throw new DomainError('state-conflict', { detail });
}
