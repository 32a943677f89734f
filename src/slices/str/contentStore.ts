/** What reports say, in sealed blobs under the data key of each: gone once it is destroyed. */
import { type DataKey, openSealed, putSealed } from '#core/blobs';
import { DomainError, everyRecord, type TenantId } from '#core/kernel';
import { contentHash, type StoredContent } from './content.ts';
import type { StrReadPorts, StrWritePorts } from './ports.ts';
import { type StrReport, strReportTable } from './tables.ts';

/** Name of the data key of a report. */
export const strKeyId = (strId: string): string => `str/${strId}`;

/** What is sealed: each kind under a key of its own. */
export type SealedKind = 'attachment' | 'content' | 'outcome' | 'package' | 'return';

const labelOf = (kind: SealedKind): string => `str-${kind}`;

/** Throws `state-conflict` for a report whose time is over. */
export async function keyOfReport(
  { dataKeys }: Pick<StrReadPorts, 'dataKeys'>,
  { erasedAt, strId, tenantId }: Pick<StrReport, 'erasedAt' | 'strId' | 'tenantId'>,
): Promise<DataKey> {
  const key =
    erasedAt === undefined ? await dataKeys.find({ keyId: strKeyId(strId), tenantId }) : undefined;
  if (key !== undefined) return key;
  throw new DomainError('state-conflict', { detail: 'what the report said was erased' });
}

/** The blob's address. */
export const seal = (
  ports: Pick<StrWritePorts, 'blobs' | 'random'>,
  bytes: Uint8Array,
  { key, kind }: { readonly key: Pick<DataKey, 'secret'>; readonly kind: SealedKind },
): Promise<string> => putSealed(ports, bytes, { label: labelOf(kind), secret: key.secret });

/** Throws `blob-damaged` where it is gone, or not what was sealed. */
export async function unseal(
  { blobs }: Pick<StrReadPorts, 'blobs'>,
  blob: string,
  { key, kind }: { readonly key: Pick<DataKey, 'secret'>; readonly kind: SealedKind },
): Promise<Buffer> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined)
    throw new DomainError('blob-damaged', { detail: 'a sealed file is gone' });
  return openSealed(bytes, { label: labelOf(kind), secret: key.secret });
}

/** What a report says. Throws `blob-damaged` where that is not what its record was signed with. */
export async function readContent(
  ports: Pick<StrReadPorts, 'blobs' | 'dataKeys'>,
  report: StrReport,
): Promise<StoredContent> {
  const key = await keyOfReport(ports, report);
  const bytes = await unseal(ports, report.blob, { key, kind: 'content' });
  const content = JSON.parse(bytes.toString()) as StoredContent;
  if (contentHash(content) === report.contentHash) return content;
  throw new DomainError('blob-damaged', { detail: 'a report is not what was signed' });
}

/** A sealed value of JSON: reasons, outcomes. */
export async function readSealedJson(
  ports: Pick<StrReadPorts, 'blobs' | 'dataKeys'>,
  report: StrReport,
  { blob, kind }: { readonly blob: string; readonly kind: SealedKind },
): Promise<unknown> {
  const key = await keyOfReport(ports, report);
  return JSON.parse((await unseal(ports, blob, { key, kind })).toString());
}

/** Tenant and report, for a key that is not made yet. */
export const namedKey = (tenantId: TenantId, strId: string) => ({
  keyId: strKeyId(strId),
  tenantId,
});

/** Reports of a tenant whose words cannot be read though their time is not over, for `doctor`. */
export async function unreadable(
  ports: Pick<StrReadPorts, 'blobs' | 'dataKeys' | 'tables'>,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const refusals: string[] = [];
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const report of everyRecord(ports.tables, strReportTable, ask)) {
    if (report.erasedAt !== undefined) continue;
    try {
      await readContent(ports, report);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refusals.push(`what a report to the authority says cannot be read: ${error.code}`);
    }
  }
  return refusals;
}
