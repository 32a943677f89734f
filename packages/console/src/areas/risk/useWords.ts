/** Words of risk in a person's language. */
import { type AreaKey, useI18n } from './i18n.ts';
import type { Dimension } from './types.ts';

export const RISK_STATES: Readonly<Record<string, AreaKey>> = {
  PENDING_APPROVAL: 'riskPending',
  REJECTED: 'riskRejected',
  archived: 'riskArchived',
  draft: 'riskDraft',
  published: 'riskPublished',
  shadow: 'riskShadow',
};
const LEVEL_KEYS: Readonly<Record<string, AreaKey>> = {
  HIGH: 'HIGH',
  LOW: 'LOW',
  PROHIBITED: 'PROHIBITED',
  STANDARD: 'STANDARD',
  mustHigh: 'HIGH',
  mustProhibit: 'PROHIBITED',
};
const DIMENSION_KEYS: Readonly<Record<Dimension, AreaKey>> = {
  aml_screening: 'dimScreening',
  channel: 'dimChannel',
  client: 'dimClient',
  geo: 'dimGeo',
  product: 'dimProduct',
};
const OUTCOME_KEYS: Readonly<Record<string, AreaKey>> = {
  fraud: 'outcomeFraud',
  rejected: 'outcomeRejected',
  true_positive: 'outcomeTrue',
};
const PSI_KEYS: Readonly<Record<string, AreaKey>> = {
  changed: 'psiChanged',
  stable: 'psiStable',
  watch: 'psiWatch',
};

export function useRiskWords() {
  const { t } = useI18n();
  const word = (keys: Readonly<Record<string, AreaKey>>, given: string): string => {
    const key = keys[given];
    return key === undefined ? given : t(key);
  };
  return {
    dimension: (given: Dimension) => t(DIMENSION_KEYS[given]),
    level: (given: string) => word(LEVEL_KEYS, given),
    outcome: (given: string) => word(OUTCOME_KEYS, given),
    psi: (given: string) => word(PSI_KEYS, given),
    state: (given: string) => word(RISK_STATES, given),
  };
}
