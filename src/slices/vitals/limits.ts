/** Limits of vitals. */

/** How often a process says that it lives. */
export const BEAT_EVERY_MS = 15_000;
/** A process that was not heard of for so long is missing. */
export const BEAT_LATE_MS = 60_000;
/** One that was missing for so long is taken for gone: it was killed, or its host is. */
export const BEAT_GONE_MS = 10 * 60_000;
/** How long gateways may take to load a version that has come into force, and to say so. */
export const LIST_LOAD_MS = 60_000;
/** Seconds that an event may wait in the outbox. */
export const OUTBOX_LAG_S = 60;
/** Seconds that events may wait for their checkpoint. */
export const CHECKPOINT_LATE_S = 300;
/** Share of the disk that must be free. */
export const DISK_FREE_SHARE = 0.1;
/** Seconds by which clocks may differ. */
export const CLOCK_SKEW_S = 2;
/** A list without a schedule is stale after so long. */
export const STALE_MS = 48 * 3_600_000;
/** Days before the end of a client certificate, and of a key. */
export const CERTIFICATE_DAYS = 30;
export const KEY_DAYS = 14;
/**
 * Share of the engine's threads' queue from which on a gateway is busy: queries for each thread.
 */
export const BUSY_QUERIES_PER_THREAD = 4;
/** Troubles that one answer shows. */
export const SHOWN_TROUBLES_MAX = 500;
