/** What cases ask of the slices on their right: risk, flags, onboarding links, mail. */
import { port, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Locale } from '#platform/locales';
import type { CaseRecord } from './tables.ts';
import type { RiskTier } from './words.ts';

/** What the risk policy says of a case. */
export interface CaseRisk {
  readonly evaluationId: string;
  readonly level: string;
  readonly score: number;
  readonly policyVersion: number;
  readonly tier: RiskTier;
  /** No case of that level is approved. */
  readonly isProhibited: boolean;
  /** Facts were missing: nothing is approved by itself. */
  readonly isIncomplete: boolean;
}
/**
 * Rated by the screening that is named, which stands already, though the case may not name it yet.
 * Undefined, also without an answerer: there is no policy, and no check of risk.
 */
export type RiskOfCase = (
  of: Pick<CaseRecord, 'caseId' | 'externalRef' | 'screening' | 'tenantId'>,
) => Promise<CaseRisk | undefined>;
export const riskOfCase = port<RiskOfCase>(() => async () => undefined);

/** Flags of a subject (interface.md 2.15). */
export interface SubjectFlags {
  readonly processing_restricted: boolean;
  readonly opposed: boolean;
}
export type FlagsOf = (of: {
  readonly tenantId: TenantId;
  readonly externalRef: string;
}) => Promise<SubjectFlags>;
/** Unanswered: no subject has any. */
export const flagsOfSubject = port<FlagsOf>(() => async () => ({
  opposed: false,
  processing_restricted: false,
}));

/** Whether a tenant has a form of this code. */
export type KnowsForm = (of: {
  readonly tenantId: TenantId;
  readonly code: string;
}) => Promise<boolean>;
/** Unanswered: there are no forms. */
export const knowsForm = port<KnowsForm>(() => async () => false);

/** Deletes the values that were filled in for a case; stale where `expected` does not hold. */
export type ForgetSubmissions = (of: {
  readonly tenantId: TenantId;
  readonly caseId: string;
  readonly expected: TableChange;
}) => Promise<void>;
/** Unanswered: nothing was filled in. */
export const forgetSubmissions = port<ForgetSubmissions>(() => async () => undefined);

/**
 * A link by which the customer goes on; undefined where there are no onboarding sessions. `orderId`
 * is the mail that it is for: asked again for one mail, the link is the same while it is good.
 */
export type FreshLink = (of: {
  readonly tenantId: TenantId;
  readonly caseId: string;
  readonly orderId: string;
}) => Promise<string | undefined>;
export const freshLink = port<FreshLink>(() => async () => undefined);

/** A mail to a customer; sent twice under one id it is seen as one. */
export interface CustomerMail {
  readonly id: string;
  readonly to: string;
  readonly locale: Locale;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly at: EpochMs;
}
/** What became of it. `deferred` may be tried again, with the word of why. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'unconfigured' }
  | { readonly kind: 'deferred' | 'refused'; readonly code: string };
/** `write` is called only where there is a server: a link that it makes is for sending. */
export type SendCustomerMail = (write: () => Promise<CustomerMail>) => Promise<MailOutcome>;
/** Unanswered: there is no way to send any. */
export const sendCustomerMail = port<SendCustomerMail>(() => async () => ({
  kind: 'unconfigured',
}));
