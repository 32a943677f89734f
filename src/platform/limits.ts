/**
 * Limits of the gateway that no single file owns. Every limit of the product stands in
 * docs/limits.md with its value, and a test compares that page with the code.
 */
import assert from 'node:assert/strict';

/** Request line and headers together: a token of an identity provider and a proxy's lines fit. */
export const HEADERS_BYTES_MAX = 16_384;
export const HEADERS_TIMEOUT_MS = 10_000;
export const BODY_IDLE_TIMEOUT_MS = 10_000;
/** Bytes a second of a body, over any BODY_IDLE_TIMEOUT_MS. */
export const BODY_BYTES_PER_S_MIN = 512;
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Milliseconds that running requests may take to finish after a stop was requested. */
export const SHUTDOWN_GRACE_MS = 20_000;

/** The largest JSON body that any operation may name; each names its own. */
export const JSON_BODY_BYTES_MAX = 1_048_576;
export const JSON_DEPTH_MAX = 32;
export const QUERY_CHARS_MAX = 4_096;
export const QUERY_PARAMETERS_MAX = 32;
/** Violations listed in one answer; a hostile body could have a hundred thousand. */
export const VIOLATIONS_MAX = 100;

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;
export const SCREENINGS_PAGE_LIMIT_MAX = 1_000;
export const CURSOR_CHARS_MAX = 1_024;

assert(PAGE_LIMIT_DEFAULT <= PAGE_LIMIT_MAX);
assert(CURSOR_CHARS_MAX <= QUERY_CHARS_MAX);
assert(QUERY_CHARS_MAX <= HEADERS_BYTES_MAX);
