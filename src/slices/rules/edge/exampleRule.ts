/** A rule as an example of bodies: one of the pack. */
import { DEFAULT_PACK } from '#slices/rules';

export const EXAMPLE_RULE: object =
  DEFAULT_PACK.find(({ rule_id }) => rule_id === 'TM-CASH-01') ?? {};
