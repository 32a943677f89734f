/** Every format into the canonical record: the one way in for requests, workers and files. */
import { DomainError } from '#core/kernel';
import { unpack } from '#slices/intake';
import { csvTransactions } from './csvTransactions.ts';
import { FIN_BYTES_MAX } from './finMessages.ts';
import { JSON_BYTES_MAX, jsonTransactions } from './jsonTransactions.ts';
import { mt103Transactions } from './mt103Transactions.ts';
import { pacs008Transactions } from './pacs008Transactions.ts';
import { PACS008_BYTES_MAX } from './readPacs008.ts';
import type { Format, ReadingContext, ReadTransactions } from './transaction.ts';

/** A format whose body is read whole. */
export type MessageFormat = Exclude<Format, 'csv_service'>;

/** The most bytes that a body of this format may have. */
export const MESSAGE_BYTES_MAX: Readonly<Record<MessageFormat, number>> = {
  iso20022_pacs008: PACS008_BYTES_MAX,
  json_service: JSON_BYTES_MAX,
  swift_mt103: FIN_BYTES_MAX,
};

const READERS: Readonly<
  Record<MessageFormat, (bytes: Buffer, context: ReadingContext) => ReadTransactions>
> = {
  iso20022_pacs008: pacs008Transactions,
  json_service: jsonTransactions,
  swift_mt103: mt103Transactions,
};

/** A message that is in memory; throws where nothing of it can be taken. */
export function readMessage(
  format: MessageFormat,
  bytes: Buffer,
  context: ReadingContext,
): ReadTransactions {
  requireRoom(bytes.length, MESSAGE_BYTES_MAX[format]);
  return READERS[format](bytes, context);
}

/** A file of any format: a message at once, a CSV some rows at a time, plain or gzip. */
export async function* readTransactions(
  format: Format,
  chunks: AsyncIterable<Uint8Array>,
  context: ReadingContext,
): AsyncGenerator<ReadTransactions> {
  if (format === 'csv_service') {
    const { bytes } = await unpack(chunks);
    yield* csvTransactions(bytes, context);
    return;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    requireRoom(length, MESSAGE_BYTES_MAX[format]);
    pieces.push(chunk);
  }
  yield readMessage(format, Buffer.concat(pieces), context);
}

function requireRoom(bytes: number, max: number): void {
  if (bytes <= max) return;
  throw new DomainError('body-too-large', { detail: `expected at most ${max} bytes` });
}
