/** What an administrator may set for a tenant's part in the lists. */
import { flagSetting, type SettingGroup } from '#core/identity';

const OPERATOR_KEY = 'lists.operator';

/** `lists.*`: where many tenants share an installation, this one's people look after its lists. */
export const settings: SettingGroup<{ readonly isOperator: boolean }> = {
  rows: [[OPERATOR_KEY, flagSetting]],
  view: (values) => ({ isOperator: values.find(OPERATOR_KEY) === true }),
};
