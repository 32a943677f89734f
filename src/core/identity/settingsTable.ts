/**
 * The settings of an installation: the groups of all its parts as one table of keys, their defaults
 * in config/, and the values in force for a tenant.
 *
 * Rules between settings (weights sum to 1.0, thresholds are monotone) are checked on the whole
 * result, so several keys change in one step.
 */
import assert from 'node:assert/strict';
import { DomainError, type Violation } from '#core/kernel';
import { settingDefaults } from './settingDefaults.ts';
import {
  type SettingGroup,
  SettingValues,
  type StoredSettings,
  settingRange,
  settingViolation,
} from './settingGroup.ts';
import type { Setting, SettingValue } from './settingKinds.ts';

/** The settings in force for a tenant. A part reads its own group from it. */
export interface TenantSettings {
  /** The group's view; the same object as long as the settings are the same. */
  of<View>(group: SettingGroup<View>): View;
}

/** Every group, with its defaults. The constructor throws an Error that names what is wrong. */
export class SettingsTable {
  /** Every key that a tenant may set: those with a default first. */
  readonly rows: ReadonlyMap<string, Setting>;
  /** In force for a new tenant that has set nothing. */
  readonly defaults: TenantSettings;
  /** What a new tenant is made with. */
  readonly release: StoredSettings;
  readonly #groups: ReadonlyMap<SettingGroup, StoredSettings>;

  constructor(groups: readonly SettingGroup[]) {
    const rows = groups.flatMap((group) => group.rows);
    const without = rows.filter(([, { hasDefault }]) => !hasDefault);
    this.rows = new Map([...rows.filter(([, { hasDefault }]) => hasDefault), ...without]);
    assert.equal(this.rows.size, rows.length, 'two groups of settings declare one key');
    this.#groups = new Map(groups.map((group) => [group, settingDefaults(group)]));
    this.release = Object.assign({}, ...groups.map(({ release }) => release));
    const views = this.#views(this.release);
    this.defaults = settingsOf(views);
    const [broken] = violationsOf(views);
    if (broken !== undefined) {
      throw new Error(`config/: ${broken.pointer.slice(1)}: ${broken.detail}`);
    }
  }

  /** What a tenant has from its making on. */
  ofNewTenant(): StoredSettings {
    const own = [...this.#groups.keys()].map(({ ofNewTenants }) => ofNewTenants);
    return Object.assign({}, this.release, ...own);
  }

  /** A tenant's settings over the defaults. Both were checked when they were written or loaded. */
  resolve(stored: StoredSettings): TenantSettings {
    return settingsOf(this.#views(stored));
  }

  /**
   * The stored settings after a change; null returns a key to its default. Throws `setting-unknown`
   * or `setting-invalid` with every violation.
   */
  change(
    stored: StoredSettings,
    changes: Readonly<Record<string, SettingValue | null>>,
  ): StoredSettings {
    this.#refuseUnknown(Object.keys(changes));
    const next = new Map(Object.entries(stored));
    const violations: Violation[] = [];
    for (const [key, given] of Object.entries(changes)) {
      const setting = this.rows.get(key);
      const read = given === null ? undefined : setting?.read(given);
      if (read !== undefined) next.set(key, read);
      else if (given === null) next.delete(key);
      else if (setting !== undefined) violations.push(settingRange(key, setting));
    }
    if (violations.length > 0) throw invalid(violations);
    this.#raiseVersions(next, changes);
    const result = Object.fromEntries(next);
    const broken = violationsOf(this.#views(result));
    if (broken.length > 0) throw invalid(broken);
    return result;
  }

  /**
   * The stored settings once the tenant has what this release gives; undefined where it has that,
   * or more, already.
   */
  adopt(stored: StoredSettings): StoredSettings | undefined {
    const raised = Object.entries(this.release).filter(([key, value]) =>
      isLower(stored[key], String(value)),
    );
    if (raised.length === 0) return undefined;
    const changes = Object.fromEntries(raised);
    const next = new Map(Object.entries({ ...stored, ...changes }));
    this.#raiseVersions(next, changes);
    return Object.fromEntries(next);
  }

  #refuseUnknown(keys: readonly string[]): void {
    const unknown = keys.filter((key) => !this.rows.has(key));
    if (unknown.length === 0) return;
    throw new DomainError('setting-unknown', {
      detail: `${unknown.length} unknown; known: ${[...this.rows.keys()].join(', ')}`,
      violations: unknown.map((key) =>
        settingViolation(key.slice(0, 64), 'unknown-member', 'a setting'),
      ),
    });
  }

  #raiseVersions(next: Map<string, SettingValue>, changes: object): void {
    for (const [{ release = {}, rows, versionKey }, defaults] of this.#groups) {
      const keys = [...rows.map(([key]) => key), ...Object.keys(release)];
      const isChanged = keys.some((key) => Object.hasOwn(changes, key));
      if (versionKey === undefined || !isChanged) continue;
      next.set(versionKey, Number(next.get(versionKey) ?? defaults[versionKey]) + 1);
    }
  }

  #views(stored: StoredSettings): Views {
    return new Map(
      [...this.#groups].map(([group, defaults]) => [
        group,
        group.view(new SettingValues(stored, defaults)),
      ]),
    );
  }
}

/** Whether a stored SemVer is below another one; an absent one is. */
function isLower(stored: SettingValue | undefined, than: string): boolean {
  if (stored === undefined) return true;
  const [own, other] = [String(stored), than].map((version) => version.split('.').map(Number));
  for (const [at, part] of (other ?? []).entries()) {
    const difference = (own?.[at] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

type Views = ReadonlyMap<SettingGroup, unknown>;

const settingsOf = (views: Views): TenantSettings => ({
  of<View>(group: SettingGroup<View>): View {
    assert(views.has(group), 'a group of settings that the installation does not have');
    return views.get(group) as View;
  },
});

const violationsOf = (views: Views): Violation[] =>
  [...views].flatMap(([group, view]) => group.violations?.(view) ?? []);

function invalid(violations: readonly Violation[]): DomainError {
  const detail = violations.map((one) => `${one.pointer.slice(1)}: ${one.detail}`).join('; ');
  return new DomainError('setting-invalid', { detail, violations });
}
