/**
 * The table of a tenant's settings: what exists, of which type, in which range. Everything else is
 * `setting-unknown`.
 */
export type SettingValue = number | string | boolean;

export interface Setting {
  /** Completes "expected …". */
  readonly expected: string;
  /** False: absent is its default. */
  readonly hasDefault: boolean;
  /** A value of its type, or the text of one from a command line. Undefined where it is neither. */
  read(given: SettingValue): SettingValue | undefined;
}

const NUMBER = /^\d{1,9}(\.\d{1,9})?$/;
const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const HOSTS_MAX = 20;
const RATE_MAX = 1_000_000;
const TOP_N_MAX = 50;

const integer = (min: number, max: number): Setting => ({
  expected: `an integer ${min}..${max}`,
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
  },
});

const fraction: Setting = {
  expected: 'a number 0..1',
  hasDefault: true,
  read: (given) => {
    const value = toNumber(given);
    return value >= 0 && value <= 1 ? value : undefined;
  },
};

const oneOf = (...values: readonly string[]): Setting => ({
  expected: `one of ${values.join(', ')}`,
  hasDefault: true,
  read: (given) => (typeof given === 'string' && values.includes(given) ? given : undefined),
});

const hosts: Setting = {
  expected: `up to ${HOSTS_MAX} host names, separated by commas, without port`,
  hasDefault: false,
  read: (given) => {
    if (typeof given !== 'string') return undefined;
    const names = given.toLowerCase().split(',');
    const valid = names.length <= HOSTS_MAX && names.every((name) => HOST.test(name));
    return valid ? [...new Set(names)].join(',') : undefined;
  },
};

const flag: Setting = {
  expected: 'true or false',
  hasDefault: false,
  read: (given) => {
    if (typeof given === 'boolean') return given;
    return given === 'true' || given === 'false' ? given === 'true' : undefined;
  },
};

/** NaN for what is no number: it is in no range. */
function toNumber(given: SettingValue): number {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && NUMBER.test(given) ? Number(given) : Number.NaN;
}

const group = (prefix: string, names: readonly string[], setting: Setting) =>
  names.map((name) => [`${prefix}${name}`, setting] as const);

export const SETTINGS: ReadonlyMap<string, Setting> = new Map([
  ['limits.burst', integer(1, RATE_MAX)],
  ['limits.requests_per_second', integer(1, RATE_MAX)],
  ['limits.screening_per_second', integer(1, RATE_MAX)],
  ['limits.screening_per_minute_per_user', integer(1, 60 * RATE_MAX)],
  ...group('screening.weight.', ['name', 'phonetic', 'dob', 'nationality', 'alias'], fraction),
  ...group('screening.threshold.', ['direct', 'pep', 'rca_1', 'rca_2', 'adverse_media'], fraction),
  ...group('screening.boost.', ['SAN', 'PEP', 'RCA', 'SI', 'DI'], fraction),
  ['screening.missing_attributes', oneOf('rescale', 'zero')],
  ['screening.phonetic_names', oneOf('all', 'primary')],
  ['screening.top_n', integer(1, TOP_N_MAX)],
  ...group(
    'batch.',
    ['auto_clear_threshold', 'review_threshold', 'auto_match_threshold'],
    fraction,
  ),
  ['hosts', hosts],
  // Where DEPLOYMENT_MODE is managed: this tenant's people look after the lists of all.
  ['lists.operator', flag],
]);
