/** The re-rankers that a tenant can choose, and the one that it has until it chooses. */
import { expect, test } from 'vitest';
import { SettingsTable } from '#core/identity';
import { modelMembers, policyOfBatches, screeningSettings } from '#slices/screening';
import { MODEL_DIGEST, MODEL_SHIFTS } from '../../../src/engine/reranker2/model.ts';
import { RERANKER_VERSIONS } from '../../../src/engine/rerankers.ts';
import { modelOf, RERANKERS } from '../../../src/slices/screening/rerankers.ts';

const settings = new SettingsTable([screeningSettings]);
const KEY = 'screening.reranker_version';

test('every installed re-ranker can be chosen, and no other', () => {
  expect(RERANKERS).toEqual(RERANKER_VERSIONS);
  for (const version of RERANKERS) {
    const stored = settings.change({}, { [KEY]: version });
    expect(settings.resolve(stored).of(screeningSettings).rerankerVersion).toBe(version);
  }
  expect(() => settings.change({}, { [KEY]: '0.9.0' })).toThrow(/expected one of 1\.0\.0/);
});

test('a choice is a new version of the policy', () => {
  const stored = settings.change({}, { [KEY]: '1.0.0' });
  expect(settings.resolve(stored).of(screeningSettings).policyVersion).toBe(2);
});

test('evidence names the model that the engine has, and none for a formula', () => {
  expect(modelOf('2.0.0')).toEqual({ digest: MODEL_DIGEST, shifts: MODEL_SHIFTS });
  expect(modelOf('1.0.0')).toBeUndefined();
});

test('without a choice a tenant has what its release gave, and one of before 1.0.0', () => {
  const versionOf = (stored: Readonly<Record<string, string>>) =>
    settings.resolve(stored).of(screeningSettings).rerankerVersion;
  expect(versionOf({})).toBe('1.0.0');
  expect(versionOf({ 'screening.reranker_release': '1.1.0' })).toBe('1.1.0');
  expect(settings.defaults.of(screeningSettings).rerankerVersion).toBe('1.1.0');
});

test('tenants of before screen batches as they screen, until they choose', () => {
  const policyOf = (stored: Parameters<typeof settings.resolve>[0]) =>
    settings.resolve(stored).of(screeningSettings);
  const before = policyOf({});
  expect(policyOfBatches(before).rerankerVersion).toBe('1.0.0');
  expect(policyOfBatches(before)).toBe(policyOfBatches(before));
  const chosen = policyOf(settings.change({}, { [KEY]: '2.0.0' }));
  expect(policyOfBatches(chosen).rerankerVersion).toBe('2.0.0');
});

test('a new tenant has the calibrated score for batches, and the formula for one name', () => {
  const policy = settings.resolve(settings.ofNewTenant()).of(screeningSettings);
  expect(policy.rerankerVersion).toBe('1.1.0');
  expect(policyOfBatches(policy)).toMatchObject({ rerankerVersion: '2.0.0' });
  expect(policyOfBatches(policy)).not.toHaveProperty('batchRerankerVersion');
  const back = settings.change(settings.ofNewTenant(), {
    'screening.batch_reranker_version': 'as_screening',
  });
  const asScreening = policyOfBatches(settings.resolve(back).of(screeningSettings));
  expect(asScreening.rerankerVersion).toBe('1.1.0');
});

test('events of a re-ranker with a model have it, others are as they were', () => {
  expect(modelMembers('2.0.0')).toEqual({
    reranker_model: { digest: MODEL_DIGEST, shifts: { ...MODEL_SHIFTS } },
  });
  expect(modelMembers('1.0.0')).toEqual({});
});
