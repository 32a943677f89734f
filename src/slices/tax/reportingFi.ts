/**
 * Institutions that report, by GIIN. What is said of one is public, an organisation's name and
 * address; each statement takes the place of the one before.
 */
import { entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { TaxAsk } from './classifySubject.ts';
import type { TaxPorts } from './ports.ts';
import { readFiContent } from './reportingFiContent.ts';
import { digestOfRecord } from './signedTable.ts';
import { type ReportingFi, reportingFiTable } from './tables.ts';

/** Who states what of an institution. */
export interface SaveReportingFi extends TaxAsk {
  readonly giin: string;
  readonly content: unknown;
}

/** As entries name it. */
export const fiTarget = ({ giin }: Pick<ReportingFi, 'giin'>) => `tax-fi:${giin}`;

/** SHA-256 hex of all of a record. */
export const fiDigest = digestOfRecord<ReportingFi>('tax-reporting-fi-v1');

/** Throws `giin-invalid`, `reporting-fi-invalid`, `state-altered`. */
export async function saveReportingFi(
  ports: TaxPorts,
  ask: SaveReportingFi,
  idempotency?: (fi: ReportingFi) => IdempotencyRecord,
): Promise<ReportingFi> {
  const { actor, giin, ip, tenantId } = ask;
  const content = readFiContent(giin, ask.content);
  return overwrite(async () => {
    const before = await lookUpReportingFi(ports, { giin, tenantId });
    const now = ports.clock.now();
    const next: ReportingFi = {
      content,
      createdAt: before?.createdAt ?? now,
      giin,
      tenantId,
      updatedAt: now,
      updatedBy: actor,
      version: (before?.version ?? 0) + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [reportingFiTable.put(next, before?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'tcr.reporting_fi.stated',
          actor,
          at: now,
          members: { fi_digest: fiDigest(next), version: next.version },
          target: fiTarget(next),
          ...(ip !== undefined && { ip }),
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
    });
    return next;
  });
}

/** As its last entry made it. Throws `reporting-fi-unknown`, `state-altered`. */
export async function findReportingFi(
  ports: Pick<TaxPorts, 'signedFis' | 'tables'>,
  place: { readonly tenantId: TenantId; readonly giin: string },
): Promise<ReportingFi> {
  const found = await lookUpReportingFi(ports, place);
  if (found !== undefined) return found;
  throw new DomainError('reporting-fi-unknown', {
    violations: [
      {
        code: 'reporting-fi-unknown',
        detail: 'expected the GIIN of an institution that was stated',
        pointer: '/reporting_fi_giin',
      },
    ],
  });
}

/** The same; undefined where none was stated. */
export async function lookUpReportingFi(
  { signedFis, tables }: Pick<TaxPorts, 'signedFis' | 'tables'>,
  place: { readonly tenantId: TenantId; readonly giin: string },
): Promise<ReportingFi | undefined> {
  const found = await tables.find(reportingFiTable, place);
  return found && (await signedFis.require(found));
}
