/** Whether an SDK is new enough for what a form may ask of it (interface.md 9, rule 6). */
import { DomainError } from '#core/kernel';
import { SDK_PLATFORMS, type SdkMinimum } from './settings.ts';

const SDK = /^([a-z]{1,16})\/(\d{1,6}\.\d{1,6}\.\d{1,6})$/;

/**
 * `sdk` is the header X-SDK-Version, as `ios/1.4.0`; absent: no SDK of ours. Throws `sdk-too-old`,
 * and `header-invalid` for what is no such header.
 */
export function requireSdk(sdk: string | undefined, minimum: SdkMinimum): void {
  if (sdk === undefined) return;
  const [, platform, version] = SDK.exec(sdk) ?? [];
  const known = SDK_PLATFORMS.find((one) => one === platform);
  if (known === undefined || version === undefined) {
    const detail = `expected one of ${SDK_PLATFORMS.join(', ')}, a slash and a version`;
    const violations = [{ code: 'format', detail, pointer: 'header:X-SDK-Version' }];
    throw new DomainError('header-invalid', { detail, violations });
  }
  const least = minimum[known];
  if (least === undefined || !isOlder(version, least)) return;
  const detail = `expected version ${least} or later of the SDK for ${known}`;
  throw new DomainError('sdk-too-old', { detail, upgrade: `onboarding-sdk-${known}/${least}` });
}

function isOlder(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => text.split('.').map(Number));
  for (const [at, part] of (other ?? []).entries()) {
    const own = one?.[at] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
