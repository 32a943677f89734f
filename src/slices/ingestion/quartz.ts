/**
 * Quartz cron expressions in their written form: seconds, minutes, hours, day of month, month, day
 * of week, and nothing else. No macros, no year, no five fields; exactly one of the two day fields
 * is `?`. Weekdays count from 1, Sunday, to 7, Saturday; ranges may wrap (`22-2`, `FRI-MON`).
 *
 * A parser of our own, since no library reads the whole grammar (`L-3`, `L-5W`, wrapped ranges) or
 * refuses what Quartz refuses, and since the analysis of a schedule needs the fields, not the
 * fires. It is tested with Quartz's own expressions, and against croner for what both can read:
 * test/slices/ingestion/quartz.test.ts.
 */

export const CRON_CHARS_MAX = 64;

export type CronProblemCode = 'not-six-fields' | 'cron-syntax';

/** A fault of an expression; the message names the field and what was expected. */
export class CronError extends Error {
  override readonly name = 'CronError';
  readonly code: CronProblemCode;

  constructor(code: CronProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Which days of a month; the weekdays of its days are the calendar's. */
export type DayRule =
  /** 1..31 */
  | { readonly kind: 'date'; readonly date: number }
  /** `15W`: the weekday nearest to the date, inside of its month. */
  | { readonly kind: 'nearest'; readonly date: number }
  /** `L`, `L-3`, `LW`, `L-3W`. */
  | { readonly kind: 'last'; readonly offset: number; readonly isNearest: boolean }
  /** 0 is Sunday. */
  | { readonly kind: 'weekday'; readonly weekday: number }
  /** `6#3`: the third Friday. */
  | { readonly kind: 'nth'; readonly weekday: number; readonly nth: number }
  /** `6L`: the last Friday. */
  | { readonly kind: 'lastWeekday'; readonly weekday: number };

export interface QuartzCron {
  /** Ascending. */
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1..12 */
  readonly months: ReadonlySet<number>;
  /** A day fires where one of them holds. */
  readonly days: readonly DayRule[];
}

interface Field {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const SECONDS: Field = { title: 'seconds', min: 0, max: 59 };
const MINUTES: Field = { title: 'minutes', min: 0, max: 59 };
const HOURS: Field = { title: 'hours', min: 0, max: 23 };
const DATES: Field = { title: 'day of month', min: 1, max: 31 };
const MONTHS: Field = {
  title: 'month',
  min: 1,
  max: 12,
  names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' '),
};
const WEEKDAYS: Field = {
  title: 'day of week',
  min: 1,
  max: 7,
  names: 'SUN MON TUE WED THU FRI SAT'.split(' '),
};
/** Quartz: an increment that could never come round twice is a mistake. */
const STEP_LIMITS = new Map([
  [SECONDS, 60],
  [MINUTES, 60],
  [HOURS, 24],
  [DATES, 31],
  [MONTHS, 12],
  [WEEKDAYS, 7],
]);
const LAST_OFFSET_MAX = 30;

/** Throws CronError. That an expression fires at all is `nextFires`' to say. */
export function parseQuartz(expression: string): QuartzCron {
  if (expression.length > CRON_CHARS_MAX) {
    const detail = `expected at most ${CRON_CHARS_MAX} characters, got ${expression.length}`;
    throw new CronError('cron-syntax', detail);
  }
  const fields = expression
    .trim()
    .toUpperCase()
    .split(/[ \t]+/);
  const [second = '', minute = '', hour = '', date = '', month = '', weekday = ''] = fields;
  if (fields.length !== 6) {
    const got = expression.trim() === '' ? 0 : fields.length;
    throw new CronError('not-six-fields', `expected six fields, got ${got}`);
  }
  if ((date === '?') === (weekday === '?')) {
    const detail = "expected '?' in exactly one of day of month and day of week";
    throw new CronError('cron-syntax', detail);
  }
  return {
    seconds: ascending(readValues(second, SECONDS)),
    minutes: ascending(readValues(minute, MINUTES)),
    hours: ascending(readValues(hour, HOURS)),
    months: readValues(month, MONTHS),
    days: date === '?' ? readWeekdays(weekday) : readDates(date),
  };
}

const ascending = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);

function readValues(text: string, field: Field): Set<number> {
  return new Set(text.split(',').flatMap((part) => readPart(part, field)));
}

/** One member of a list: a value, `*`, a range, each with a step or without. */
function readPart(part: string, field: Field): number[] {
  const [base = '', stepText, ...more] = part.split('/');
  if (more.length > 0) throw wrong(field, "one '/'", part);
  const step = stepText === undefined ? undefined : readStep(stepText, field);
  if (base === '*' || (base === '' && step !== undefined)) {
    return everyFrom(field.min, field.max, step ?? 1, field);
  }
  const [fromText = '', toText, ...rest] = base.split('-');
  if (rest.length > 0) throw wrong(field, 'a range of two values', part);
  const from = readValue(fromText, field);
  // `5/15` goes on to the end of the field, `5` is itself.
  const to =
    toText === undefined ? (step === undefined ? from : field.max) : readValue(toText, field);
  return everyFrom(from, to, step ?? 1, field);
}

/** Ascending from `from`, over the field's end where `to` lies before it. */
function everyFrom(from: number, to: number, step: number, { min, max }: Field): number[] {
  const size = max - min + 1;
  const last = to < from ? to + size : to;
  const values: number[] = [];
  for (let value = from; value <= last; value += step) {
    values.push(value > max ? value - size : value);
  }
  return values;
}

function readStep(text: string, field: Field): number {
  const limit = STEP_LIMITS.get(field) ?? 0;
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (step >= 1 && step < limit) return step;
  throw wrong(field, `an increment of 1..${limit - 1} after '/'`, text);
}

function readValue(text: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return named + field.min;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= field.min && value <= field.max) return value;
  const names = field.names === undefined ? '' : ` or ${field.names.join(', ')}`;
  throw wrong(field, `${field.min}..${field.max}${names}`, text);
}

function readDates(text: string): DayRule[] {
  return text.split(',').flatMap((part): DayRule[] => {
    const last = /^L(?:-(\d{1,2}))?(W?)$/.exec(part);
    if (last !== null) {
      const offset = Number(last[1] ?? 0);
      if (offset > LAST_OFFSET_MAX) throw wrong(DATES, `L-0..L-${LAST_OFFSET_MAX}`, part);
      return [{ kind: 'last', offset, isNearest: last[2] === 'W' }];
    }
    if (part.endsWith('W')) return [{ kind: 'nearest', date: readValue(part.slice(0, -1), DATES) }];
    return readPart(part, DATES).map((date) => ({ kind: 'date', date }));
  });
}

function readWeekdays(text: string): DayRule[] {
  const parts = text.split(',');
  return parts.flatMap((part): DayRule[] => {
    const isSpecial = /[L#]/.test(part) && !WEEKDAYS.names?.includes(part);
    if (isSpecial && parts.length > 1) throw wrong(WEEKDAYS, 'L and # alone', text);
    // Alone it is the week's last day, Saturday.
    if (part === 'L') return [{ kind: 'weekday', weekday: 6 }];
    if (part.endsWith('L'))
      return [{ kind: 'lastWeekday', weekday: readWeekday(part.slice(0, -1)) }];
    const [day = '', nth, ...more] = part.split('#');
    if (nth === undefined) {
      return readPart(part, WEEKDAYS).map((value) => ({ kind: 'weekday', weekday: value - 1 }));
    }
    if (more.length > 0 || !/^[1-5]$/.test(nth)) throw wrong(WEEKDAYS, '#1..#5', part);
    return [{ kind: 'nth', nth: Number(nth), weekday: readWeekday(day) }];
  });
}

const readWeekday = (text: string): number => readValue(text, WEEKDAYS) - 1;

function wrong(field: Field, expected: string, got: string): CronError {
  const detail = `${field.title}: expected ${expected}, got '${got.slice(0, 20)}'`;
  return new CronError('cron-syntax', detail);
}
