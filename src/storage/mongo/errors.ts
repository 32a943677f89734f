/**
 * The driver's errors in the house's words: what the caller can wait out is `store-unavailable`,
 * anything else is a mistake of ours and stays. Translation is the last step, outside transactions:
 * inside, the driver must see its own labels to know what to retry.
 */
import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';
import { DomainError } from '#core/kernel';

const DUPLICATE_KEY = 11000;
const WEATHER = [
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'MongoWriteConcernError',
  'MongoExpiredSessionError',
  'MongoOperationTimeoutError',
  'MongoWaitQueueTimeoutError',
];
const RETRYABLE_LABELS = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];
/** Interrupted, exceeded time, not primary, shutting down, disk full. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  6, 7, 50, 64, 89, 91, 133, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436, 14031,
]);

export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** For the error of one write among several. */
export const isDuplicateError = ({ code }: { readonly code: number }): boolean =>
  code === DUPLICATE_KEY;

/** Every write that failed did so because its key is there already, and the others are written. */
export function areDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error);
  const failures = [error.writeErrors].flat();
  const isWhole = error.result.getWriteConcernError() === undefined;
  return isWhole && failures.length > 0 && failures.every(isDuplicateError);
}

/** MaxTimeMSExpired. */
export function isTimeout(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 50;
}

/** Whether the violated index has this key; older servers name it in the message alone. */
export function isDuplicateOf(error: unknown, key: string): boolean {
  if (!isDuplicateKey(error)) return false;
  const pattern: unknown = error.keyPattern;
  if (typeof pattern === 'object' && pattern !== null) return key in pattern;
  return error.message.includes(`${key}_1`);
}

function isWeather(error: MongoError): boolean {
  if (WEATHER.includes(error.name)) return true;
  if (RETRYABLE_LABELS.some((label) => error.hasErrorLabel(label))) return true;
  return typeof error.code === 'number' && UNAVAILABLE_CODES.has(error.code);
}

export function toStoreError(error: unknown): unknown {
  if (!(error instanceof MongoError) || !isWeather(error)) return error;
  return new DomainError('store-unavailable', {
    // The driver's messages may carry values of documents: the kind is enough for the caller.
    detail: `MongoDB: ${error.name}`,
    retryAfterS: 1,
    cause: error,
  });
}

type Port = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** The same port, whose methods reject in the house's words. */
export function withStoreErrors<T extends object>(store: T): T {
  const guarded = Object.entries(store as unknown as Port).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw toStoreError(error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as T;
}
