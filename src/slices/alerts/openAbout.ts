/** Whom alerts are about: what is held of a person is needed until one about him is closed. */
import { DomainError, everyRecord, type Tables } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import { subjectKeyOfRef } from '#slices/screening';
import { SCREENED_RULES } from './alert.ts';
import { type CausePorts, EVIDENCE_FAULTS, subjectsOf } from './alertCause.ts';
import type { CustomersOfPayments } from './asks.ts';
import { ALERT_STATUSES, type Alert, alertTable } from './tables.ts';

const OPEN = ALERT_STATUSES.filter((status) => !status.startsWith('closed_'));
const TOGETHER = 200;

/** What open alerts are read with. */
export interface OpenAlertPorts extends Omit<CausePorts, 'tables'> {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  readonly customersOfPayments: CustomersOfPayments;
}

/**
 * Whether an open alert is about the person. Whom it is about stands in its evidence alone, so each
 * open one is read whole; one whose evidence cannot be read may be about anybody, and counts.
 */
export async function isAlertOpenAbout(
  ports: OpenAlertPorts,
  { subjectRef, tenantId }: DataSubject,
): Promise<boolean> {
  if (subjectRef === undefined) return false;
  const key = subjectKeyOfRef(tenantId, subjectRef);
  const isAbout = async (alerts: readonly Alert[]): Promise<boolean> =>
    (await customersOfAlerts(ports, alerts)).some((keys) => keys?.includes(key) !== false);
  let some: Alert[] = [];
  for (const status of OPEN) {
    const ask = { equal: { status, tenantId }, index: 'byStatus' };
    for await (const alert of everyRecord(ports.tables, alertTable, ask)) {
      if (some.push(alert) < TOGETHER) continue;
      if (await isAbout(some)) return true;
      some = [];
    }
  }
  return isAbout(some);
}

/**
 * The customers whom alerts are about, by `subjectKeyOfRef`; undefined where the evidence of one
 * cannot be read. A screening has the digest of the customer's reference, payments and rules have
 * the customer.
 */
export async function customersOfAlerts(
  ports: OpenAlertPorts,
  alerts: readonly Alert[],
): Promise<readonly (readonly string[] | undefined)[]> {
  const told = subjectsOf(ports, alerts, { isWhole: true });
  const found: (readonly string[] | undefined)[] = [];
  for (const alert of alerts) {
    const { externalId, fault, rule, subjectKey } = await told(alert);
    const payers = fault === undefined ? await customersOf(ports, alert) : undefined;
    if (payers === undefined) {
      found.push(undefined);
      continue;
    }
    const refs = [externalId, rule?.customerId, ...payers].filter((one) => one !== undefined);
    const keys = refs.map((ref) => subjectKeyOfRef(alert.tenantId, ref));
    found.push([...(subjectKey === undefined ? [] : [subjectKey]), ...keys]);
  }
  return found;
}

/** Customers in whose payments a listed party was found; undefined where nobody can say. */
async function customersOf(
  { customersOfPayments }: Pick<OpenAlertPorts, 'customersOfPayments'>,
  { cause, ruleId = '', tenantId }: Alert,
): Promise<readonly string[] | undefined> {
  if (cause.kind !== 'screening' || !SCREENED_RULES.includes(ruleId)) return [];
  const { screeningId } = cause;
  try {
    return await customersOfPayments({ screeningId, tenantId });
  } catch (error) {
    if (error instanceof DomainError && EVIDENCE_FAULTS.has(error.code)) return undefined;
    throw error;
  }
}
