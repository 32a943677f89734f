/** The settings of an installation: types, ranges, rules between them, the defaults in config/. */
import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import {
  hostSettings,
  limitSettings,
  type SettingGroup,
  SettingsTable,
  type StoredSettings,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import { batchSettings } from '#slices/batches';
import { screeningSettings } from '#slices/screening';
import batches from '../../../config/batches.json' with { type: 'json' };
import limits from '../../../config/limits.json' with { type: 'json' };
import screening from '../../../config/screening.json' with { type: 'json' };
import { settings } from './memory.ts';

const change = (changes: Record<string, string | number | null>, stored: StoredSettings = {}) =>
  settings.change(stored, changes);
function refused(changes: Record<string, string | number | null>): DomainError {
  try {
    change(changes);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('settings of a tenant', () => {
  test('the defaults are the figures of the interface', () => {
    const { defaults } = settings;
    expect({
      batch: defaults.of(batchSettings),
      hosts: defaults.of(hostSettings),
      limits: defaults.of(limitSettings),
      screening: defaults.of(screeningSettings),
    }).toEqual({
      batch: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
      hosts: [],
      limits: {
        burst: 100,
        requestsPerSecond: 20,
        screeningPerMinutePerUser: 1000,
        screeningPerSecond: 30,
        transactionsBurst: 1000,
        transactionsPerSecond: 200,
      },
      screening: {
        boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
        missingAttributes: 'rescale',
        phoneticNames: 'all',
        policyVersion: 1,
        batchRerankerVersion: '1.1.0',
        rerankerVersion: '1.1.0',
        thresholds: { adverse_media: 0.75, direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7 },
        topN: 50,
        weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
      },
    });
  });

  test('text from a command line becomes a value of the setting', () => {
    const stored = change({
      'limits.screening_per_second': '5000',
      hosts: 'B.example.com,a.example.com',
    });
    expect(stored).toEqual({
      hosts: 'b.example.com,a.example.com',
      'limits.screening_per_second': 5000,
    });
    const inForce = settings.resolve(stored);
    expect(inForce.of(limitSettings).screeningPerSecond).toBe(5000);
    expect(inForce.of(hostSettings)).toEqual(['b.example.com', 'a.example.com']);
  });

  test('null takes a setting back to its default', () => {
    const stored = change({ 'limits.burst': 7 });
    expect(change({ 'limits.burst': null }, stored)).toEqual({});
  });

  test('a change of the screening is a new version of the policy', () => {
    const stored = change({ 'screening.threshold.direct': 0.95 });
    const versionOf = (of: StoredSettings) =>
      settings.resolve(of).of(screeningSettings).policyVersion;
    expect(versionOf(stored)).toBe(2);
    const again = change({ 'screening.threshold.direct': null }, stored);
    expect(versionOf(again)).toBe(3);
    expect(change({ 'limits.burst': 7 }, again)['screening.policy_version']).toBe(3);
  });

  test('unknown settings are named, all of them', () => {
    const error = refused({
      'limits.brust': 1,
      __proto__: null,
      constructor: '1',
      'limits.burst': 2,
    });
    expect(error.code).toBe('setting-unknown');
    expect(error.violations.map(({ pointer }) => pointer)).toEqual([
      '/limits.brust',
      '/constructor',
    ]);
    expect(refused({ 'screening.policy_version': 9 }).code).toBe('setting-unknown');
  });

  test.each([
    ['limits.burst', 0],
    ['limits.burst', 1.5],
    ['limits.burst', '1e3'],
    ['limits.burst', '-1'],
    ['limits.burst', ' 1'],
    ['limits.burst', '0x10'],
    ['limits.burst', Number.NaN],
    ['limits.requests_per_second', 1_000_001],
    ['screening.boost.PEP', 1.1],
    ['screening.top_n', 51],
    ['screening.missing_attributes', 'skip'],
    ['screening.phonetic_names', 1],
    ['hosts', 'localhost'],
    ['hosts', 'a.example.com:8080'],
    ['hosts', 'a.example.com,,b.example.com'],
    ['hosts', '*.example.com'],
    ['hosts', '10.0.0.1'],
  ])('%s = %j is refused with what was expected', (key, value) => {
    const error = refused({ [key]: value });
    expect(error.code).toBe('setting-invalid');
    expect(error.message).toContain(`${key}: expected `);
  });

  test('weights must sum to one, and may change together', () => {
    expect(refused({ 'screening.weight.name': 0.5 }).violations[0]?.code).toBe('weights-sum');
    const stored = change({ 'screening.weight.name': '0.5', 'screening.weight.alias': '0.05' });
    expect(settings.resolve(stored).of(screeningSettings).weights).toMatchObject({
      alias: 0.05,
      name: 0.5,
    });
  });

  test('thresholds must be monotone, and equal is monotone', () => {
    expect(refused({ 'screening.threshold.pep': 0.95 }).violations[0]?.code).toBe('not-monotone');
    expect(refused({ 'screening.threshold.rca_2': 0.81 }).violations[0]?.code).toBe('not-monotone');
    expect(change({ 'screening.threshold.rca_2': 0.8 })['screening.threshold.rca_2']).toBe(0.8);
  });

  test('thresholds of batches are monotone, over 0, and no part of the policy', () => {
    const code = (changes: Record<string, string>) => refused(changes).violations[0]?.code;
    expect(code({ 'batch.review_threshold': '0.59' })).toBe('not-monotone');
    expect(code({ 'batch.review_threshold': '0.96' })).toBe('not-monotone');
    expect(code({ 'batch.auto_clear_threshold': '0' })).toBe('not-monotone');
    expect(code({ 'batch.auto_match_threshold': '1.1' })).toBe('range');
    const changed = change({ 'batch.review_threshold': '0.8' });
    expect(changed).toEqual({ 'batch.review_threshold': 0.8 });
    expect(settings.resolve(changed).of(batchSettings).review).toBe(0.8);
  });
});

/** As the product's, of other files. */
function tableOf(...contents: readonly unknown[]): SettingsTable {
  const groups: readonly SettingGroup[] = [limitSettings, screeningSettings, batchSettings];
  return new SettingsTable(
    groups.map(({ defaults, ...group }, at) => {
      assert(defaults !== undefined);
      return { ...group, defaults: { ...defaults, content: contents[at] } };
    }),
  );
}

describe('groups of settings', () => {
  test('an unknown setting is told which there are: those with a default first', () => {
    const { message } = refused({ 'limits.brust': 1 });
    expect(message).toMatch(/^1 unknown; known: limits\.burst, .*, hosts, lists\.operator, /);
    expect(message).toMatch(/, monitoring\.own_bics, monitoring\.own_ibans, .*sdk\.minimum\.web, /);
    expect(message).toMatch(/, onboarding\.return_origins$/);
    expect(message).toMatch(/limits\..*screening\..*batch\./);
  });

  test('a view is one object as long as the settings are the same', () => {
    const inForce = settings.resolve({ 'limits.burst': 7 });
    expect(inForce.of(limitSettings)).toBe(inForce.of(limitSettings));
  });

  test('a key that two groups declare stops the start', () => {
    expect(() => new SettingsTable([hostSettings, { ...hostSettings }])).toThrow('one key');
  });

  test('a group that the installation does not have is not read', () => {
    expect(() => settings.defaults.of({ ...hostSettings })).toThrow('does not have');
  });
});

describe('config/limits.json, config/screening.json and config/batches.json', () => {
  test('every setting with a default has one there', () => {
    const without = [...settings.rows].filter(([, { hasDefault }]) => !hasDefault);
    expect(without.map(([key]) => key)).toEqual([
      'hosts',
      'lists.operator',
      'monitoring.own_bics',
      'monitoring.own_ibans',
      'kyc.scan_required',
      'sdk.minimum.android',
      'sdk.minimum.ios',
      'sdk.minimum.web',
      'onboarding.return_origins',
    ]);
    expect(() => tableOf({ ...limits, burst: undefined }, screening, batches)).toThrow(
      'limits.burst: expected an integer 1..1000000, got nothing',
    );
  });

  test.each([
    [{ ...limits, brust: 1 }, screening, 'limits.brust: expected no such member'],
    [limits, { ...screening, top_n: '51' }, 'screening.top_n: expected an integer 1..50, got "51"'],
    [limits, { ...screening, weights: { ...screening.weights, dob: 0.3 } }, 'sum to 1.0'],
    [limits, { ...screening, weights: 5 }, 'expected an object'],
    [
      limits,
      { ...screening, reranker_version: '1.0' },
      'screening.reranker_version: expected one of 1.0.0',
    ],
    [limits, { ...screening, policy_version: null }, 'policy_version: expected an integer'],
    [null, screening, 'config/limits.json: expected an object'],
  ])('a mistake stops the start and is named (%#)', (one, two, message) => {
    expect(() => tableOf(one, two, batches)).toThrow(message);
  });

  test.each([
    [{ ...batches, review_threshold: 0.5 }, 'config/: batch: expected 0 < auto_clear_threshold'],
    [{ ...batches, review: 0.9 }, 'batch.review: expected no such member'],
    [{}, 'batch.auto_clear_threshold: expected a number 0..1, got nothing'],
  ])('so does one in the thresholds of batches (%#)', (three, message) => {
    expect(() => tableOf(limits, screening, three)).toThrow(message);
  });
});
