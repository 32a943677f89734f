/** What an administrator may set for a tenant's part in the lists. */
import { flagSetting, type SettingGroup, type TenantDirectory } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { DeploymentMode } from '#platform/config';

const OPERATOR_KEY = 'lists.operator';

/** `lists.*`: where many tenants share an installation, this one's people look after its lists. */
export const settings: SettingGroup<{ readonly isOperator: boolean }> = {
  rows: [[OPERATOR_KEY, flagSetting]],
  view: (values) => ({ isOperator: values.find(OPERATOR_KEY) === true }),
};

/** Whether the tenant's people look after the lists of this installation. */
export async function operatesLists(
  of: { readonly mode: DeploymentMode; readonly tenants: Pick<TenantDirectory, 'settings'> },
  tenantId: TenantId,
): Promise<boolean> {
  if (of.mode !== 'managed') return true;
  return (await of.tenants.settings(tenantId)).of(settings).isOperator;
}
