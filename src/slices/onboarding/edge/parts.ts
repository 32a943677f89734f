/** The ports of onboarding, built from the installation of a process; one for each. */
import { localOrigin } from '#platform/localOrigin';
import { submissionPartsOf } from '#slices/forms';
import { type OnboardingPorts, onboardingSettings, signedSessions } from '#slices/onboarding';
import type { SliceProcess } from '../../processes.ts';

/** A gateway knows where it listens, and can wake workers. */
type Means = SliceProcess & {
  readonly origin?: () => string;
  readonly wake?: (slice: string, id: string) => unknown;
};

export const onboardingPartsOf = (process: Means): OnboardingPorts => process.once(open);

function open(process: Means): OnboardingPorts {
  const { config, keyRing, signer, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    ...submissionPartsOf(process),
    keyRing,
    originOf: async (tenantId) => {
      if (config.onboardingOrigin !== undefined) return config.onboardingOrigin;
      const kind = (await tenants.find(tenantId))?.kind ?? 'live';
      return config.origins[kind] ?? process.origin?.() ?? localOrigin(config, config.port);
    },
    returnOriginsOf: async (tenantId) => (await tenants.settings(tenantId)).of(onboardingSettings),
    sessions: signedSessions({ audit, keyRing, tables }),
    signer,
  };
}
