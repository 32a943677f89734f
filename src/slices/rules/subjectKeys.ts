/**
 * Subjects stand in evidence by a keyed digest: it outlives an erasure, and account numbers could
 * be guessed at. The key is a tenant's own, made with its first evaluation.
 */
import { createHmac } from 'node:crypto';
import type { DataKeys, StoredDataKey } from '#core/blobs';
import type { TenantId } from '#core/kernel';
import type { SubjectKind } from './ruleLanguage.ts';

/** Digests of a tenant's subjects, and the record of a key that is not stored yet. */
export interface SubjectKeys {
  readonly keyOf: (kind: SubjectKind, id: string) => string;
  readonly record?: StoredDataKey['record'];
}

/** Where two make the first key, the commit of the second is stale, and it reads again. */
export async function subjectKeysOf(
  dataKeys: Pick<DataKeys, 'find' | 'make'>,
  tenantId: TenantId,
): Promise<SubjectKeys> {
  const named = { keyId: `rule-subjects/${tenantId}`, tenantId };
  const known = await dataKeys.find(named);
  const made = known === undefined ? dataKeys.make(named, { seeds: [] }) : undefined;
  const secret = known?.secret ?? made?.key.secret ?? new Uint8Array();
  return {
    keyOf: (kind, id) => createHmac('sha256', secret).update(`${kind}\0${id}`).digest('hex'),
    ...(made !== undefined && { record: made.record }),
  };
}
