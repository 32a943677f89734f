/** Words of sanctions policies in a person's language. */
import { type AreaKey, useI18n } from './i18n.ts';
import type { Part, Threshold } from './types.ts';

const STATES: Readonly<Record<string, AreaKey>> = {
  PUBLISHED: 'policyActive',
  ARCHIVED: 'policyArchived',
  DISCARDED: 'policyDiscarded',
  DRAFT: 'policyDraft',
  PENDING_SIGNATURE: 'policyPending',
};
const THRESHOLD_KEYS: Readonly<Record<Threshold, AreaKey>> = {
  adverse_media: 'hitMedia',
  direct: 'hitDirect',
  pep: 'hitPep',
  rca_1: 'hitRca1',
  rca_2: 'hitRca2',
};
const PART_KEYS: Readonly<Record<Part, AreaKey>> = {
  alias: 'partAlias',
  dob: 'partDob',
  name: 'partName',
  nationality: 'partNationality',
  phonetic: 'partPhonetic',
};

export function usePolicyWords() {
  const { t } = useI18n();
  return {
    part: (given: Part) => t(PART_KEYS[given]),
    state: (given: string) => {
      const key = STATES[given];
      return key === undefined ? given : t(key);
    },
    threshold: (given: Threshold) => t(THRESHOLD_KEYS[given]),
  };
}
