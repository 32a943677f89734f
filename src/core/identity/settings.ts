/** Settings of tenants that no slice owns: their rates, and the host names of their domains. */
import limits from '../../../config/limits.json' with { type: 'json' };
import type { SettingGroup } from './settingGroup.ts';
import { integerSetting, type Setting } from './settingKinds.ts';

const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const HOSTS_MAX = 20;
const RATE_MAX = 1_000_000;

/** How often a tenant's callers may call (rateLimits.ts). */
export interface TenantLimits {
  readonly burst: number;
  readonly requestsPerSecond: number;
  readonly screeningPerSecond: number;
  readonly screeningPerMinutePerUser: number;
  readonly transactionsPerSecond: number;
  readonly transactionsBurst: number;
}

/** Rates of a tenant's callers, with defaults in config/limits.json. */
export const limitSettings: SettingGroup<TenantLimits> = {
  rows: [
    ['limits.burst', integerSetting(1, RATE_MAX)],
    ['limits.requests_per_second', integerSetting(1, RATE_MAX)],
    ['limits.screening_per_second', integerSetting(1, RATE_MAX)],
    ['limits.screening_per_minute_per_user', integerSetting(1, 60 * RATE_MAX)],
    ['limits.transactions_per_second', integerSetting(1, RATE_MAX)],
    ['limits.transactions_burst', integerSetting(1, RATE_MAX)],
  ],
  defaults: { file: 'config/limits.json', content: limits, prefix: 'limits.' },
  listedAs:
    "Rates are a tenant's settings, and an administrator raises them, e.g.\n" +
    '`tenant set ID limits.requests_per_second=5000`:',
  view: (values) => ({
    burst: values.number('limits.burst'),
    requestsPerSecond: values.number('limits.requests_per_second'),
    screeningPerSecond: values.number('limits.screening_per_second'),
    screeningPerMinutePerUser: values.number('limits.screening_per_minute_per_user'),
    transactionsBurst: values.number('limits.transactions_burst'),
    transactionsPerSecond: values.number('limits.transactions_per_second'),
  }),
};

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

/** Host names of a tenant's branded domains, lower case, without port. */
export const hostSettings: SettingGroup<readonly string[]> = {
  rows: [['hosts', hosts]],
  view: (values) => {
    const value = values.find('hosts');
    return typeof value === 'string' && value !== '' ? value.split(',') : [];
  },
};
