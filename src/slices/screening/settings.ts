/** What a tenant may set for its screenings: its policy, with a version that counts its changes. */
import {
  fractionSetting,
  integerSetting,
  type SettingGroup,
  type SettingValues,
  settingRows,
  settingViolation,
  wordSetting,
} from '#core/identity';
import type { Violation } from '#core/kernel';
import screening from '../../../config/screening.json' with { type: 'json' };
import type { ScreeningSettings } from './ports.ts';
import { RERANKERS } from './rerankers.ts';

const WEIGHTS = ['name', 'phonetic', 'dob', 'nationality', 'alias'] as const;
const THRESHOLDS = ['direct', 'pep', 'rca_1', 'rca_2', 'adverse_media'] as const;
const BOOSTS = ['SAN', 'PEP', 'RCA', 'SI', 'DI'] as const;
const TOP_N_MAX = 50;
const SUM_TOLERANCE = 1e-9;
const VERSION_KEY = 'screening.policy_version';
const RERANKER_KEY = 'screening.reranker_version';
/** What the release that a tenant has seen gives it where it chooses none. */
const RELEASE_KEY = 'screening.reranker_release';
/** Tenants made before releases gave a re-ranker have this one until they take over a later one. */
const FORMER_RERANKER = '1.0.0';
const BATCH_RERANKER_KEY = 'screening.batch_reranker_version';
const AS_SCREENING = 'as_screening';
/** Re-ranker of batches and of `/v1/aml/screen` for tenants that are made from now on. */
const BATCH_RERANKER_OF_NEW = '2.0.0' satisfies (typeof RERANKERS)[number];

/** `screening.*`; defaults in config/screening.json. */
export const settings: SettingGroup<ScreeningSettings> = {
  rows: [
    ...settingRows('screening.weight.', WEIGHTS, fractionSetting),
    ...settingRows('screening.threshold.', THRESHOLDS, fractionSetting),
    ...settingRows('screening.boost.', BOOSTS, fractionSetting),
    [RERANKER_KEY, wordSetting(...RERANKERS)],
    [BATCH_RERANKER_KEY, wordSetting(AS_SCREENING, ...RERANKERS)],
    ['screening.missing_attributes', wordSetting('rescale', 'zero')],
    ['screening.phonetic_names', wordSetting('all', 'primary')],
    ['screening.top_n', integerSetting(1, TOP_N_MAX)],
  ],
  defaults: {
    file: 'config/screening.json',
    content: screening,
    prefix: 'screening.',
    members: { boosts: 'boost.', thresholds: 'threshold.', weights: 'weight.' },
    fixed: [[VERSION_KEY, { expected: 'an integer', hasDefault: true, read: integer }]],
  },
  ofNewTenants: { [BATCH_RERANKER_KEY]: BATCH_RERANKER_OF_NEW },
  versionKey: VERSION_KEY,
  release: { [RELEASE_KEY]: screening.reranker_version },
  view: (values) => ({
    policyVersion: values.number(VERSION_KEY),
    rerankerVersion: rerankerOf(values),
    batchRerankerVersion: batchRerankerOf(values),
    weights: values.numbers('screening.weight.', WEIGHTS),
    thresholds: values.numbers('screening.threshold.', THRESHOLDS),
    boosts: values.numbers('screening.boost.', BOOSTS),
    missingAttributes: values.word('screening.missing_attributes'),
    phoneticNames: values.word('screening.phonetic_names'),
    topN: values.number('screening.top_n'),
  }),
  violations: ({ thresholds, weights }) => [...wrongSum(weights), ...notMonotone(thresholds)],
};

function rerankerOf(values: SettingValues): string {
  return String(values.stored(RERANKER_KEY) ?? values.stored(RELEASE_KEY) ?? FORMER_RERANKER);
}

function batchRerankerOf(values: SettingValues): string {
  const own = values.word(BATCH_RERANKER_KEY);
  return own === AS_SCREENING ? rerankerOf(values) : own;
}

const ofBatches = new WeakMap<ScreeningSettings, ScreeningSettings>();

/**
 * The policy as batches of subjects and `/v1/aml/screen` follow it: thresholds of decisions are
 * read on the calibrated score where the tenant has one. The same object for the same policy.
 */
export function policyOfBatches(policy: ScreeningSettings): ScreeningSettings {
  const known = ofBatches.get(policy);
  if (known !== undefined) return known;
  const { batchRerankerVersion, ...rest } = policy;
  const own = { ...rest, rerankerVersion: batchRerankerVersion ?? policy.rerankerVersion };
  ofBatches.set(policy, own);
  return own;
}

function wrongSum(weights: ScreeningSettings['weights']): Violation[] {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) <= SUM_TOLERANCE) return [];
  return [settingViolation('screening.weight', 'weights-sum', 'five weights that sum to 1.0')];
}

function notMonotone({ direct, pep, rca_1, rca_2 }: ScreeningSettings['thresholds']): Violation[] {
  if (rca_2 <= rca_1 && rca_1 <= pep && pep <= direct) return [];
  const expected = 'rca_2 <= rca_1 <= pep <= direct';
  return [settingViolation('screening.threshold', 'not-monotone', expected)];
}

function integer(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isSafeInteger(given) ? given : undefined;
}
