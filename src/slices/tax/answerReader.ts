/**
 * Answers of authorities, opened and read. Who sends one decides what that costs, so a gateway does
 * it in a thread (asks.ts), where tenants take turns; workers and the command line do it on their
 * own. What is given on of an answer is short, whatever it says of how many records.
 */
import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { DomainError } from '#core/kernel';
import type { LineAsk } from '#platform/turnLine';
import { bytesIn, type ReadableBytes } from '#platform/zipReading';
import type { ReportRegime } from './account.ts';
import { checkEnvelope } from './checkEnvelope.ts';
import {
  NOTIFICATION_BYTES_MAX,
  NOTIFICATION_DOCUMENT_BYTES_MAX,
  NOTIFICATION_PACKAGE_BYTES_MAX,
} from './limits.ts';
import { readCrsStatus } from './readCrsStatus.ts';
import { type RecordError, readNotification, type TaxNotification } from './readNotification.ts';
import { openPayload, readOuter } from './readPackage.ts';

/** A package of IDES, with the key that opens it, and whose signature on it holds. */
export interface AnswerPackage {
  readonly bytes: Uint8Array;
  readonly key: KeyObject;
  readonly trusted: readonly X509Certificate[];
}

/** What was signed of such a package, or a status message of a CRS authority. */
export interface AnswerText {
  readonly bytes: Uint8Array;
  readonly regime: ReportRegime;
}

/** What an answer says, without its records. */
export interface AnswerSaid extends Omit<TaxNotification, 'recordErrors'> {
  readonly recordErrors: number;
}

/** An answer, with the digest that tells it from others. */
export interface ReadAnswer {
  readonly digest: string;
  readonly said: AnswerSaid;
  /** As it is kept. */
  readonly text: Uint8Array;
}

/** Which records in error are wanted; absent: all. */
export interface ErrorsWanted {
  readonly from?: number;
  readonly limit?: number;
}

/** Records in error in the order of the answer. */
export interface ReadErrors {
  readonly errors: readonly RecordError[];
  readonly total: number;
}

/** Reads answers, in turns of tenants. */
export interface AnswerReader {
  /** Throws `package-…` and `notification-invalid`. */
  open(answer: AnswerPackage, by: LineAsk): Promise<ReadAnswer>;
  /** Throws `notification-invalid`. */
  read(answer: AnswerText, by: LineAsk): Promise<ReadAnswer>;
  errors(answer: AnswerText & ErrorsWanted, by: LineAsk): Promise<ReadErrors>;
}

/** On the thread of the caller. */
export const answersHere: AnswerReader = { errors: readErrors, open: openAnswer, read: readAnswer };

async function openAnswer({ bytes, key, trusted }: AnswerPackage): Promise<ReadAnswer> {
  const outer = await readOuter(bytesIn(bytes));
  const document = await openPayload(outer, {
    bytesMax: NOTIFICATION_DOCUMENT_BYTES_MAX,
    key,
    spool: inMemory,
  });
  const texts: string[] = [];
  let chars = 0;
  const onSigned = (piece: string): void => {
    chars += piece.length;
    if (chars > NOTIFICATION_BYTES_MAX) {
      const detail = `expected at most ${NOTIFICATION_BYTES_MAX} bytes`;
      throw new DomainError('notification-invalid', { detail });
    }
    texts.push(piece);
  };
  await checkEnvelope(document, { onSigned, trusted });
  return readAnswer({ bytes: Buffer.from(texts.join('')), regime: 'FATCA' });
}

/** What is encrypted, which takes no more room than the package that it came in. */
async function inMemory(pieces: AsyncIterable<Uint8Array>): Promise<ReadableBytes> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > NOTIFICATION_PACKAGE_BYTES_MAX) {
      const detail = `expected at most ${NOTIFICATION_PACKAGE_BYTES_MAX} bytes in an entry`;
      throw new DomainError('package-unreadable', { detail });
    }
    all.push(piece);
  }
  return bytesIn(Buffer.concat(all));
}

async function readAnswer(answer: AnswerText): Promise<ReadAnswer> {
  const { recordErrors, ...said } = notificationOf(answer);
  const { bytes: text } = answer;
  const digest = createHash('sha256').update('tax-notification-text-v1\0').update(text);
  return {
    digest: digest.digest('hex'),
    said: { ...said, recordErrors: recordErrors.length },
    text,
  };
}

async function readErrors({
  from = 0,
  limit,
  ...answer
}: AnswerText & ErrorsWanted): Promise<ReadErrors> {
  const { recordErrors } = notificationOf(answer);
  const to = limit === undefined ? recordErrors.length : from + limit;
  return { errors: recordErrors.slice(from, to), total: recordErrors.length };
}

const notificationOf = ({ bytes, regime }: AnswerText): TaxNotification =>
  regime === 'CRS'
    ? readCrsStatus(bytes)
    : readNotification(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
