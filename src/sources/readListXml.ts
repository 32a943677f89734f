/** XML of a publisher: what is wrong with the document is wrong with the list. */
import { DomainError } from '#core/kernel';
import type { XmlHandler, XmlOptions } from '#platform/xml/ports';
import { readXml, XmlDamaged } from '#platform/xml/readXml';

/** As `readXml`; throws DomainError `list-damaged` with the place for a damaged document. */
export async function readListXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  options: XmlOptions = {},
): Promise<void> {
  try {
    await readXml(chunks, handler, options);
  } catch (error) {
    if (!(error instanceof XmlDamaged)) throw error;
    throw new DomainError('list-damaged', { cause: error.cause, detail: error.message });
  }
}
