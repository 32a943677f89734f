/** What exclusions ask of slices to the right: what a tenant's policy allows. */
import { port, type TenantId } from '#core/kernel';

/** The flags of a policy that exclusions obey (operations.md S6). */
export interface ExclusionPolicy {
  readonly isEnabled: boolean;
  readonly daysMax: number;
  /** Hits of sanctions lists need a second person in any case. */
  readonly fourEyes: 'none' | 'sanctions' | 'all';
}

/** A tenant's policy in force. */
export type ExclusionPolicyOf = (of: { readonly tenantId: TenantId }) => Promise<ExclusionPolicy>;
/** Unanswered: the policy that ships. */
export const exclusionPolicy = port<ExclusionPolicyOf>(() => async () => ({
  daysMax: 365,
  fourEyes: 'sanctions',
  isEnabled: true,
}));
