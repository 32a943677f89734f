/** What a tenant may set: what its systems are told of, and how long policies are tried. */
import { integerSetting, type SettingGroup, wordSetting } from '#core/identity';
import risk from '../../../config/risk.json' with { type: 'json' };
import { SHADOW_EVALUATIONS_MAX } from './limits.ts';

const SHADOW_DAYS_MAX = 365;

/** How evaluations are told, and how long policies are tried. */
export interface RiskSettings {
  /** Each evaluation, and not only changes of level and those that were asked for. */
  readonly publishesAll: boolean;
  /** How long, and for how many evaluations, a policy is in shadow before it may be approved. */
  readonly shadowDays: number;
  readonly shadowEvaluations: number;
}

/** `risk.*`; defaults in config/risk.json. */
export const settings: SettingGroup<RiskSettings> = {
  rows: [
    ['risk.publish', wordSetting('changes', 'all')],
    ['risk.shadow_days', integerSetting(0, SHADOW_DAYS_MAX)],
    ['risk.shadow_evaluations', integerSetting(0, SHADOW_EVALUATIONS_MAX)],
  ],
  defaults: { file: 'config/risk.json', content: risk, prefix: 'risk.' },
  listedAs:
    'Which evaluations a tenant’s systems are told of, and how long a policy is in shadow, too:',
  view: (values) => ({
    publishesAll: values.word('risk.publish') === 'all',
    shadowDays: values.number('risk.shadow_days'),
    shadowEvaluations: values.number('risk.shadow_evaluations'),
  }),
};
