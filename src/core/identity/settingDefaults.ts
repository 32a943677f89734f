/** The defaults of a group of settings, from the file in config/ that it names. */
import type { SettingDefaults, SettingGroup, StoredSettings } from './settingGroup.ts';
import type { SettingValue } from './settingKinds.ts';

/**
 * Defaults by key, including those that no tenant sets. Throws an Error, which ends the start; it
 * names the file or the key, what was expected and what came.
 */
export function settingDefaults({ defaults, rows }: SettingGroup): StoredSettings {
  const flat = new Map(defaults && flatten(defaults.content, defaults));
  const read = new Map<string, SettingValue>();
  for (const [key, { expected, read: take }] of defaults?.fixed ?? []) {
    const value = take(flat.get(key) as SettingValue);
    if (value === undefined) throw new Error(`${named(key, defaults)}: expected ${expected}`);
    read.set(key, value);
  }
  for (const [key, setting] of rows) {
    if (!setting.hasDefault) continue;
    const value = setting.read(flat.get(key) as SettingValue);
    if (value === undefined) {
      const got = JSON.stringify(flat.get(key)) ?? 'nothing';
      throw new Error(`config/: ${key}: expected ${setting.expected}, got ${got}`);
    }
    read.set(key, value);
  }
  for (const key of flat.keys()) {
    if (!read.has(key)) throw new Error(`config/: ${key}: expected no such member`);
  }
  return Object.fromEntries(read);
}

const named = (key: string, of: SettingDefaults | undefined): string =>
  `${of?.file}: ${key.slice(of?.prefix.length)}`;

function* flatten(
  value: unknown,
  { file, members = {}, prefix }: Omit<SettingDefaults, 'content' | 'fixed'>,
): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${file}: expected an object`);
  }
  for (const [name, member] of Object.entries(value)) {
    const group = Object.hasOwn(members, name) ? members[name] : undefined;
    if (group === undefined) yield [prefix + name, member];
    else yield* flatten(member, { file, prefix: prefix + group });
  }
}
