/** What the verbs of the noun `webhook` share: whose endpoints, and which one. */
import type { Tenant } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { type CommandOption, UsageError } from '../../../cli/command.ts';
import type { CliProcess } from '../../processes.ts';

export const TENANT: CommandOption = {
  name: 'tenant',
  value: 'ID',
  help: 'whose endpoints; needed where there are several tenants',
};
export const ENDPOINT: CommandOption = {
  name: 'endpoint',
  value: 'ID',
  help: 'needed where the tenant has several',
};

export const ownerOf = ({ id, kind }: Tenant) => ({
  sandbox: kind === 'sandbox',
  tenantId: id,
});

/** The one that is named, or the only one. */
export async function tenantOf(
  { tenants }: Pick<CliProcess, 'tenants'>,
  id: string | undefined,
): Promise<Tenant> {
  const all = await tenants.list();
  const [only, another] = all;
  if (id === undefined && only !== undefined && another === undefined) return only;
  if (id === undefined) throw new UsageError(`--tenant ID: there are ${all.length} tenants`);
  const found = all.find((tenant) => tenant.id === (id as TenantId));
  if (found === undefined) throw new DomainError('not-found', { detail: 'no such tenant' });
  return found;
}
