/** Limits of notifications: nothing that a caller is refused for. */

/** Mails to one reader within an hour; what is critical is sent beyond it. */
export const MAILS_PER_HOUR_MAX = 20;
/** Hours after which a message that was not sent is no news any more, and is given up. */
export const NEWS_HOURS_MAX = 24;
/** Failures for good of one tenant, within an hour, that are a burst. */
export const BURST_FAILURES = 50;
/** Failures within an hour under which a burst is over. */
export const BURST_OVER_FAILURES = 25;
