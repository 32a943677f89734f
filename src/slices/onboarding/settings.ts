/** What a tenant may set of onboarding: where its customers may return to. */
import type { Setting, SettingGroup } from '#core/identity';

const ORIGINS_MAX = 10;
const ORIGIN = /^https:\/\/[a-z0-9.-]{1,253}(:\d{1,5})?$/;

const origins: Setting = {
  expected: `up to ${ORIGINS_MAX} origins, as https://bank.example, separated by commas`,
  hasDefault: false,
  read: (given) => {
    if (typeof given !== 'string') return undefined;
    const found = given.split(',').map((one) => one.trim());
    const isGood = found.length <= ORIGINS_MAX && found.every((one) => ORIGIN.test(one));
    return isGood ? found.join(',') : undefined;
  },
};

/** `onboarding.return_origins`; without it no link has a way back. */
export const settings: SettingGroup<readonly string[]> = {
  rows: [['onboarding.return_origins', origins]],
  view: (values) => {
    const value = values.find('onboarding.return_origins');
    return typeof value === 'string' ? value.split(',') : [];
  },
};
