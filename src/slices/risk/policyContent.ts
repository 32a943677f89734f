/**
 * What a policy says, with the members as they are sent, signed and hashed. The hash names the
 * content in every evaluation that was made by it. All numbers are integers.
 */
import type { Condition } from '#core/conditions';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import shipped from '../../../config/risk/policy.json' with { type: 'json' };
import { FACTS_DIGEST } from './facts.ts';
import type { Dimension, Force } from './words.ts';

/** The formula that evaluates; another one is another version. */
export const EVALUATOR_VERSION = '1.0.0';

/** A text in the languages of the product. */
export interface FactorLabel {
  readonly ar: string;
  readonly en: string;
  readonly fr: string;
}

interface AnyFactor {
  readonly id: string;
  readonly dimension: Dimension;
  /** What a client gets of whom the fact is not known. */
  readonly missing_points: number;
  readonly label?: FactorLabel;
}
/** Points by the value of a fact; `*` is every other one. Of a list the highest count. */
export interface TableFactor extends AnyFactor {
  readonly fact: string;
  readonly table: Readonly<Record<string, number>>;
}
/** Points by the first band that a number is less than; the last one has no end. */
export interface BandsFactor extends AnyFactor {
  readonly fact: string;
  readonly bands: readonly { readonly lt?: number; readonly points: number }[];
}
/** Points where a condition holds, else none. */
export interface ConditionFactor extends AnyFactor {
  readonly when: Condition;
  readonly points: number;
}
/** One thing that is weighed. */
export type Factor = BandsFactor | ConditionFactor | TableFactor;

/** The level is no lower than this where the condition holds, whatever the score says. */
export interface Override {
  readonly id: string;
  readonly when: Condition;
  readonly force: Force;
}

/** Points from which on a level begins; null: overrides alone prohibit. */
export interface LevelThresholds {
  readonly standard: number;
  readonly high: number;
  readonly prohibited: number | null;
}

/** All that decides a level. */
export interface RiskContent {
  /** In basis points. */
  readonly weights: Readonly<Record<Dimension, number>>;
  /** How the points of a dimension's factors come together: the highest, or the sum up to 100. */
  readonly combine: Readonly<Record<Dimension, 'max' | 'sum'>>;
  readonly factors: readonly Factor[];
  readonly thresholds: LevelThresholds;
  readonly overrides: readonly Override[];
  /** `review`: nothing is approved by itself where facts were missing. */
  readonly on_incomplete: 'accept' | 'review';
  readonly evaluator_version: string;
  /** What it is read with, by digest. */
  readonly tables: readonly { readonly name: string; readonly digest: string }[];
}

/** What a person says of it; the service adds evaluator and tables. */
export type GivenContent = Omit<RiskContent, 'evaluator_version' | 'tables'>;

/** Points of a factor whose fact is missing, where it does not say. */
export const MISSING_POINTS = 60;

/** The content as this release evaluates it. */
export const contentOf = (given: GivenContent): RiskContent => ({
  combine: given.combine,
  evaluator_version: EVALUATOR_VERSION,
  factors: given.factors,
  on_incomplete: given.on_incomplete,
  overrides: given.overrides,
  tables: [{ digest: FACTS_DIGEST, name: 'facts' }],
  thresholds: given.thresholds,
  weights: given.weights,
});

/** As a person would give it. */
export function givenOf(content: RiskContent): GivenContent {
  const { evaluator_version: _, tables: __, ...given } = content;
  return given;
}

/** The canonical text: what is kept as a blob, under its hash. */
export const contentText = (content: RiskContent): string => canonicalJson(content as never);
/** SHA-256 hex of it: what is signed, and what events name. */
export const contentHash = (content: RiskContent): string => sha256Hex(contentText(content));

/** The policy that ships: in force until a tenant publishes one. */
export const SHIPPED: RiskContent = contentOf(shipped as unknown as GivenContent);
/** Its hash. */
export const SHIPPED_HASH = contentHash(SHIPPED);
