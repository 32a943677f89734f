/** Settings of a former release that are flags of the policy now. */
import { type SettingValue, wordSetting } from '#core/identity';
import { DomainError } from '#core/kernel';
import { FLAG_DEFAULTS, FOUR_EYES, type PolicyFlags } from './content.ts';

const FOUR_EYES_KEY = 'alerts.four_eyes';
const RAISED_KEY = 'alerts.raised_for';

/** Typologies by what such a setting said. */
const RAISED_FOR: Readonly<Record<string, readonly string[]>> = {
  all: FLAG_DEFAULTS.auto_alert_typologies,
  none: [],
  sanctions: ['MATCH_DIRECT_SANCTIONS'],
};

const FORMER = {
  [FOUR_EYES_KEY]: wordSetting(...FOUR_EYES),
  [RAISED_KEY]: wordSetting(...Object.keys(RAISED_FOR)),
};

/** Whether a setting is a flag now. */
export const isFormerFlag = (key: string): boolean => Object.hasOwn(FORMER, key);

/**
 * The flags that these settings say; null is the default, and others say nothing. Throws
 * `setting-invalid`.
 */
export function flagsOfSettings(
  settings: Readonly<Record<string, SettingValue | null>>,
): Partial<PolicyFlags> {
  const fourEyes = wordOf(settings, FOUR_EYES_KEY, FLAG_DEFAULTS.four_eyes);
  const raised = wordOf(settings, RAISED_KEY, 'all');
  return {
    ...(fourEyes !== undefined && { four_eyes: fourEyes as PolicyFlags['four_eyes'] }),
    ...(raised !== undefined && { auto_alert_typologies: RAISED_FOR[raised] ?? [] }),
  };
}

function wordOf(
  settings: Readonly<Record<string, SettingValue | null>>,
  key: keyof typeof FORMER,
  byDefault: string,
): string | undefined {
  const given = settings[key];
  if (given === undefined) return undefined;
  const { expected, read } = FORMER[key];
  const value = given === null ? byDefault : read(given);
  if (value !== undefined) return String(value);
  const detail = `${key}: expected ${expected}`;
  const violations = [{ code: 'range', detail: `expected ${expected}`, pointer: `/${key}` }];
  throw new DomainError('setting-invalid', { detail, violations });
}
