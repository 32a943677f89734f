/** A report as it is found and named, and the digest that its entries tell. */
import {
  type Actor,
  type EventDraft,
  entry,
  type IdempotencyRecord,
  type JsonObject,
} from '#core/audit';
import type { Principal } from '#core/identity';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { StrDeskPorts, StrReadPorts, StrWritePorts } from './ports.ts';
import { digestOf } from './signedReports.ts';
import { type StrReport, strReportTable } from './tables.ts';
import {
  actorOf,
  isVisible,
  readerOf,
  type StrAdministrator,
  type StrReader,
} from './visibility.ts';

/** Where a report is. */
export interface StrPlace {
  readonly tenantId: TenantId;
  readonly strId: string;
}

/** Who asks for something, and under which conditions. */
export interface StrAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | StrAdministrator;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (record: StrReport) => IdempotencyRecord;
}

/** A report with who looks at it. */
export interface SeenReport {
  readonly report: StrReport;
  readonly reader: StrReader;
}

/**
 * The report as its last entry made it. Throws `str-unknown` for one that does not exist for the
 * caller, whatever the reason, and `state-altered`.
 */
export async function seeReport(
  ports: StrReadPorts & Pick<StrDeskPorts, 'listPersons'>,
  ask: Pick<StrAsk, 'principal' | 'tenantId'> & StrPlace,
): Promise<SeenReport> {
  const { principal, strId, tenantId } = ask;
  // Both are read whatever they say: a refusal takes the same time, whatever it is for.
  const [found, persons] = await Promise.all([
    ports.tables.find(strReportTable, { strId, tenantId }),
    ports.listPersons(tenantId),
  ]);
  const reader = readerOf(principal, persons);
  if (found === undefined || !isVisible(found, reader)) throw new DomainError('str-unknown');
  const report = await ports.signed.require(found);
  if (!isVisible(report, reader)) throw new DomainError('str-unknown');
  return { reader, report };
}

/** Strong entity tag. */
export const etagOf = ({ version }: Pick<StrReport, 'version'>): string => `"${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  report: StrReport,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected === undefined || isExpected(etagOf(report))) return;
  throw new DomainError('precondition-failed');
}

/** Throws `state-conflict` unless it is in one of these states. */
export function requireStatus(
  { status }: Pick<StrReport, 'status'>,
  ...expected: readonly StrReport['status'][]
): void {
  if (expected.includes(status)) return;
  const detail = `expected a report that is ${expected.join(' or ')}, got ${status}`;
  throw new DomainError('state-conflict', { detail });
}

/** SHA-256 hex of all of a record: it holds no text that anybody wrote. */
export const reportDigest = (report: StrReport): string => digestOf('record', report);

/** As entries name it. */
export const targetOf = ({ strId }: Pick<StrReport, 'strId'>): string => `str:${strId}`;

/** The record after a change; `undefined` takes a member away. */
export function nextReport(
  report: StrReport,
  changed: { readonly [Name in keyof StrReport]?: StrReport[Name] | undefined },
): StrReport {
  const members = Object.entries({ ...report, ...changed, version: report.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** Replaces the record by its next revision. */
export const putNext = (before: StrReport, next: StrReport): TableChange =>
  strReportTable.put(next, before.version);

type StrAction = Extract<Parameters<typeof entry>[1]['action'], `str.${string}`>;

/** An entry about a report, which holds the record to it. */
export function strEntry(
  ports: Pick<StrWritePorts, 'clock' | 'random'>,
  of: {
    readonly action: StrAction;
    readonly report: StrReport;
    readonly actor: Actor;
    readonly ip?: string | undefined;
    readonly members?: JsonObject;
    readonly open?: JsonObject;
    readonly severity?: 'NOTICE';
  },
): EventDraft {
  const { action, actor, ip, members, open, report, severity } = of;
  return entry(ports, {
    action,
    actor,
    at: report.updatedAt,
    members: {
      ...members,
      confidential: true,
      report_digest: reportDigest(report),
      status: report.status,
    },
    target: targetOf(report),
    ...(ip !== undefined && { ip }),
    ...(open !== undefined && { open }),
    ...(severity !== undefined && { severity }),
  });
}

/** That somebody has read a report, or a file of it: not a revision, and no digest. */
export const viewedEntry = (
  ports: Pick<StrWritePorts, 'clock' | 'random'>,
  { reader, report }: SeenReport,
  of: { readonly what: string; readonly ip?: string | undefined },
): EventDraft =>
  entry(ports, {
    action: 'str.viewed',
    actor: actorOf(reader),
    members: { confidential: true, what: of.what },
    target: targetOf(report),
    ...(of.ip !== undefined && { ip: of.ip }),
  });
