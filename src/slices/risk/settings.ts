/** What a tenant may set for risk: which evaluations its systems are told of. */
import { type SettingGroup, wordSetting } from '#core/identity';
import risk from '../../../config/risk.json' with { type: 'json' };

/** How evaluations are told. */
export interface RiskSettings {
  /** Each evaluation, and not only changes of level and those that were asked for. */
  readonly publishesAll: boolean;
}

/** `risk.*`; defaults in config/risk.json. */
export const settings: SettingGroup<RiskSettings> = {
  rows: [['risk.publish', wordSetting('changes', 'all')]],
  defaults: { file: 'config/risk.json', content: risk, prefix: 'risk.' },
  listedAs: 'Which evaluations of risk a tenant’s systems are told of is its setting, too:',
  view: (values) => ({ publishesAll: values.word('risk.publish') === 'all' }),
};
