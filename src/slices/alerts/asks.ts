/** What alerts ask of slices to the right: the evidence of what these raise alerts for. */
import { port, type TenantId } from '#core/kernel';
import type { AlertSubject, TriggeringPayments } from './alertSubject.ts';
import type { Alert, AlertCause } from './tables.ts';

/**
 * Whom an alert of a changed list is about, and the hits, as they were signed; undefined where
 * nobody knows of it. Throws `evidence-altered` where the evidence is not what was signed.
 */
export type ListChangeSubject = (
  of: { readonly tenantId: TenantId } & Extract<AlertCause, { readonly kind: 'list_change' }>,
) => Promise<AlertSubject | undefined>;
/** Unanswered: no slice raises alerts when a list changes. */
export const listChangeSubject = port<ListChangeSubject>(() => async () => undefined);

/**
 * Whom an alert of a rule is about, and why it was raised; undefined where nobody knows of it. With
 * `isWhole` account and customer are read from the log, as it was signed.
 */
export type RuleAlertSubject = (
  alert: Pick<Alert, 'alertId' | 'tenantId'>,
  isWhole: boolean,
) => Promise<AlertSubject | undefined>;
/** Unanswered: no slice evaluates rules. */
export const ruleAlertSubject = port<RuleAlertSubject>(() => async () => undefined);

/**
 * The payments in which a listed party was found, by its screening. Throws `evidence-altered` where
 * they are not what the log says.
 */
export type ListedPartyPayments = (of: {
  readonly tenantId: TenantId;
  readonly screeningId: string;
}) => Promise<TriggeringPayments | undefined>;
/** Unanswered: no slice takes payments. */
export const listedPartyPayments = port<ListedPartyPayments>(() => async () => undefined);

/** Customers of payments. */
export interface PayingCustomers {
  /** By `subjectKeyOfRef`. */
  readonly keys: ReadonlySet<string>;
  /** Whether every payment is what was logged; one that is not names nobody. */
  readonly isWhole: boolean;
}
/** The customers whose payments those are, however many there are. */
export type CustomersOfPayments = (of: {
  readonly tenantId: TenantId;
  readonly screeningId: string;
}) => Promise<PayingCustomers>;
/** Unanswered: no slice takes payments. */
export const customersOfPayments = port<CustomersOfPayments>(() => async () => ({
  isWhole: true,
  keys: new Set(),
}));

/** By which rules know a customer: the keyed digests that causes of their alerts have. */
export type RuleKeysOfCustomer = (of: {
  readonly tenantId: TenantId;
  readonly subjectRef: string;
}) => Promise<readonly string[]>;
/** Unanswered: no slice evaluates rules. */
export const ruleKeysOfCustomer = port<RuleKeysOfCustomer>(() => async () => []);
