/**
 * Whether content is the same is told by a keyed digest: it outlives an erasure, and names and
 * amounts could be guessed at. The key is a tenant's own, made with its first transaction, and
 * wrapped as all data keys are, so that a new signing key changes no digest.
 */
import { createHmac } from 'node:crypto';
import type { DataKeys, StoredDataKey } from '#core/blobs';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Transaction } from './transaction.ts';

/** The secret of a tenant, and the record of a key that is not stored yet. */
export interface ContentKey {
  readonly secret: Uint8Array;
  readonly record?: StoredDataKey['record'];
}

/** Read anew for each commit: where two make the first one, the second is stale and reads again. */
export async function contentKeyOf(
  dataKeys: Pick<DataKeys, 'find' | 'make'>,
  tenantId: TenantId,
): Promise<ContentKey> {
  const named = { keyId: `transaction-content/${tenantId}`, tenantId };
  const known = await dataKeys.find(named);
  if (known !== undefined) return { secret: known.secret };
  const { key, record } = dataKeys.make(named, { seeds: [] });
  return { record, secret: key.secret };
}

/** The same for the same content of a tenant, and for no other. */
export const contentDigestOf = ({ secret }: ContentKey, transaction: Transaction): string =>
  createHmac('sha256', secret).update(canonicalJson(transaction)).digest('hex');
