/** What a tenant may set of forms: the least version of an SDK that renders them. */
import type { Setting, SettingGroup } from '#core/identity';

/** Platforms of SDKs. */
export const SDK_PLATFORMS = ['android', 'ios', 'web'] as const;
/** One of SDK_PLATFORMS. */
export type SdkPlatform = (typeof SDK_PLATFORMS)[number];

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

const version: Setting = {
  expected: 'a version, as 1.4.0',
  hasDefault: false,
  read: (given) => (typeof given === 'string' && VERSION.test(given) ? given : undefined),
};

/** The least version of each platform; absent: any. */
export type SdkMinimum = Readonly<Partial<Record<SdkPlatform, string>>>;

/** `sdk.minimum.*`; without one every version is served. */
export const settings: SettingGroup<SdkMinimum> = {
  rows: SDK_PLATFORMS.map((platform) => [`sdk.minimum.${platform}`, version] as const),
  view: (values) =>
    Object.fromEntries(
      SDK_PLATFORMS.flatMap((platform) => {
        const least = values.find(`sdk.minimum.${platform}`);
        return typeof least === 'string' ? [[platform, least]] : [];
      }),
    ),
};
