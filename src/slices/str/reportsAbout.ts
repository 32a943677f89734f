/**
 * Whom reports are about: what is held of a person is kept as long as one about him. Nobody is
 * told: the erasure of the person asks, and backtests of risk, which tell totals alone.
 */
import { DomainError, everyRecord, type TenantId } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { partiesOf } from './content.ts';
import { readContent } from './contentStore.ts';
import type { StrDeskPorts } from './ports.ts';
import { type StrReport, strReportTable } from './tables.ts';

/** What finds whom a report is about. */
export type ReportsAboutPorts = Pick<
  StrDeskPorts,
  'alertDraft' | 'blobs' | 'dataKeys' | 'loggedTransactions' | 'signed' | 'tables'
>;

/**
 * A party names the customer by `client_number`, the alert by its evidence, the tenant's log by its
 * customer. A report that says neither is about whom its words say: a legal hold keeps that person.
 */
export async function isReportAbout(
  ports: ReportsAboutPorts,
  { subjectRef, tenantId }: DataSubject,
): Promise<boolean> {
  if (subjectRef === undefined) return false;
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const found of everyRecord(ports.tables, strReportTable, ask)) {
    for await (const customer of customersOf(ports, found)) {
      if (customer === subjectRef) return true;
    }
  }
  return false;
}

/** Whom a report that was filed is about. */
export interface ReportedCustomers {
  /** When it was filed first. */
  readonly at: EpochMs;
  /** Undefined: nobody can read it. */
  readonly refs: readonly string[] | undefined;
}

/** For totals alone: whoever asks tells nobody who they are. */
export async function* customersReported(
  ports: ReportsAboutPorts,
  tenantId: TenantId,
): AsyncGenerator<ReportedCustomers> {
  const ask = { equal: { isFiled: true, tenantId }, index: 'byFiled' };
  for await (const found of everyRecord(ports.tables, strReportTable, ask)) {
    const at = found.submissions[0]?.submittedAt;
    if (at === undefined) continue;
    yield { at, refs: await refsOf(ports, found) };
  }
}

async function refsOf(
  ports: ReportsAboutPorts,
  found: StrReport,
): Promise<readonly string[] | undefined> {
  const refs: string[] = [];
  try {
    for await (const ref of customersOf(ports, found)) refs.push(ref);
    return refs;
  } catch (error) {
    if (error instanceof DomainError && FAULTS.has(error.code)) return undefined;
    throw error;
  }
}

const FAULTS: ReadonlySet<string> = new Set([
  'blob-damaged',
  'evidence-altered',
  'not-found',
  'results-altered',
  'state-altered',
]);

/** Read as far as whoever asks goes on. */
async function* customersOf(ports: ReportsAboutPorts, found: StrReport): AsyncGenerator<string> {
  const report = await ports.signed.require(found);
  if (report.erasedAt !== undefined) return;
  const { tenantId } = report;
  const content = await readContent(ports, report);
  for (const { client_number } of partiesOf(content).flatMap(({ accounts = [] }) => accounts)) {
    if (client_number !== undefined) yield client_number;
  }
  const { alert_id: alertId } = content;
  if (alertId !== undefined) {
    const alert = await ports.alertDraft({ alertId, tenantId }).catch(unlessUnknown);
    if (alert?.externalId !== undefined) yield alert.externalId;
  }
  for (const { id } of content.transactions) {
    const logged = await ports.loggedTransactions({ tenantId, txIds: [id] }).catch(unlessUnknown);
    for (const { transaction } of logged ?? []) {
      if (transaction?.customer_id !== undefined) yield transaction.customer_id;
    }
  }
}

const UNKNOWN: ReadonlySet<string> = new Set(['alert-unknown', 'transaction-unknown']);

/** An author may name payments that the log does not have. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof DomainError && UNKNOWN.has(error.code)) return undefined;
  throw error;
}
