/** Whether the validation of a field is one, and fits its type. */
import type { Violations } from '#core/kernel';
import { isDayBound } from './dayBounds.ts';
import { type FieldType, VALUE_CHECKS } from './definition.ts';
import { VALUE_CHARS_MAX } from './limits.ts';
import { PatternError, readPattern } from './pattern.ts';
import { slowReason } from './patternTime.ts';

type Members = Readonly<Record<string, unknown>>;

const OF_TEXT = ['min_length', 'max_length', 'pattern', 'check'];
const OF_TYPE: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  date: ['min_date', 'max_date'],
  decimal: ['min', 'max'],
  integer: ['min', 'max'],
  partial_date: ['min_date', 'max_date'],
  text: OF_TEXT,
  textarea: OF_TEXT,
};

interface Place {
  readonly note: Violations;
  readonly pointer: string;
  readonly type: FieldType;
}

export function checkValidation(validation: unknown, { note, pointer, type }: Place): void {
  if (validation === undefined) return;
  const members = note.object(validation, pointer, OF_TYPE[type] ?? []);
  if (members === undefined) return;
  const isLength = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= VALUE_CHARS_MAX;
  const isNumber = (value: unknown): boolean =>
    typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e15;
  const lengths = `a number of characters, up to ${VALUE_CHARS_MAX}`;
  const days = 'a day, YYYY-MM-DD, or one from today, as today-18y';
  checkBounds(members, ['min_length', 'max_length'], {
    is: isLength,
    note,
    pointer,
    what: lengths,
  });
  checkBounds(members, ['min', 'max'], { is: isNumber, note, pointer, what: 'a number' });
  checkBounds(members, ['min_date', 'max_date'], { is: isDayBound, note, pointer, what: days });
  if (members.check !== undefined) note.oneOf(members.check, `${pointer}/check`, VALUE_CHECKS);
  if (members.pattern !== undefined) checkPattern(members.pattern, `${pointer}/pattern`, note);
}

function checkBounds(
  members: Members,
  [lower, upper]: readonly [string, string],
  of: {
    readonly is: (value: unknown) => boolean;
    readonly note: Violations;
    readonly pointer: string;
    readonly what: string;
  },
): void {
  const { is, note, pointer, what } = of;
  for (const name of [lower, upper]) {
    if (members[name] === undefined || is(members[name])) continue;
    note.add(`${pointer}/${name}`, 'type', `expected ${what}`);
  }
  const [min, max] = [members[lower], members[upper]];
  const isNumeric = typeof min === 'number' && typeof max === 'number';
  const isFixed = [min, max].every((day) => typeof day === 'string' && !day.startsWith('today'));
  if ((isNumeric || isFixed) && (min as number) > (max as number)) {
    note.add(`${pointer}/${upper}`, 'range', `expected no less than ${lower}`);
  }
}

function checkPattern(pattern: unknown, pointer: string, note: Violations): void {
  if (typeof pattern !== 'string') {
    note.add(pointer, 'type', 'expected a pattern');
    return;
  }
  try {
    const reason = slowReason(readPattern(pattern));
    if (reason !== undefined) note.add(pointer, 'pattern-slow', `expected no ${reason}`);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    note.add(pointer, 'pattern', error.message);
  }
}
