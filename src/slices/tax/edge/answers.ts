/** Answers of authorities as they come in: a package of IDES, or XML of a CRS authority. */
import type { IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import {
  type FilingPorts,
  NOTIFICATION_PACKAGE_BYTES_MAX,
  type ReceiveAnswer,
  receiveCrsStatus,
  receiveNotification,
  type StoredNotification,
} from '#slices/tax';

/** A package of a notification in memory: none is larger. Throws `body-too-large`. */
export async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > NOTIFICATION_PACKAGE_BYTES_MAX) throw new DomainError('body-too-large');
    all.push(piece);
  }
  return Buffer.concat(all);
}

const XML = /^(?:\u00ef\u00bb\u00bf)?\s*</;
const FRONT_BYTES = 64;

/** By what it begins with. */
export function receiveAnswer(
  ports: FilingPorts,
  ask: ReceiveAnswer & { readonly bytes: Buffer },
  idempotency?: (one: StoredNotification) => IdempotencyRecord,
): Promise<StoredNotification> {
  const isXml = XML.test(ask.bytes.toString('latin1', 0, FRONT_BYTES));
  return isXml
    ? receiveCrsStatus(ports, ask, idempotency)
    : receiveNotification(ports, ask, idempotency);
}
