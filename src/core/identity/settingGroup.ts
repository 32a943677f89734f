/**
 * The settings that one part declares: their rows, their defaults, the rules between them, and the
 * value that the part's own code reads. Only the part itself knows its keys.
 */
import type { Violation } from '#core/kernel';
import type { Setting, SettingRow, SettingValue } from './settingKinds.ts';

/** The settings that a tenant has set, by key. */
export type StoredSettings = Readonly<Record<string, SettingValue>>;

/** Settings of one part. `View` is what its code sees of them. */
export interface SettingGroup<View = unknown> {
  readonly rows: readonly SettingRow[];
  /** Absent: none of the rows has a default. */
  readonly defaults?: SettingDefaults;
  /**
   * Key of an integer in `defaults.fixed`. It grows with every change of a setting of the group,
   * and no tenant sets it.
   */
  readonly versionKey?: string;
  /**
   * What this release of the product gives a tenant: the version of what decides for it. New
   * tenants are made with it; older ones take it over, with an entry in their chain, so that a
   * chain says from when on it holds. No tenant sets these keys. Values are SemVer, and are only
   * ever raised.
   */
  readonly release?: Readonly<Record<string, string>>;
  /** The sentence above their defaults in docs/limits.md. Absent: they are not listed there. */
  readonly listedAs?: string;
  /** What is set for each tenant that is made from now on; older ones keep the defaults. */
  readonly ofNewTenants?: StoredSettings;
  /** Values in force: the tenant's own over the defaults. */
  view(values: SettingValues): View;
  /** Violated rules between the settings, checked after a change of any of them. */
  violations?(view: View): Violation[];
}

/** Where the defaults of a group are written. */
export interface SettingDefaults {
  /** Path of the file, for messages: `config/screening.json`. */
  readonly file: string;
  /** The parsed file; checked at the start. */
  readonly content: unknown;
  /** Prefix of its members in the keys: `screening.`. */
  readonly prefix: string;
  /**
   * Members that contain settings themselves, with the prefix of those: `weights` has `weight.`.
   */
  readonly members?: Readonly<Record<string, string>>;
  /** Keys of the file that no tenant sets. */
  readonly fixed?: readonly SettingRow[];
}

/**
 * The values of one group in force, by key. A stored value of another type than asked for counts as
 * absent.
 */
export class SettingValues {
  readonly #stored: StoredSettings;
  readonly #defaults: StoredSettings;

  constructor(stored: StoredSettings, defaults: StoredSettings) {
    this.#stored = stored;
    this.#defaults = defaults;
  }

  /** The value; undefined where the key is not set and has no default. */
  find(key: string): SettingValue | undefined {
    return this.#stored[key] ?? this.#defaults[key];
  }

  /** The tenant's own value, or what a release gave it; undefined where the key is not stored. */
  stored(key: string): SettingValue | undefined {
    return this.#stored[key];
  }

  /** The number; NaN where the group declares no such number. */
  number(key: string): number {
    const value = this.#stored[key];
    return typeof value === 'number' ? value : Number(this.#defaults[key]);
  }

  /** Numbers under one prefix, by the names that follow it. */
  numbers<Name extends string>(prefix: string, names: readonly Name[]): Record<Name, number> {
    const found = names.map((name) => [name, this.number(prefix + name)] as const);
    return Object.fromEntries(found) as Record<Name, number>;
  }

  /** One of the words of a `wordSetting`; both writer and reader have checked it. */
  word<Word extends string>(key: string): Word {
    return String(this.find(key)) as Word;
  }
}

/** The violation of a value that the setting does not accept. */
export const settingRange = (key: string, { expected }: Pick<Setting, 'expected'>): Violation =>
  settingViolation(key, 'range', expected);

/** A violation at the setting's key. `expected` completes "expected …". */
export const settingViolation = (key: string, code: string, expected: string): Violation => ({
  pointer: `/${key}`,
  code,
  detail: `expected ${expected}`,
});
