/** Forms of a tenant, and versions of one, as they stand; one that is read is verified. */
import type { TenantId } from '#core/kernel';
import { type FormPlace, requireForm } from './formRecord.ts';
import type { FormReadPorts } from './ports.ts';
import { type FormRecord, type FormVersion, formTable, formVersionTable } from './tables.ts';

/** The newest first; `after` is the last one of the page before. */
export async function listForms(
  { tables }: FormReadPorts,
  ask: { readonly tenantId: TenantId; readonly limit: number; readonly after?: string },
): Promise<{ readonly forms: readonly FormRecord[]; readonly hasMore: boolean }> {
  const { after, limit, tenantId } = ask;
  const { next, records } = await tables.page(formTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'key',
    limit,
    ...(after !== undefined && { after: [tenantId, after] }),
  });
  return { forms: records, hasMore: next !== undefined };
}

/** The newest first. Throws `form-unknown`. */
export async function listVersions(
  ports: FormReadPorts,
  ask: FormPlace & {
    readonly limit: number;
    readonly after?: { readonly createdAt: number; readonly versionId: string };
  },
): Promise<{ readonly versions: readonly FormVersion[]; readonly hasMore: boolean }> {
  const { after, formId, limit, tenantId } = ask;
  await requireForm(ports, ask);
  const { next, records } = await ports.tables.page(formVersionTable, {
    direction: 'descending',
    equal: { formId, tenantId },
    index: 'byForm',
    limit,
    ...(after !== undefined && {
      after: [after.createdAt, tenantId, after.versionId],
    }),
  });
  return { hasMore: next !== undefined, versions: records };
}
