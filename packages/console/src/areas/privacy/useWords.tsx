/** Words of privacy requests in a person's language, and the deadline of one. */
import type { JSX } from 'preact';
import { Time } from '../../parts/data.tsx';
import { type AreaKey, useI18n } from './i18n.ts';
import type { PrivacyRequest } from './types.ts';

const DAY_MS = 86_400_000;

const ACTIONS: Readonly<Record<string, AreaKey>> = {
  erase: 'actionErase',
  export: 'actionExport',
  rectify: 'actionRectify',
};
export const REQUEST_STATES: Readonly<Record<string, AreaKey>> = {
  awaiting_approval: 'privacyAwaiting',
  completed: 'privacyCompleted',
  identity_check: 'privacyIdentity',
  in_progress: 'privacyProgress',
  received: 'privacyReceived',
  refused: 'privacyRefused',
};
export const METHODS: Readonly<Record<string, AreaKey>> = {
  bank_id: 'methodBank',
  case_document: 'methodDocument',
  in_person: 'methodInPerson',
  other: 'methodOther',
};
export const GROUNDS: Readonly<Record<string, AreaKey>> = {
  excessive: 'groundExcessive',
  identity_unproven: 'groundIdentity',
  legal_duty: 'groundDuty',
  manifestly_unfounded: 'groundUnfounded',
  rights_of_others: 'groundOthers',
};
const FATES: Readonly<Record<string, AreaKey>> = {
  delete: 'fateDelete',
  keep: 'fateKeep',
  pseudonymise: 'fatePseudonym',
};
const WHYS: Readonly<Record<string, AreaKey>> = {
  evidence: 'whyEvidence',
  legal_duty: 'whyDuty',
  no_duty: 'whyNoDuty',
};

export function usePrivacyWords() {
  const { t } = useI18n();
  const word =
    (keys: Readonly<Record<string, AreaKey>>) =>
    (given: string): string => {
      const key = keys[given];
      return key === undefined ? given : t(key);
    };
  return {
    action: word(ACTIONS),
    fate: word(FATES),
    ground: word(GROUNDS),
    method: word(METHODS),
    state: word(REQUEST_STATES),
    why: word(WHYS),
  };
}

/** When it is due, and whether that is over. */
export function Deadline({ of }: { readonly of: PrivacyRequest }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Time at={of.extended_to ?? of.due_at} />
      {of.extended_to === null ? null : <span class="muted"> {t('privacyExtended')}</span>}
      {of.overdue ? <strong class="late"> {t('privacyOverdue')}</strong> : null}
    </>
  );
}

/** Whole days until the deadline of an open request; 0 on its last day and behind it. */
export const daysLeft = (of: PrivacyRequest, now: number): number =>
  Math.max(0, Math.floor((Date.parse(of.extended_to ?? of.due_at) - now) / DAY_MS));
