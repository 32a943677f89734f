/** What a tenant may set for its batches: the meaning of a score. */
import { fractionSetting, type SettingGroup, settingRows, settingViolation } from '#core/identity';
import batches from '../../../config/batches.json' with { type: 'json' };
import type { BatchThresholds } from './batch.ts';

const NAMES = ['auto_clear_threshold', 'review_threshold', 'auto_match_threshold'] as const;

/** `batch.*`; defaults in config/batches.json. */
export const settings: SettingGroup<BatchThresholds> = {
  rows: settingRows('batch.', NAMES, fractionSetting),
  defaults: { file: 'config/batches.json', content: batches, prefix: 'batch.' },
  listedAs:
    "What a score means in a batch is a tenant's setting, too; each is at most the next, " +
    'and over 0:',
  view: (values) => ({
    autoClear: values.number('batch.auto_clear_threshold'),
    autoMatch: values.number('batch.auto_match_threshold'),
    review: values.number('batch.review_threshold'),
  }),
  violations({ autoClear, autoMatch, review }) {
    // At 0 every subject would be a hit of everything on the lists.
    if (autoClear > 0 && autoClear <= review && review <= autoMatch) return [];
    const expected = '0 < auto_clear_threshold <= review_threshold <= auto_match_threshold';
    return [settingViolation('batch', 'not-monotone', expected)];
  },
};
