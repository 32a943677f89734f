/** The FFI list of a tenant, as it was brought in, and what reports and classifications ask it. */
import { DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { FFI_ROW_BYTES, FFI_STALE_DAYS, FfiListing } from './ffiListing.ts';
import type { TaxReadPorts } from './ports.ts';
import type { ReportFinding } from './reportRules.ts';
import { digestOfRecord } from './signedTable.ts';
import { type FfiList, ffiListTable } from './tables.ts';

/** As entries name it. */
export const ffiListTarget = (_: Pick<FfiList, 'tenantId'>) => 'tax-ffi-list';

/** SHA-256 hex of all of a record. */
export const ffiListDigest = digestOfRecord<FfiList>('tax-ffi-list-v1');

/** As its last entry made it. Throws `state-altered`. */
export async function findFfiList(
  { signedFfiLists, tables }: Pick<TaxReadPorts, 'signedFfiLists' | 'tables'>,
  tenantId: TenantId,
): Promise<FfiList | undefined> {
  const found = await tables.find(ffiListTable, { publisher: 'IRS', tenantId });
  return found && signedFfiLists.require(found);
}

/** Undefined where none was brought in. Throws `state-altered`, `blob-damaged`. */
export async function openFfiListing(
  ports: Pick<TaxReadPorts, 'blobs' | 'ffiRows' | 'signedFfiLists' | 'tables'>,
  tenantId: TenantId,
): Promise<FfiListing | undefined> {
  const list = await findFfiList(ports, tenantId);
  if (list === undefined) return undefined;
  const rows = ports.ffiRows.get(list.blob) ?? (await ports.blobs.get(list.blob));
  if (rows === undefined || rows.length !== list.entries * FFI_ROW_BYTES) {
    throw new DomainError('blob-damaged', { detail: 'the FFI list is gone' });
  }
  ports.ffiRows.keep(list.blob, rows);
  return new FfiListing(list.listedOn, rows);
}

/** A number of an institution, with its place in what was stated. */
export interface NamedGiin {
  readonly giin: string;
  readonly pointer: string;
}

/** What is odd about the institutions of a report: a newly registered one is not listed yet. */
export function ffiFindings(
  listing: FfiListing | undefined,
  named: readonly NamedGiin[],
  now: EpochMs,
): readonly ReportFinding[] {
  if (listing === undefined) return [];
  if (listing.isStale(now)) {
    const { listedOn } = listing;
    const detail = `expected an FFI list of the last ${FFI_STALE_DAYS} days, got ${listedOn}`;
    return [{ code: 'fatca-giin-list-stale', detail, pointer: '', severity: 'warning' }];
  }
  const detail = `expected an institution of the FFI list of ${listing.listedOn}`;
  return named
    .filter(({ giin }) => listing.stateOf(giin, now) === 'not_listed')
    .map(({ pointer }) => ({ code: 'fatca-giin-unlisted', detail, pointer, severity: 'warning' }));
}
