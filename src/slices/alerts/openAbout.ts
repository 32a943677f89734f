/** Whether an alert about a person is open: what is held of him is needed until it is closed. */
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
 * Whom an alert is about stands in its evidence alone, so each open one is read whole: a screening
 * has the digest of the customer's reference, payments and rules have the customer. One whose
 * evidence cannot be read may be about anybody, and counts.
 */
export async function isAlertOpenAbout(
  ports: OpenAlertPorts,
  { subjectRef, tenantId }: DataSubject,
): Promise<boolean> {
  if (subjectRef === undefined) return false;
  const key = subjectKeyOfRef(tenantId, subjectRef);
  const isAbout = async (alerts: readonly Alert[]): Promise<boolean> => {
    const told = subjectsOf(ports, alerts, { isWhole: true });
    for (const alert of alerts) {
      const subject = await told(alert);
      if (subject.fault !== undefined || subject.subjectKey === key) return true;
      if ([subject.externalId, subject.rule?.customerId].includes(subjectRef)) return true;
      if (await isOfPayments(ports, { alert, subjectRef })) return true;
    }
    return false;
  };
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

/** Whether a listed party was found in a payment of the person. */
async function isOfPayments(
  { customersOfPayments }: Pick<OpenAlertPorts, 'customersOfPayments'>,
  { alert, subjectRef }: { readonly alert: Alert; readonly subjectRef: string },
): Promise<boolean> {
  const { cause, ruleId = '', tenantId } = alert;
  if (cause.kind !== 'screening' || !SCREENED_RULES.includes(ruleId)) return false;
  const { screeningId } = cause;
  try {
    const customers = await customersOfPayments({ screeningId, tenantId });
    return customers === undefined || customers.includes(subjectRef);
  } catch (error) {
    if (error instanceof DomainError && EVIDENCE_FAULTS.has(error.code)) return true;
    throw error;
  }
}
