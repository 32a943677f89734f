/** Limits of rules. */
import type { LimitRow } from '#core/kernel';
import {
  AGGREGATES_MAX,
  DEPTH_MAX,
  HOPS_MAX,
  NODES_MAX,
  PUBLISHED_MAX,
  WINDOW_DAYS_MAX,
} from './ruleLanguage.ts';

/** Longest justification, reason and comment. */
export const REASON_CHARS_MAX = 4_000;
/** How long a lone signature waits for the second one. */
export const SIGNED_MS = 7 * 24 * 3_600_000;
/** Longest suppression. */
export const SUPPRESSION_DAYS_MAX = 90;
/** New alerts of one rule in an hour; the rest are grouped under one. */
export const STORM_ALERTS_MAX = 500;
/** Transactions of one dry run. */
export const DRY_RUN_MAX = 1_000;
/** Days of a backtest. */
export const BACKTEST_DAYS_MAX = 365;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'rule-invalid', max: AGGREGATES_MAX, what: 'Aggregates of a rule' },
  { beyond: 'rule-invalid', max: DEPTH_MAX, what: 'Levels of the conditions of a rule' },
  { beyond: 'rule-invalid', max: NODES_MAX, what: 'Conditions of a rule' },
  { beyond: 'rule-invalid', max: WINDOW_DAYS_MAX, what: 'Days of a window of a rule' },
  { beyond: 'rule-invalid', max: HOPS_MAX, what: 'Payments of a circle' },
  { beyond: 'state-conflict', max: PUBLISHED_MAX, what: 'Rules in force of a tenant' },
  { beyond: 'suppression-invalid', max: SUPPRESSION_DAYS_MAX, what: 'Days of a suppression' },
  { beyond: 'body-invalid', max: DRY_RUN_MAX, what: 'Transactions of a dry run' },
  { beyond: 'body-invalid', max: BACKTEST_DAYS_MAX, what: 'Days of a backtest' },
];
