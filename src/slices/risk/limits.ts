/** Limits of risk policies and evaluations. */
import type { LimitRow } from '#core/kernel';

/** Points of a factor, of a dimension and of a threshold. */
export const POINTS_MAX = 100;
/** Basis points: weights sum to it, and S is in such parts of a point. */
export const UNIT = 10_000;
/** Factors of a policy. */
export const FACTORS_MAX = 200;
/** Overrides of a policy. */
export const OVERRIDES_MAX = 64;
/** Bytes of a policy’s content in its canonical form. */
export const CONTENT_BYTES_MAX = 256 * 1024;
/** Bytes of a body that has one. */
export const POLICY_BYTES_MAX = 512 * 1024;
/** Values of a factor’s table, and bands of another. */
export const TABLE_VALUES_MAX = 1_000;
/** Values of a fact that is a list. */
export const FACT_VALUES_MAX = 300;
/** Characters of a fact that is a text, and of a value in a table. */
export const FACT_CHARS_MAX = 128;
/** Characters of a policy’s name. */
export const NAME_CHARS_MAX = 128;
/** Drafts of a tenant that are neither published nor archived. */
export const DRAFTS_MAX = 100;
/** Clients that one look at the distribution counts. */
export const COUNTED_CLIENTS_MAX = 200_000;
/** Policies of a tenant in shadow at one time. */
export const SHADOWS_MAX = 3;
/** Days ahead of its submission on which a policy may begin to decide, at the most. */
export const EFFECTIVE_DAYS_MAX = 366;
/** Re-screenings that an evaluation goes on with, the last ones. */
export const RESCREENINGS_MAX = 50;
/** Evaluations that a look at a shadow compares behind what workers have counted. */
export const SHADOW_STEP_MAX = 2_000;
/** Evaluations that a tenant may want of a shadow, at the most. */
export const SHADOW_EVALUATIONS_MAX = 1_000_000;
/** Examples of one movement in a report. */
export const EXAMPLES_MAX = 20;
/** Strongest movers up, and down, of a report. */
export const MOVERS_MAX = 20;
/** Versions of lists that a report counts. */
export const LISTS_MAX = 1_000;
/** Segments that a backtest may be limited to. */
export const SEGMENTS_WANTED_MAX = 50;
/** Segments that a report counts. */
export const SEGMENTS_MAX = 2_000;
/** Cases below which a backtest says that it is not representative. */
export const REPRESENTATIVE_MIN = 1_000;
/** Cases between which a backtest saves how far it is. */
export const BACKTEST_CHUNK = 1_000;
export const JUSTIFICATION_CHARS_MIN = 50;
export const JUSTIFICATION_CHARS_MAX = 5_000;
export const COMMENT_CHARS_MAX = 4_000;
/** Fewest characters of a comment that rejects. */
export const REJECTION_CHARS_MIN = 100;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'policy-invalid', max: FACTORS_MAX, what: 'Factors of a risk policy' },
  { beyond: 'policy-invalid', max: OVERRIDES_MAX, what: 'Overrides of a risk policy' },
  { beyond: 'policy-invalid', max: CONTENT_BYTES_MAX, what: 'Bytes of a risk policy’s content' },
  { beyond: 'state-conflict', max: DRAFTS_MAX, what: 'Risk policies of a tenant in the making' },
  { beyond: 'state-conflict', max: SHADOWS_MAX, what: 'Risk policies of a tenant in shadow' },
];
