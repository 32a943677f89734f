/** Whom alerts are about, however they ended. */
import { subjectKeyOfRef } from '#slices/screening';
import { SCREENED_RULES } from './alert.ts';
import { type CausePorts, subjectsOf } from './alertCause.ts';
import type { CustomersOfPayments } from './asks.ts';
import type { Alert } from './tables.ts';

/** What customers of alerts are read with. */
export interface AlertCustomersPorts extends CausePorts {
  readonly customersOfPayments: CustomersOfPayments;
}

/**
 * The customers of each alert, by `subjectKeyOfRef`; undefined where its evidence cannot be read. A
 * screening has the digest of the customer's reference, payments and rules have the customer.
 */
export async function customersOfAlerts(
  ports: AlertCustomersPorts,
  alerts: readonly Alert[],
): Promise<readonly (readonly string[] | undefined)[]> {
  const told = subjectsOf(ports, alerts, { isWhole: true });
  const found: (readonly string[] | undefined)[] = [];
  for (const alert of alerts) {
    const { externalId, fault, rule, subjectKey } = await told(alert);
    const payers = fault === undefined ? await payersOf(ports, alert) : undefined;
    if (payers === undefined) {
      found.push(undefined);
      continue;
    }
    const refs = [externalId, rule?.customerId].filter((one) => one !== undefined);
    const keys = refs.map((ref) => subjectKeyOfRef(alert.tenantId, ref));
    found.push([...(subjectKey === undefined ? [] : [subjectKey]), ...keys, ...payers]);
  }
  return found;
}

/** Customers in whose payments a listed party was found; undefined where nobody can say. */
async function payersOf(
  { customersOfPayments }: Pick<AlertCustomersPorts, 'customersOfPayments'>,
  { cause, ruleId = '', tenantId }: Alert,
): Promise<Iterable<string> | undefined> {
  if (cause.kind !== 'screening' || !SCREENED_RULES.includes(ruleId)) return [];
  const { screeningId } = cause;
  const { isWhole, keys } = await customersOfPayments({ screeningId, tenantId });
  return isWhole ? keys : undefined;
}
