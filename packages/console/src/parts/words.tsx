/** Words of the API in a person's language, with a mark that does not rest on colour alone. */
import type { JSX } from 'preact';
import { type MessageKey, useI18n } from '../i18n/index.ts';

const STATUSES: Readonly<Record<string, MessageKey>> = {
  assigned: 'statusAssigned',
  closed_false_positive: 'statusClosedFalse',
  closed_true_positive: 'statusClosedTrue',
  escalated: 'statusEscalated',
  in_review: 'statusInReview',
  open: 'statusOpen',
};
const SEVERITIES: Readonly<Record<string, readonly [MessageKey, string]>> = {
  Critical: ['severityCritical', '▲▲'],
  High: ['severityHigh', '▲'],
  Low: ['severityLow', '▽'],
  Medium: ['severityMedium', '◆'],
};
export const DECISIONS = [
  'MATCH_DIRECT_SANCTIONS',
  'MATCH_PEP',
  'MATCH_RCA_DIRECT',
  'MATCH_RCA_INDIRECT',
  'POTENTIAL_ADVERSE_MEDIA',
  'CLEAR',
] as const;
export const STATES: Readonly<Record<string, MessageKey>> = {
  applied: 'stateApplied',
  expired: 'stateExpired',
  open: 'stateOpen',
  rejected: 'stateRejected',
  stale: 'stateStale',
  withdrawn: 'stateWithdrawn',
};

export const ALERT_STATUSES = Object.keys(STATUSES);
export const ALERT_SEVERITIES = ['Critical', 'High', 'Medium', 'Low'];

/** A word that the catalogue has, or the API's own. */
export function useWords() {
  const { t } = useI18n();
  const word = (keys: Readonly<Record<string, MessageKey>>, given: string): string => {
    const key = keys[given];
    return key === undefined ? given : t(key);
  };
  return {
    decision: (given: string) => {
      const known = DECISIONS.find((one) => one === given);
      return known === undefined ? given : t(known);
    },
    severity: (given: string) => {
      const [key] = SEVERITIES[given] ?? [];
      return key === undefined ? given : t(key);
    },
    state: (given: string) => word(STATES, given),
    status: (given: string) => word(STATUSES, given),
  };
}

export function Severity({ of }: { readonly of: string }): JSX.Element {
  const { severity } = useWords();
  const [, mark] = SEVERITIES[of] ?? [];
  return (
    <span class={`tag severity-${of.toLowerCase()}`}>
      <span aria-hidden="true">{mark} </span>
      {severity(of)}
    </span>
  );
}

export function Decision({ of }: { readonly of: string }): JSX.Element {
  const { decision } = useWords();
  const isClear = of === 'CLEAR';
  return (
    <span class={`tag ${isClear ? 'good' : 'bad'}`}>
      <span aria-hidden="true">{isClear ? '✓ ' : '⚑ '}</span>
      {decision(of)}
    </span>
  );
}

export function Status({ of }: { readonly of: string }): JSX.Element {
  const { status } = useWords();
  return <span class="tag">{status(of)}</span>;
}
