/** Whether an alert about a person is open: what is held of him is needed until it is closed. */
import { everyRecord, type Tables } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import { type CausePorts, subjectsOf } from './alertCause.ts';
import { ALERT_STATUSES, type Alert, alertTable } from './tables.ts';

const OPEN = ALERT_STATUSES.filter((status) => !status.startsWith('closed_'));
const TOGETHER = 200;

/**
 * Whom an alert is about stands in its evidence alone, so each open one is read. One whose evidence
 * cannot be read may be about anybody, and counts.
 */
export async function isAlertOpenAbout(
  ports: Omit<CausePorts, 'tables'> & { readonly tables: Pick<Tables, 'find' | 'page'> },
  { subjectRef, tenantId }: DataSubject,
): Promise<boolean> {
  if (subjectRef === undefined) return false;
  const isAbout = async (alerts: readonly Alert[]): Promise<boolean> => {
    const told = subjectsOf(ports, alerts);
    for (const alert of alerts) {
      const { externalId, fault, rule } = await told(alert);
      if (fault !== undefined || [externalId, rule?.customerId].includes(subjectRef)) return true;
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
