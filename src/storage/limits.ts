/** Every bound of the stores in one place; docs/limits.md lists them. */

/** An idempotency key may be used again after this (decisions 1.2). */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1000;
/** Rows of one page of events, outbox rows or list versions. */
export const PAGE_ROWS_MAX = 1000;
/** Events of one group; the log that seals them keeps well under it. */
export const GROUP_EVENTS_MAX = 1000;
/** All that a group writes: a MongoDB document ends at 16 MB, and text may take two bytes. */
export const GROUP_BYTES_MAX = 7 * 1024 * 1024;
/** Calls that wait for one storage thread; the next is refused as `store-unavailable`. */
export const CALLS_PENDING_MAX = 10_000;
/** Write calls that share one transaction, and so one fsync. */
export const CALLS_PER_TRANSACTION_MAX = 64;
/** How long a write waits for another process's transaction before it gives up. */
export const WRITE_LOCK_WAIT_MS = 5_000;
/**
 * Milliseconds for which a released head is kept for the first in line. A live process needs one
 * look and one write for it, which a slow store answers in a tenth of that.
 */
export const HEAD_HANDOVER_MS = 500;
/** Held heads that are looked at; one process has few at a time. */
export const HELD_HEADS_MAX = 1_000;
/** Processes that stand in line for one head; others ask again until there is room. */
export const HEAD_LINE_MAX = 32;
/** Rows that one purge step deletes, so that other writers get their turn between steps. */
export const PURGE_ROWS_MAX = 1_000;
/** Rows that a figure of the outbox counts: a subscriber past them is far behind in any case. */
export const OUTBOX_COUNT_MAX = 10_000;
