/**
 * Times as senders write them, to RFC 3339 in UTC with milliseconds. A time without an offset and a
 * date without a time are of the tenant's zone. A date stands for its noon there, which is the same
 * day in UTC in all but the farthest zones.
 */

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:[0-5]\d)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE_MS = 60_000;
/** The farthest offset that is in use. */
const OFFSET_HOURS_MAX = 14;

/** A time, and what the sender left out of it. */
export interface ReadInstant {
  readonly at: string;
  readonly precision: 'ms' | 'day';
  readonly hasOffset: boolean;
}

/** Undefined where it is no time of the calendar. */
export function readInstant(text: string, zone: string): ReadInstant | undefined {
  if (isDate(text)) {
    const noon = Date.parse(`${text}T12:00:00Z`);
    return { at: utcOf(noon, zone), hasOffset: true, precision: 'day' };
  }
  const [, date = '', hour = '', minute, second, fraction = '', offset] = INSTANT.exec(text) ?? [];
  if (!isDate(date) || Number(hour) > 23) return undefined;
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const wall = Date.parse(`${date}T${hour}:${minute}:${second}.${ms}Z`);
  if (offset === undefined) return { at: utcOf(wall, zone), hasOffset: false, precision: 'ms' };
  const shift = offset === 'Z' ? 0 : shiftMs(offset);
  if (shift === undefined) return undefined;
  return { at: new Date(wall - shift).toISOString(), hasOffset: true, precision: 'ms' };
}

/** Whether it is YYYY-MM-DD and a day of the calendar. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  // The parser rolls 30 February over into March.
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** Years of two digits from here on are of the last century. */
const CENTURY_TURNS = 80;

/** Whether the IANA table has a zone of this name. */
export function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** YYMMDD as YYYY-MM-DD; undefined where it is no day of the calendar. */
export function sixDigitDate(text: string): string | undefined {
  const [, year, month, day] = /^(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  const date = `${Number(year) >= CENTURY_TURNS ? '19' : '20'}${year}-${month}-${day}`;
  return isDate(date) ? date : undefined;
}

function shiftMs(offset: string): number | undefined {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  if (hours * 60 + minutes > OFFSET_HOURS_MAX * 60) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/** Formatters by zone: making one costs a hundred times as much as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const FORMATTERS_MAX = 100;

/** The instant at which clocks of the zone show this; of two (clocks go back) the earlier. */
function utcOf(wall: number, zone: string): string {
  if (zone === 'UTC') return new Date(wall).toISOString();
  const offsets = [offsetAt(wall - 86_400_000, zone), offsetAt(wall + 86_400_000, zone)];
  const fitting = offsets
    .map((offset) => wall - offset)
    .filter((at) => at + offsetAt(at, zone) === wall);
  // No clock shows the hour that is left out in spring: it is read by the offset before.
  return new Date(
    fitting.length > 0 ? Math.min(...fitting) : wall - (offsets[0] ?? 0),
  ).toISOString();
}

function offsetAt(at: number, zone: string): number {
  const parts = formatterOf(zone).formatToParts(at);
  const shown = new Map(parts.map(({ type, value }) => [type, value]));
  const of = (...types: Intl.DateTimeFormatPartTypes[]) => types.map((type) => shown.get(type));
  const date = of('year', 'month', 'day').join('-').padStart(10, '0');
  const wall = Date.parse(`${date}T${of('hour', 'minute', 'second').join(':')}Z`);
  return wall - Math.floor(at / 1_000) * 1_000;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    minute: '2-digit',
    month: '2-digit',
    second: '2-digit',
    timeZone,
    year: 'numeric',
  });
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(timeZone, made);
  return made;
}
