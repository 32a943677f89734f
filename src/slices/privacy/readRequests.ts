/** Requests of a tenant, latest first, each as it was signed. */
import type { PageCursor, TenantId } from '#core/kernel';
import type { PrivacyReads } from './ports.ts';
import { type PrivacyRequest, privacyRequestTable, type RequestState } from './tables.ts';

/** Which of them. */
export interface ReadRequests {
  readonly tenantId: TenantId;
  readonly status?: RequestState;
  /** Behind this one. */
  readonly after?: Pick<PrivacyRequest, 'receivedAt' | 'requestId'>;
  readonly limit: number;
}

/** A page, and the last of it where more follow. */
export async function readRequests(
  { signed, tables }: PrivacyReads,
  { after, limit, status, tenantId }: ReadRequests,
): Promise<{ readonly requests: readonly PrivacyRequest[]; readonly next?: PrivacyRequest }> {
  const behind: PageCursor | undefined = after && [after.receivedAt, tenantId, after.requestId];
  const page = await tables.page(privacyRequestTable, {
    direction: 'descending',
    equal: status === undefined ? { tenantId } : { status, tenantId },
    index: status === undefined ? 'newest' : 'byState',
    limit,
    ...(behind !== undefined && { after: behind }),
  });
  const requests: PrivacyRequest[] = [];
  for (const found of page.records) requests.push(await signed.requireRequest(found));
  const next = page.next === undefined ? undefined : requests.at(-1);
  return { requests, ...(next !== undefined && { next }) };
}
