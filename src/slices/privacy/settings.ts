/** What a tenant may set of privacy: for how long its law wants what is kept of a person. */
import { integerSetting, type SettingGroup } from '#core/identity';
import content from '../../../config/privacy.json' with { type: 'json' };
import { RETENTION_YEARS_MAX } from './limits.ts';

/** `privacy.*` of a tenant. */
export interface PrivacySettings {
  readonly retentionYears: number;
}

/** `privacy.*`; defaults in config/privacy.json. */
export const settings: SettingGroup<PrivacySettings> = {
  rows: [['privacy.retention_years', integerSetting(0, RETENTION_YEARS_MAX)]],
  defaults: { content, file: 'config/privacy.json', prefix: 'privacy.' },
  listedAs:
    'For how many years after its relation has ended the law wants what is kept of a person is\n' +
    'a setting: the tenant’s lawyer sets it:',
  view: (values) => ({ retentionYears: values.number('privacy.retention_years') }),
};
