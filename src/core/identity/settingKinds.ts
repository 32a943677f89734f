/** Kinds of a tenant's settings: their type and their range. */

/**
 * A setting's value. One scalar per key, so the command line, the audit entry and the store all
 * name the same thing.
 */
export type SettingValue = number | string | boolean;

/** A kind of setting: the values that it accepts. */
export interface Setting {
  /** Completes "expected …". */
  readonly expected: string;
  /** False: the default is to be absent. */
  readonly hasDefault: boolean;
  /**
   * The value, given in its type or as text from a command line. Undefined where it is not
   * accepted.
   */
  read(given: SettingValue): SettingValue | undefined;
}

/** A setting with its key, e.g. `limits.burst`. */
export type SettingRow = readonly [key: string, setting: Setting];

const NUMBER = /^\d{1,9}(\.\d{1,9})?$/;

/** A whole number from `min` to `max`, both included. */
export const integerSetting = (min: number, max: number): Setting => ({
  expected: `an integer ${min}..${max}`,
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
  },
});

/** A number from 0 to 1: a share, a weight or a score. */
export const fractionSetting: Setting = {
  expected: 'a number 0..1',
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return value >= 0 && value <= 1 ? value : undefined;
  },
};

/** One of these words. */
export const wordSetting = (...words: readonly string[]): Setting => ({
  expected: `one of ${words.join(', ')}`,
  hasDefault: true,
  read: (given) => (typeof given === 'string' && words.includes(given) ? given : undefined),
});

/** On or off; absent is off. */
export const flagSetting: Setting = {
  expected: 'true or false',
  hasDefault: false,
  read: (given) => {
    if (typeof given === 'boolean') return given;
    return given === 'true' || given === 'false' ? given === 'true' : undefined;
  },
};

/** Rows of one setting under several names, each behind `prefix`. */
export const settingRows = (
  prefix: string,
  names: readonly string[],
  setting: Setting,
): readonly SettingRow[] => names.map((name) => [`${prefix}${name}`, setting] as const);

/** NaN for a value that is no number, which no range accepts. */
function toNumber(given: SettingValue): number {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && NUMBER.test(given) ? Number(given) : Number.NaN;
}
