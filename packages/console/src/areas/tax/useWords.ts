/** Words of tax reporting in a person's language. */
import { type AreaKey, useI18n } from './i18n.ts';

export const DECLARATION_STATES: Readonly<Record<string, AreaKey>> = {
  accepted: 'taxAccepted',
  cancel_requested: 'taxCancelAsked',
  cancellation_confirmed: 'taxCancelDone',
  draft: 'taxDraft',
  filed: 'taxFiled',
  generated: 'taxGenerated',
  rejected: 'taxRejected',
  submitted: 'taxOnItsWay',
};
const OUTCOMES: Readonly<Record<string, AreaKey>> = {
  clean: 'taxClean',
  record_errors: 'taxWithErrors',
};

export function useTaxWords() {
  const { t } = useI18n();
  const word = (keys: Readonly<Record<string, AreaKey>>, given: string): string => {
    const key = keys[given];
    return key === undefined ? given : t(key);
  };
  return {
    outcome: (given: string) => word(OUTCOMES, given),
    state: (given: string) => word(DECLARATION_STATES, given),
  };
}
