/** What the rules of onboarding need. */
import type { KeyRing } from '#core/audit';
import type { TenantId } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import type { SubmissionPorts } from '#slices/forms';
import type { SignedSessions } from './signedSessions.ts';

/** Sessions stand beside forms and cases. */
export interface OnboardingPorts extends SubmissionPorts {
  readonly keyRing: KeyRing;
  /** Where customers open links of this tenant: scheme, host and port. */
  readonly originOf: (tenantId: TenantId) => Promise<string>;
  /** Origins that customers of the tenant may return to. */
  readonly returnOriginsOf: (tenantId: TenantId) => Promise<readonly string[]>;
  readonly sessions: SignedSessions;
  readonly signer: Signer;
}
