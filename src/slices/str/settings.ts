/** What a tenant may set of its reports: by which profile, and by which way they go. */
import { type Setting, type SettingGroup, wordSetting } from '#core/identity';
import content from '../../../config/str.json' with { type: 'json' };
import { STR_CHANNELS, type StrChannel } from './tables.ts';

/** An id of a profile. */
export const PROFILE_ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;

const profile: Setting = {
  expected: 'the id of a profile, as ae-5.0.2',
  hasDefault: true,
  read: (given) => (typeof given === 'string' && PROFILE_ID.test(given) ? given : undefined),
};

/** `str.*` of a tenant. */
export interface StrSettings {
  readonly channel: StrChannel;
  readonly profile: string;
}

/** `str.*`; defaults in config/str.json. */
export const settings: SettingGroup<StrSettings> = {
  rows: [
    ['str.channel', wordSetting(...STR_CHANNELS)],
    ['str.profile', profile],
  ],
  defaults: { content, file: 'config/str.json', prefix: 'str.' },
  listedAs:
    'By which profile a tenant’s reports to the authority are written, and by which way they\n' +
    'go, are its settings. A sandbox has the channel `sandbox`, whatever is set:',
  view: (values) => ({
    channel: values.word('str.channel') as StrChannel,
    profile: values.word('str.profile'),
  }),
};
