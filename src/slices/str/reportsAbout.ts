/**
 * Whether a report is about a person: what is held of him is kept as long as the report. Nobody is
 * told: the erasure of the person asks, and backtests of risk, which tell totals alone.
 *
 * Which reports may be about a customer stands in the chain, in an entry for each customer whom a
 * report has come to name, and is found there by the digest of their reference. So nobody else's
 * report is read, and one that was altered, or cannot be read, keeps the customers that it was
 * signed with, and nobody else.
 */
import { type EventDraft, entry, verifiedEvent } from '#core/audit';
import { chainOf, DomainError, everyRecord, type TenantId } from '#core/kernel';
import type { DataSubject } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { subjectKeyOfRef } from '#slices/screening';
import { partiesOf, type StoredContent } from './content.ts';
import { readContent } from './contentStore.ts';
import type { StrDeskPorts } from './ports.ts';
import { type StrReport, strReportTable } from './tables.ts';
import { actorOf, type StrReader } from './visibility.ts';

/** What finds whom a report is about. */
export type ReportsAboutPorts = Pick<
  StrDeskPorts,
  | 'alertDraft'
  | 'audit'
  | 'blobs'
  | 'dataKeys'
  | 'keyRing'
  | 'loggedTransactions'
  | 'signed'
  | 'tables'
>;

const PAGE = 500;

/**
 * A party names the customer by `client_number`, the alert by its evidence, the tenant's log by its
 * customer. A report that says neither is about whom its words say: a legal hold keeps that person.
 */
export async function isReportAbout(
  ports: ReportsAboutPorts,
  { subjectKey, subjectRef, tenantId }: DataSubject,
): Promise<boolean> {
  const key = subjectRef === undefined ? subjectKey : subjectKeyOfRef(tenantId, subjectRef);
  if (key === undefined) return false;
  for (const strId of await linkedReports(ports, { key, tenantId })) {
    // The entry is not what was signed: it may have named any report.
    if (strId === undefined || (await isKeptFor(ports, { key, strId, tenantId }))) return true;
  }
  return false;
}

interface Named {
  readonly tenantId: TenantId;
  /** Digest of the customer's reference. */
  readonly key: string;
}

const linkTarget = (key: string): string => `str-subject:${key}`;

async function linkedReports(
  { audit, keyRing }: ReportsAboutPorts,
  { key, tenantId }: Named,
): Promise<ReadonlySet<string | undefined>> {
  const chainId = chainOf(tenantId);
  const found = new Set<string | undefined>();
  const ask = { chainId, limit: PAGE, order: 'asc', target: linkTarget(key) } as const;
  for (let fromSeq = 1; ; ) {
    const page = await audit.searchEvents({ ...ask, fromSeq, toSeq: Number.MAX_SAFE_INTEGER });
    for (const event of page) {
      const members = verifiedEvent(event, { chainId, keyRing });
      const isLink = members === undefined || members.action === 'str.subject.linked';
      if (isLink) found.add(members && String(members.str_id));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found;
    fromSeq = last.seq + 1;
  }
}

/** What keeps a report from being read; it was about the customer when it was signed. */
const FAULTS: ReadonlySet<string> = new Set([
  'blob-damaged',
  'evidence-altered',
  'not-found',
  'results-altered',
  'state-altered',
]);

async function isKeptFor(
  ports: ReportsAboutPorts,
  { key, strId, tenantId }: Named & { readonly strId: string },
): Promise<boolean> {
  const row = await ports.tables.find(strReportTable, { strId, tenantId });
  if (row === undefined) return true;
  try {
    const report = await ports.signed.require(row);
    if (report.erasedAt !== undefined) return false;
    const keys = await customersOf(ports, tenantId, await readContent(ports, report));
    return keys.has(key);
  } catch (error) {
    if (error instanceof DomainError && FAULTS.has(error.code)) return true;
    throw error;
  }
}

/** Whom a report that was filed is about. */
export interface ReportedCustomers {
  /** When it was filed first. */
  readonly at: EpochMs;
  /** Digests of their references; undefined: nobody can read it. */
  readonly keys: ReadonlySet<string> | undefined;
}

/** For totals alone: whoever asks tells nobody who they are. */
export async function* customersReported(
  ports: ReportsAboutPorts,
  tenantId: TenantId,
): AsyncGenerator<ReportedCustomers> {
  const ask = { equal: { isFiled: true, tenantId }, index: 'byFiled' };
  for await (const found of everyRecord(ports.tables, strReportTable, ask)) {
    const at = found.submissions[0]?.submittedAt;
    if (at !== undefined) yield { at, keys: await keysOf(ports, found) };
  }
}

async function keysOf(
  ports: ReportsAboutPorts,
  found: StrReport,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const report = await ports.signed.require(found);
    if (report.erasedAt !== undefined) return undefined;
    return await customersOf(ports, report.tenantId, await readContent(ports, report));
  } catch (error) {
    if (error instanceof DomainError && FAULTS.has(error.code)) return undefined;
    throw error;
  }
}

/** Digests of the customers that a report is about; `before` leaves out what that names. */
export async function customersOf(
  ports: Pick<ReportsAboutPorts, 'alertDraft' | 'loggedTransactions'>,
  tenantId: TenantId,
  content: StoredContent,
  before?: StoredContent,
): Promise<ReadonlySet<string>> {
  const refs = numbersOf(content);
  const keys = new Set<string>();
  const { alert_id: alertId } = content;
  if (alertId !== undefined && alertId !== before?.alert_id) {
    const alert = await ports.alertDraft({ alertId, tenantId }).catch(unlessUnknown);
    if (alert?.externalId !== undefined) refs.add(alert.externalId);
    if (alert?.subjectKey !== undefined) keys.add(alert.subjectKey);
  }
  const known = new Set(before?.transactions.map(({ id }) => id));
  for (const { id } of content.transactions) {
    if (known.has(id)) continue;
    const logged = await ports.loggedTransactions({ tenantId, txIds: [id] }).catch(unlessUnknown);
    for (const { transaction } of logged ?? []) {
      if (transaction?.customer_id !== undefined) refs.add(transaction.customer_id);
    }
  }
  const former = before === undefined ? new Set<string>() : numbersOf(before);
  for (const ref of refs) if (!former.has(ref)) keys.add(subjectKeyOfRef(tenantId, ref));
  return keys;
}

function numbersOf(content: StoredContent): Set<string> {
  const accounts = partiesOf(content).flatMap((party) => party.accounts ?? []);
  return new Set(accounts.flatMap(({ client_number }) => client_number ?? []));
}

const UNKNOWN: ReadonlySet<string> = new Set(['alert-unknown', 'transaction-unknown']);

/** An author may name payments that the log does not have. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof DomainError && UNKNOWN.has(error.code)) return undefined;
  throw error;
}

/** That a report has come to be about customers, for the commit by which it has. */
export const linkEntries = (
  ports: Pick<StrDeskPorts, 'clock' | 'random'>,
  { reader, report }: { readonly reader: StrReader; readonly report: StrReport },
  customers: ReadonlySet<string>,
): readonly EventDraft[] =>
  [...customers].map((key) =>
    entry(ports, {
      action: 'str.subject.linked',
      actor: actorOf(reader),
      at: report.updatedAt,
      members: { confidential: true, str_id: report.strId },
      target: linkTarget(key),
    }),
  );
