/**
 * Quartz expressions as Quartz reads them: its own test expressions (TEST_DATA_DIR), and croner
 * as a second opinion on what both can read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { nextFires, validateCron } from '#slices/ingestion';
import { parseQuartz } from '../../../src/slices/ingestion/quartz.ts';

const directory = process.env.TEST_DATA_DIR;
if (directory === undefined) console.warn('TEST_DATA_DIR is not set: no Quartz cases are read');

interface Case {
  readonly expression: string;
  readonly kind: 'valid' | 'isSatisfiedBy';
  readonly at?: string;
  readonly expected: boolean;
}

const cases: Case[] =
  directory === undefined
    ? []
    : readFileSync(join(directory, 'cron/quartz_java_cases.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));

/** Their seventh field is a year, which ours does not have. */
function withoutYear({ expression, ...rest }: Case): Case & { readonly year?: string } {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 7) return { ...rest, expression };
  return { ...rest, expression: fields.slice(0, 6).join(' '), year: String(fields[6]) };
}

const at = (text: string): EpochMs => Date.parse(`${text}Z`) as EpochMs;
const isValid = (expression: string): boolean => validateCron(expression)?.code !== 'cron-syntax';

describe.skipIf(directory === undefined)('Quartz and we agree', () => {
  test.each(cases.filter(({ kind }) => kind === 'valid').map(withoutYear))(
    '$expression is valid: $expected',
    ({ expected, expression, year }) => {
      const code = validateCron(expression)?.code;
      if (expected) expect(['spacing-under-60s', undefined]).toContain(code);
      else expect(['cron-syntax', 'not-six-fields']).toContain(code);
      if (year !== undefined) {
        expect(validateCron(`${expression} ${year}`)?.code).toBe('not-six-fields');
      }
    },
  );

  test.each(cases.filter(({ kind }) => kind === 'isSatisfiedBy').map(withoutYear))(
    '$expression fires at $at: $expected',
    ({ expected, expression, year, at: moment = '' }) => {
      if (year !== undefined && !moment.startsWith(year)) return;
      const time = at(moment);
      const [next] = nextFires(expression, (time - 1_000) as EpochMs, 1);
      expect(next === time).toBe(expected);
    },
  );
});

describe('what an expression may be', () => {
  test.each([
    ['@daily', 'not-six-fields'],
    ['', 'not-six-fields'],
    ['*/5 * * * *', 'not-six-fields'],
    ['0 15 10 * * ? 2005', 'not-six-fields'],
    ['0 0 0 * * *', 'cron-syntax'],
    ['0 0 0 ? * ?', 'cron-syntax'],
    ['0 0 ? * * ?', 'cron-syntax'],
    ['0 0 24 * * ?', 'cron-syntax'],
    ['0 60 0 * * ?', 'cron-syntax'],
    ['0 0 0 0 * ?', 'cron-syntax'],
    ['0 0 0 L-31 * ?', 'cron-syntax'],
    ['0 0 0 ? * 8', 'cron-syntax'],
    ['0 0 0 ? * 0', 'cron-syntax'],
    ['0 0 0 ? * 2#6', 'cron-syntax'],
    ['0 0 0 ? * MON#1,FRI', 'cron-syntax'],
    ['0 0 0 ? * LW', 'cron-syntax'],
    ['0 1-2-3 0 * * ?', 'cron-syntax'],
    ['0 1/2/3 0 * * ?', 'cron-syntax'],
    ['0 */0 0 * * ?', 'cron-syntax'],
    ['0 -1 0 * * ?', 'cron-syntax'],
    ['0 1, 0 * * ?', 'cron-syntax'],
    ['0 0 0 30 FEB ?', 'cron-syntax'],
    [`0 ${'1,'.repeat(40)}1 0 * * ?`, 'cron-syntax'],
    ['* * * * * ?', 'spacing-under-60s'],
    ['0,59 0 0 * * ?', 'spacing-under-60s'],
  ])('%s is refused: %s', (expression, code) => {
    expect(validateCron(expression)?.code).toBe(code);
  });

  test.each([
    ['0 0 22-2/2 * * ?', ['2026-01-01T02:00:00', '2026-01-01T22:00:00', '2026-01-02T00:00:00']],
    ['0 0 0 ? * FRI-MON', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00']],
    ['0 0 0 1 NOV-FEB ?', ['2026-02-01T00:00:00', '2026-11-01T00:00:00', '2026-12-01T00:00:00']],
    ['0 0 0 ? * L', ['2026-01-03T00:00:00', '2026-01-10T00:00:00', '2026-01-17T00:00:00']],
    ['0 0 0 1W 8 ?', ['2026-08-03T00:00:00', '2027-08-02T00:00:00', '2028-08-01T00:00:00']],
    ['0 0 0 LW 2 ?', ['2026-02-27T00:00:00', '2027-02-26T00:00:00', '2028-02-29T00:00:00']],
    ['0 0 0 29 2 ?', ['2028-02-29T00:00:00', '2032-02-29T00:00:00', '2036-02-29T00:00:00']],
    ['0 0 0 ? 2 SUN#5', ['2032-02-29T00:00:00', '2060-02-29T00:00:00', '2088-02-29T00:00:00']],
  ])('%s fires at its next three times', (expression, fires) => {
    expect(nextFires(expression, at('2026-01-01T00:00:00'), 3)).toEqual(fires.map(at));
  });
});

describe('croner and we agree on what both read', () => {
  const value = (min: number, max: number) => fc.integer({ max, min });
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      value(min, max).map(String),
      fc
        .tuple(value(min, max), value(min, max))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      fc.tuple(value(min, max), value(2, 6)).map(([from, step]) => `${from}/${step}`),
      fc.uniqueArray(value(min, max), { maxLength: 3, minLength: 2 }).map((list) => list.join(',')),
    );
  const dates = fc.oneof(field(1, 31), fc.constantFrom('L', 'LW', '15W', '2W'));
  const weekdays = fc.oneof(field(1, 7), fc.constantFrom('6L', '2#1', '6#3', 'MON', 'SUN,FRI'));
  const days = fc.oneof(
    dates.map((date) => [date, '?'] as const),
    weekdays.map((weekday) => ['?', weekday] as const),
  );
  const moment = value(Date.UTC(2024, 0, 1), Date.UTC(2040, 0, 1));

  test('the next five fires are the same', () => {
    fc.assert(
      fc.property(value(0, 59), field(0, 59), field(0, 23), field(1, 12), days, moment, (...of) => {
        const [second, minute, hour, month, [date, weekday], from] = of;
        const expression = `${second} ${minute} ${hour} ${date} ${month} ${weekday}`;
        fc.pre(isValid(expression));
        const croner = new Cron(expression, {
          alternativeWeekdays: true,
          mode: '6-part',
          sloppyRanges: true,
          timezone: 'UTC',
        });
        const theirs = croner.nextRuns(5, new Date(from)).map((fire) => fire.getTime());
        expect(nextFires(expression, from as EpochMs, 5).slice(0, theirs.length)).toEqual(theirs);
      }),
      { numRuns: 150 },
    );
  });

  test('no text makes the parser throw anything but its own error', () => {
    const letters = fc.constantFrom(...'0123456789*/-,?LW#ABCMONFRI ');
    const text = fc.array(letters, { maxLength: 30 }).map((list) => list.join(''));
    fc.assert(
      fc.property(text, (expression) => {
        try {
          parseQuartz(expression);
        } catch (error) {
          expect(error).toMatchObject({ name: 'CronError' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
