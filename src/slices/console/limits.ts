/** Limits of the console's sign-in. */
import type { LimitRow } from '#core/kernel';

/** How long a link to sign in by is good. */
export const LINK_MS = 10 * 60_000;
/** How long a session lasts without a request. */
export const IDLE_MS = 15 * 60_000;
/** How long a session lasts at the most. */
export const SESSION_MS = 12 * 3_600_000;
/** How long ago a person may have proved who they are for what weighs more. */
export const STEP_UP_MS = 15 * 60_000;
/** How long a stream goes on before its session is looked at again. */
export const STREAM_LOOK_MS = 60_000;
/** How exactly the last request of a session is known. */
export const SEEN_EVERY_MS = 30_000;
/** Sessions of one person that are listed, latest first. */
export const SESSIONS_SHOWN_MAX = 50;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'credential-invalid', max: LINK_MS / 60_000, what: 'Minutes of a link to the console' },
  {
    beyond: 'credential-expired',
    max: IDLE_MS / 60_000,
    what: 'Minutes without a request that end a session of the console',
  },
  {
    beyond: 'credential-expired',
    max: SESSION_MS / 3_600_000,
    what: 'Hours of a session of the console',
  },
  {
    beyond: 'credential-expired',
    max: STREAM_LOOK_MS / 1_000,
    what: 'Seconds until the session of a stream of the console is looked at again',
  },
  {
    beyond: 'mfa-required',
    max: STEP_UP_MS / 60_000,
    what: 'Minutes since a sign-in by the identity provider for decisions and secrets',
  },
];
