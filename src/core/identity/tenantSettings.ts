/**
 * What a tenant may set, with type and range, and what is in force for it: its own values over the
 * defaults of config/limits.json, config/screening.json and config/batches.json.
 *
 * Keys are dotted (`limits.burst`), one scalar each, so that the command line, the audit entry and
 * the store speak of the same thing. Rules between settings (weights sum to 1.0, thresholds are
 * monotone) are checked on the whole result, so several keys change in one step.
 */
import { DomainError, type Violation } from '#core/kernel';
import { SETTINGS, type SettingValue } from './settingsTable.ts';

export interface TenantLimits {
  readonly burst: number;
  readonly requestsPerSecond: number;
  readonly screeningPerSecond: number;
  readonly screeningPerMinutePerUser: number;
}

/** Fits `ScreeningSettings` of the screening slice, which stands to the right of this one. */
export interface TenantScreening {
  readonly policyVersion: number;
  readonly rerankerVersion: string;
  readonly weights: Readonly<Record<'name' | 'phonetic' | 'dob' | 'nationality' | 'alias', number>>;
  readonly thresholds: Readonly<
    Record<'direct' | 'pep' | 'rca_1' | 'rca_2' | 'adverse_media', number>
  >;
  readonly boosts: Readonly<Record<'SAN' | 'PEP' | 'RCA' | 'SI' | 'DI', number>>;
  readonly missingAttributes: 'rescale' | 'zero';
  readonly phoneticNames: 'all' | 'primary';
  readonly topN: number;
}

/** Fits `BatchThresholds` of the aml slice: what a directScore means in a batch. */
export interface TenantBatch {
  readonly autoClear: number;
  readonly review: number;
  readonly autoMatch: number;
}

export interface TenantSettings {
  readonly limits: TenantLimits;
  readonly screening: TenantScreening;
  readonly batch: TenantBatch;
  /** Host names of tenant-branded domains, lower case, without port. */
  readonly hosts: readonly string[];
}

export type StoredSettings = Readonly<Record<string, SettingValue>>;

/** Grows with every change of a `screening.` key; kept by `changeSettings`, never set by hand. */
export const POLICY_VERSION_KEY = 'screening.policy_version';
const SUM_TOLERANCE = 1e-9;

/** A tenant's settings over the defaults. Both were checked when they were written or loaded. */
export function resolveTenantSettings(
  stored: StoredSettings,
  defaults: TenantSettings,
): TenantSettings {
  const number = (key: string, otherwise: number): number => {
    const value = stored[key];
    return typeof value === 'number' ? value : otherwise;
  };
  const each = <Name extends string>(prefix: string, of: Readonly<Record<Name, number>>) =>
    Object.fromEntries(
      Object.entries<number>(of).map(([name, value]) => [name, number(prefix + name, value)]),
    ) as Record<Name, number>;
  const { batch, limits, screening } = defaults;
  return {
    batch: {
      autoClear: number('batch.auto_clear_threshold', batch.autoClear),
      autoMatch: number('batch.auto_match_threshold', batch.autoMatch),
      review: number('batch.review_threshold', batch.review),
    },
    limits: {
      burst: number('limits.burst', limits.burst),
      requestsPerSecond: number('limits.requests_per_second', limits.requestsPerSecond),
      screeningPerSecond: number('limits.screening_per_second', limits.screeningPerSecond),
      screeningPerMinutePerUser: number(
        'limits.screening_per_minute_per_user',
        limits.screeningPerMinutePerUser,
      ),
    },
    screening: {
      policyVersion: number(POLICY_VERSION_KEY, screening.policyVersion),
      rerankerVersion: screening.rerankerVersion,
      weights: each('screening.weight.', screening.weights),
      thresholds: each('screening.threshold.', screening.thresholds),
      boosts: each('screening.boost.', screening.boosts),
      missingAttributes: (stored['screening.missing_attributes'] ??
        screening.missingAttributes) as TenantScreening['missingAttributes'],
      phoneticNames: (stored['screening.phonetic_names'] ??
        screening.phoneticNames) as TenantScreening['phoneticNames'],
      topN: number('screening.top_n', screening.topN),
    },
    hosts: hostsOf(stored.hosts),
  };
}

/**
 * The stored settings after a change; null takes a key back to its default. Throws
 * `setting-unknown` or `setting-invalid` with every violation.
 */
export function changeSettings(
  stored: StoredSettings,
  changes: Readonly<Record<string, string | SettingValue | null>>,
  defaults: TenantSettings,
): StoredSettings {
  const unknown = Object.keys(changes).filter((key) => !SETTINGS.has(key));
  if (unknown.length > 0) {
    throw new DomainError('setting-unknown', {
      detail: `${unknown.length} unknown; known: ${[...SETTINGS.keys()].join(', ')}`,
      violations: unknown.map((key) => violation(key.slice(0, 64), 'unknown-member', 'a setting')),
    });
  }
  const next = new Map(Object.entries(stored));
  const violations: Violation[] = [];
  for (const [key, given] of Object.entries(changes)) {
    if (given === null) {
      next.delete(key);
      continue;
    }
    const read = SETTINGS.get(key)?.read(given);
    if (read === undefined) {
      violations.push(violation(key, 'range', SETTINGS.get(key)?.expected ?? 'a setting'));
    } else next.set(key, read);
  }
  if (violations.length > 0) throw invalid(violations);
  if (Object.keys(changes).some((key) => key.startsWith('screening.'))) {
    const version = stored[POLICY_VERSION_KEY] ?? defaults.screening.policyVersion;
    next.set(POLICY_VERSION_KEY, Number(version) + 1);
  }
  const result = Object.fromEntries(next);
  const broken = brokenRules(resolveTenantSettings(result, defaults));
  if (broken.length > 0) throw invalid(broken);
  return result;
}

/**
 * The defaults, from the parsed texts of config/limits.json, config/screening.json and
 * config/batches.json. Throws an Error that names the file, the member, what was expected and what
 * came: the start stops there.
 */
export function parseSettingsDefaults(
  limits: unknown,
  screening: unknown,
  batches: unknown,
): TenantSettings {
  const flat = new Map<string, unknown>([
    ...flatten(limits, 'config/limits.json', 'limits.'),
    ...flatten(screening, 'config/screening.json', 'screening.'),
    ...flatten(batches, 'config/batches.json', 'batch.'),
  ]);
  const fixed = { policyVersion: flat.get(POLICY_VERSION_KEY), rerankerVersion: '' };
  const reranker = flat.get('screening.reranker_version');
  if (typeof reranker !== 'string' || !/^\d+\.\d+\.\d+$/.test(reranker)) {
    throw new Error('config/screening.json: reranker_version: expected SemVer');
  }
  if (!Number.isSafeInteger(fixed.policyVersion)) {
    throw new Error('config/screening.json: policy_version: expected an integer');
  }
  const stored: Record<string, SettingValue> = {
    [POLICY_VERSION_KEY]: Number(fixed.policyVersion),
  };
  for (const [key, setting] of SETTINGS) {
    if (!setting.hasDefault) continue;
    const value = setting.read(flat.get(key) as SettingValue);
    if (value === undefined) {
      const got = JSON.stringify(flat.get(key)) ?? 'nothing';
      throw new Error(`config/: ${key}: expected ${setting.expected}, got ${got}`);
    }
    stored[key] = value;
  }
  for (const key of flat.keys()) {
    if (!(key in stored) && key !== 'screening.reranker_version') {
      throw new Error(`config/: ${key}: expected no such member`);
    }
  }
  const defaults = resolveTenantSettings(stored, emptyDefaults(reranker));
  const [broken] = brokenRules(defaults);
  if (broken !== undefined)
    throw new Error(`config/: ${broken.pointer.slice(1)}: ${broken.detail}`);
  return defaults;
}

function brokenRules({ batch, screening: { weights, thresholds } }: TenantSettings): Violation[] {
  const broken: Violation[] = [];
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > SUM_TOLERANCE) {
    broken.push(violation('screening.weight', 'weights-sum', 'five weights that sum to 1.0'));
  }
  const { rca_2, rca_1, pep, direct } = thresholds;
  if (rca_2 > rca_1 || rca_1 > pep || pep > direct) {
    broken.push(
      violation('screening.threshold', 'not-monotone', 'rca_2 <= rca_1 <= pep <= direct'),
    );
  }
  const { autoClear, autoMatch, review } = batch;
  // At 0 everybody would be a hit of everything on the lists.
  if (autoClear <= 0 || autoClear > review || review > autoMatch) {
    const expected = '0 < auto_clear_threshold <= review_threshold <= auto_match_threshold';
    broken.push(violation('batch', 'not-monotone', expected));
  }
  return broken;
}

function hostsOf(value: SettingValue | undefined): readonly string[] {
  return typeof value === 'string' && value !== '' ? value.split(',') : [];
}

function* flatten(value: unknown, file: string, prefix: string): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${file}: expected an object`);
  }
  for (const [name, member] of Object.entries(value)) {
    const group = GROUPS[name];
    if (group === undefined) yield [prefix + name, member];
    else yield* flatten(member, file, prefix + group);
  }
}

/** Members of config/screening.json that hold a group of settings. */
const GROUPS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  weights: 'weight.',
  thresholds: 'threshold.',
  boosts: 'boost.',
};

/** The shape that `resolveTenantSettings` fills; every number in it is replaced. */
function emptyDefaults(rerankerVersion: string): TenantSettings {
  return {
    limits: {
      burst: 0,
      requestsPerSecond: 0,
      screeningPerSecond: 0,
      screeningPerMinutePerUser: 0,
    },
    screening: {
      policyVersion: 0,
      rerankerVersion,
      weights: { name: 0, phonetic: 0, dob: 0, nationality: 0, alias: 0 },
      thresholds: { direct: 0, pep: 0, rca_1: 0, rca_2: 0, adverse_media: 0 },
      boosts: { SAN: 0, PEP: 0, RCA: 0, SI: 0, DI: 0 },
      missingAttributes: 'rescale',
      phoneticNames: 'all',
      topN: 0,
    },
    batch: { autoClear: 0, autoMatch: 0, review: 0 },
    hosts: [],
  };
}

function violation(key: string, code: string, expected: string): Violation {
  return { pointer: `/${key}`, code, detail: `expected ${expected}` };
}

function invalid(violations: readonly Violation[]): DomainError {
  const detail = violations.map((one) => `${one.pointer.slice(1)}: ${one.detail}`).join('; ');
  return new DomainError('setting-invalid', { detail, violations });
}
