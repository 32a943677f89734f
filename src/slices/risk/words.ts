/** The words of risk: dimensions, levels, states. */

/** What a policy weighs, in the order in which it is told. */
export const DIMENSIONS = ['client', 'geo', 'product', 'channel', 'aml_screening'] as const;
/** One of DIMENSIONS. */
export type Dimension = (typeof DIMENSIONS)[number];

/** Levels, least first. */
export const LEVELS = ['LOW', 'STANDARD', 'HIGH', 'PROHIBITED'] as const;
/** One of LEVELS. */
export type Level = (typeof LEVELS)[number];

/** What an override forces a level to, at the least. */
export const FORCES = { mustHigh: 'HIGH', mustProhibit: 'PROHIBITED' } as const;
/** The name of a force. */
export type Force = keyof typeof FORCES;

/** States of a policy (interface.md 3.6). */
export const POLICY_STATUSES = [
  'draft',
  'shadow',
  'PENDING_APPROVAL',
  'published',
  'archived',
  'REJECTED',
] as const;
/** One of POLICY_STATUSES. */
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** The tier of a level, as cases name it. */
export const TIER_OF = {
  HIGH: 'high',
  LOW: 'low',
  PROHIBITED: 'very_high',
  STANDARD: 'standard',
} as const satisfies Record<Level, string>;

/** The higher of two levels. */
export const higher = (one: Level, other: Level): Level =>
  LEVELS.indexOf(one) >= LEVELS.indexOf(other) ? one : other;

/** Whether the first is lower than the second. */
export const isLower = (one: Level, than: Level): boolean =>
  LEVELS.indexOf(one) < LEVELS.indexOf(than);
