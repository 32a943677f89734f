/** Limits of alerts. */
import type { LimitRow } from '#core/kernel';

/** Open streams of one caller at one gateway. */
export const STREAMS_PER_CALLER_MAX = 10;
/** Open streams of one gateway. */
export const STREAMS_MAX = 1_000;
/** What waits for a reader of a stream that does not take it; then the stream is closed. */
export const STREAM_UNREAD_BYTES_MAX = 1_024 * 1_024;
/** Shortest comment that closes an alert as a false positive. */
export const COMMENT_CHARS_MIN = 20;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'streams-exhausted', max: STREAMS_PER_CALLER_MAX, what: 'Alert streams of a caller' },
  { beyond: 'streams-exhausted', max: STREAMS_MAX, what: 'Alert streams of a gateway' },
];
