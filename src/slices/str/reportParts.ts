/** What tells whom reports are about, built from whatever process holds the installation. */
import type { AuditStore, KeyRing, SettlingAudit } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type CauseMeans, causePartsOf, findAlert, subjectOf } from '#slices/alerts';
import { findTransaction, openLogOf } from '#slices/monitoring';
import type { AlertDraft, LoggedParts, StrDeskPorts } from './ports.ts';
import type { ReportsAboutPorts } from './reportsAbout.ts';
import { signedReports } from './signedReports.ts';

/** What a process of any kind has for them. */
export interface ReportMeans extends CauseMeans {
  readonly clock: Clock;
  readonly dataKeys: DataKeys;
  readonly keyRing: KeyRing;
  readonly storage: { readonly audit: AuditStore & SettlingAudit; readonly tables: Tables };
}

/** One for the process. */
export const reportPartsOf = (process: ReportMeans): ReportsAboutPorts => process.once(open);

function open(process: ReportMeans): ReportsAboutPorts {
  const { blobs, clock, dataKeys, keyRing, storage } = process;
  const { audit, tables } = storage;
  return {
    alertDraft: (ask) => alertDraft(process, ask),
    audit,
    blobs,
    dataKeys,
    keyRing,
    loggedTransactions: (ask) => loggedTransactions(process, ask),
    signed: signedReports({ audit, clock, keyRing, tables }),
    tables,
  };
}

/** What an alert is about, as its evidence has it. */
async function alertDraft(
  process: ReportMeans,
  ask: Parameters<StrDeskPorts['alertDraft']>[0],
): Promise<AlertDraft> {
  const ports = causePartsOf(process);
  const alert = await findAlert(process.storage, ask);
  const { externalId, names = [], payments, subjectKey } = await subjectOf(ports, alert);
  const txIds = alert.rule?.txIds ?? payments?.txIds ?? [];
  return {
    names,
    txIds,
    ...(externalId !== undefined && { externalId }),
    ...(subjectKey !== undefined && { subjectKey }),
  };
}

async function loggedTransactions(
  process: ReportMeans,
  { tenantId, txIds }: Parameters<StrDeskPorts['loggedTransactions']>[0],
): Promise<readonly LoggedParts[]> {
  const ports = openLogOf(process);
  const found: LoggedParts[] = [];
  for (const txId of txIds) {
    const { transaction } = await findTransaction(ports, { tenantId, txId });
    found.push({ txId, ...(transaction !== undefined && { transaction }) });
  }
  return found;
}
