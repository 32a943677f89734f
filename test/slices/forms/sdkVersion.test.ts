/** An SDK that is too old is told which version it needs. */
import { describe, expect, test } from 'vitest';
import { requireSdk } from '#slices/forms';

const MINIMUM = { ios: '1.10.0' };

describe('requireSdk', () => {
  test.each([undefined, 'ios/1.10.0', 'ios/1.10.1', 'ios/2.0.0', 'android/0.0.1'])(
    '%s is served',
    (sdk) => {
      expect(() => requireSdk(sdk, MINIMUM)).not.toThrow();
    },
  );

  test.each(['ios/1.9.9', 'ios/0.99.0'])('%s is too old', (sdk) => {
    expect(() => requireSdk(sdk, MINIMUM)).toThrow(
      expect.objectContaining({ code: 'sdk-too-old', upgrade: 'onboarding-sdk-ios/1.10.0' }),
    );
  });

  test.each(['ios', 'ios/1', 'symbian/1.0.0', ''])('%j is no version of an SDK', (sdk) => {
    expect(() => requireSdk(sdk, MINIMUM)).toThrow(
      expect.objectContaining({ code: 'header-invalid' }),
    );
  });
});
