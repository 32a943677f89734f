/** Answers of authorities as they come in: a package of IDES, or XML of a CRS authority. */
import type { IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import { bytesIn } from '#platform/zipReading';
import {
  type FilingPorts,
  NOTIFICATION_PACKAGE_BYTES_MAX,
  receiveCrsStatus,
  receiveNotification,
  type StoredNotification,
  type TaxAsk,
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
  ask: TaxAsk,
  bytes: Buffer,
  idempotency?: (one: StoredNotification) => IdempotencyRecord,
): Promise<StoredNotification> {
  if (XML.test(bytes.toString('latin1', 0, FRONT_BYTES))) {
    return receiveCrsStatus(ports, { ...ask, xml: bytes }, idempotency);
  }
  const spool = async (pieces: AsyncIterable<Uint8Array>) => bytesIn(await gathered(pieces));
  return receiveNotification(ports, { ...ask, source: bytesIn(bytes), spool }, idempotency);
}
