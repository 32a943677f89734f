/**
 * When a request is due (GDPR 12.3): thirty days after it came in, two calendar months more once,
 * and when people are reminded. Pure arithmetic on instants of UTC, exact to the millisecond.
 */
import type { EpochMs } from '#platform/clock';
import { DUE_DAYS, EXTENSION_MONTHS, REMINDER_DAYS } from './limits.ts';

const DAY_MS = 24 * 3_600_000;

export const dueAfter = (receivedAt: EpochMs): EpochMs =>
  (receivedAt + DUE_DAYS * DAY_MS) as EpochMs;

/** The same day and time two months later, or the last day of a month that lacks the day. */
export function extendedFrom(dueAt: EpochMs): EpochMs {
  const due = new Date(dueAt);
  const day = due.getUTCDate();
  const extended = new Date(dueAt);
  extended.setUTCDate(1);
  extended.setUTCMonth(due.getUTCMonth() + EXTENSION_MONTHS);
  const daysInMonth = new Date(
    Date.UTC(extended.getUTCFullYear(), extended.getUTCMonth() + 1, 0),
  ).getUTCDate();
  extended.setUTCDate(Math.min(day, daysInMonth));
  return extended.getTime() as EpochMs;
}

/** The instant by which it is to be answered. */
export const effectiveDue = ({
  dueAt,
  extendedTo,
}: {
  readonly dueAt: EpochMs;
  readonly extendedTo?: EpochMs;
}): EpochMs => extendedTo ?? dueAt;

/** Which reminder, and when the next one is. */
export interface Reminder {
  readonly at: EpochMs;
  /** Whole days left; negative: so many days overdue. */
  readonly daysLeft: number;
}

/** The first reminder after an instant: ten and three days before, on the day, then each day. */
export function nextReminder(due: EpochMs, after: EpochMs): Reminder {
  for (const daysLeft of REMINDER_DAYS) {
    const at = (due - daysLeft * DAY_MS) as EpochMs;
    if (at > after) return { at, daysLeft };
  }
  const overdueDays = Math.floor((after - due) / DAY_MS) + 1;
  return { at: (due + overdueDays * DAY_MS) as EpochMs, daysLeft: -overdueDays };
}

/** The latest reminder that is due at an instant: of several that were missed, the last counts. */
export function reminderDue(due: EpochMs, from: EpochMs, now: EpochMs): Reminder {
  let latest = nextReminder(due, (from - 1) as EpochMs);
  for (;;) {
    const next = nextReminder(due, latest.at);
    if (next.at > now) return latest;
    latest = next;
  }
}
