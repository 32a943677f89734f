/** Deadlines and reminders, exact to the second (customers.md P4). */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { dueAfter, extendedFrom, nextReminder, reminderDue } from '#slices/privacy';

const at = (text: string): EpochMs => Date.parse(text) as EpochMs;
const iso = (ms: number): string => new Date(ms).toISOString();
const DAY_MS = 24 * 3_600_000;

describe('deadlines', () => {
  test('thirty days of 24 hours, over the change of clocks and through a leap day', () => {
    expect(iso(dueAfter(at('2026-03-10T11:22:33.444Z')))).toBe('2026-04-09T11:22:33.444Z');
    expect(iso(dueAfter(at('2028-02-01T00:00:00.000Z')))).toBe('2028-03-02T00:00:00.000Z');
    expect(iso(dueAfter(at('2026-02-01T00:00:00.000Z')))).toBe('2026-03-03T00:00:00.000Z');
  });

  test.each([
    ['2026-12-31T23:59:59.999Z', '2027-02-28T23:59:59.999Z'],
    ['2027-12-31T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
    ['2026-06-30T10:00:00.000Z', '2026-08-30T10:00:00.000Z'],
    ['2026-07-31T10:00:00.000Z', '2026-09-30T10:00:00.000Z'],
    ['2026-01-15T10:00:00.000Z', '2026-03-15T10:00:00.000Z'],
    ['2026-11-30T10:00:00.000Z', '2027-01-30T10:00:00.000Z'],
  ])('two calendar months after %s is %s', (due, extended) => {
    expect(iso(extendedFrom(at(due)))).toBe(extended);
  });

  test('reminders come ten and three days before, on the day, and then each day', () => {
    const due = at('2026-03-31T08:00:00.000Z');
    const told: (readonly [string, number])[] = [];
    for (let after = dueBefore(due, 30); told.length < 6; ) {
      const next = nextReminder(due, after);
      told.push([iso(next.at), next.daysLeft]);
      after = next.at;
    }
    expect(told).toEqual([
      ['2026-03-21T08:00:00.000Z', 10],
      ['2026-03-28T08:00:00.000Z', 3],
      ['2026-03-31T08:00:00.000Z', 0],
      ['2026-04-01T08:00:00.000Z', -1],
      ['2026-04-02T08:00:00.000Z', -2],
      ['2026-04-03T08:00:00.000Z', -3],
    ]);
  });

  test('of reminders that were missed the latest is told', () => {
    const due = at('2026-03-31T08:00:00.000Z');
    const from = dueBefore(due, 10);
    expect(reminderDue(due, from, from)).toEqual({ at: from, daysLeft: 10 });
    expect(reminderDue(due, from, (due + 1) as EpochMs).daysLeft).toBe(0);
    expect(reminderDue(due, from, (due + 5 * DAY_MS + 1) as EpochMs).daysLeft).toBe(-5);
    expect(reminderDue(due, from, (due - 1) as EpochMs).daysLeft).toBe(3);
  });
});

const dueBefore = (due: EpochMs, days: number): EpochMs => (due - days * DAY_MS) as EpochMs;
