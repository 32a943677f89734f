/**
 * Whether a report is about a person: what is held of him is kept as long as the report. Nobody is
 * told, and only the erasure of the person asks.
 */
import { DomainError, everyRecord } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import { partiesOf, type StoredContent } from './content.ts';
import { readContent } from './contentStore.ts';
import type { StrDeskPorts } from './ports.ts';
import { strReportTable } from './tables.ts';

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
    const report = await ports.signed.require(found);
    if (report.erasedAt !== undefined) continue;
    const content = await readContent(ports, report);
    if (await isAbout(ports, content, { subjectRef, tenantId })) return true;
  }
  return false;
}

type Named = Required<Pick<DataSubject, 'subjectRef' | 'tenantId'>>;

async function isAbout(
  ports: ReportsAboutPorts,
  content: StoredContent,
  { subjectRef, tenantId }: Named,
): Promise<boolean> {
  const accounts = partiesOf(content).flatMap((party) => party.accounts ?? []);
  if (accounts.some(({ client_number }) => client_number === subjectRef)) return true;
  const { alert_id: alertId } = content;
  if (alertId !== undefined) {
    const alert = await ports.alertDraft({ alertId, tenantId }).catch(unlessUnknown);
    if (alert?.externalId === subjectRef) return true;
  }
  for (const { id } of content.transactions) {
    const ask = { tenantId, txIds: [id] };
    const logged = await ports.loggedTransactions(ask).catch(unlessUnknown);
    if (logged?.some(({ transaction }) => transaction?.customer_id === subjectRef)) return true;
  }
  return false;
}

const UNKNOWN: ReadonlySet<string> = new Set(['alert-unknown', 'transaction-unknown']);

/** An author may name payments that the log does not have. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof DomainError && UNKNOWN.has(error.code)) return undefined;
  throw error;
}
