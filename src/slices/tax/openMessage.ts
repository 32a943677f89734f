/** The XML of a message, out of its sealed blob. */
import { openFile } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { declarationKey } from './declarationSteps.ts';
import type { DeclarationMessage, TaxDeclaration } from './declarationTables.ts';
import type { TaxPorts } from './ports.ts';

/** What the blob of a message is sealed for. */
export const XML_LABEL = 'tax-declaration-xml';

/** The XML of a message as it comes; it is known to be whole once all was read. */
export async function openMessage(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  declaration: TaxDeclaration,
  { blob, bytes, sha256 }: DeclarationMessage,
): Promise<AsyncIterable<Uint8Array>> {
  const key = await dataKeys.find(declarationKey(declaration));
  const stored = key && {
    address: sha256,
    bytes,
    sealed: { blob, keyId: key.keyId, keyVersion: key.version },
  };
  const under = key && { label: XML_LABEL, secret: key.secret };
  const pieces = stored && (await openFile(blobs, stored, under));
  if (pieces === undefined) throw new DomainError('blob-damaged', { detail: 'the XML is gone' });
  return pieces;
}
