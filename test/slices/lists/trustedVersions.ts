/** Versions that are what was signed, for tests of what is done with them. */
import type { SignedVersions } from '#slices/lists';

export const TRUSTED: SignedVersions = {
  changesSince: async () => undefined,
  checkBundle: async () => 'same-index',
  checkInForce: async () => undefined,
  checkPublished: async () => undefined,
  lastLabel: async () => undefined,
  missing: async () => [],
};
