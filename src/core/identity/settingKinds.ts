/** What a tenant's setting may be: of which type, in which range. */

/** One scalar a key, so that the command line, the audit entry and the store speak of the same. */
export type SettingValue = number | string | boolean;

/** What a setting takes. */
export interface Setting {
  /** Completes "expected …". */
  readonly expected: string;
  /** False: absent is its default. */
  readonly hasDefault: boolean;
  /** A value of its type, or the text of one from a command line. Undefined where it is neither. */
  read(given: SettingValue): SettingValue | undefined;
}

/** A setting under its key, `limits.burst`. */
export type SettingRow = readonly [key: string, setting: Setting];

const NUMBER = /^\d{1,9}(\.\d{1,9})?$/;

/** A whole number within a range. */
export const integerSetting = (min: number, max: number): Setting => ({
  expected: `an integer ${min}..${max}`,
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
  },
});

/** A share, a weight or a score. */
export const fractionSetting: Setting = {
  expected: 'a number 0..1',
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return value >= 0 && value <= 1 ? value : undefined;
  },
};

/** One of a few words. */
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

/** Rows of one setting under several names. */
export const settingRows = (
  prefix: string,
  names: readonly string[],
  setting: Setting,
): readonly SettingRow[] => names.map((name) => [`${prefix}${name}`, setting] as const);

/** NaN for what is no number: it is in no range. */
function toNumber(given: SettingValue): number {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && NUMBER.test(given) ? Number(given) : Number.NaN;
}
