/**
 * From scored candidates to a verdict (interface.md 4.8, rules 4 and 6; decisions 2.6–2.8).
 *
 * A candidate's typology follows from its categories, on any list. Its threshold is compared with
 * directScore, the score before the boost. The most severe typology over all hits is the verdict.
 */
import { roundScore } from '#platform/roundScore';
import type { RcaPath } from '#slices/lists';
import type { RcaDepthDecay, Thresholds } from './ports.ts';
import { judgesRelatedAlone } from './rerankers.ts';

/** Most severe first: the order is the rule. */
export const DECISIONS = [
  'MATCH_DIRECT_SANCTIONS',
  'MATCH_PEP',
  'MATCH_RCA_DIRECT',
  'MATCH_RCA_INDIRECT',
  'POTENTIAL_ADVERSE_MEDIA',
  'CLEAR',
] as const;
export type Decision = (typeof DECISIONS)[number];
export type Typology = Exclude<Decision, 'CLEAR'>;

/** One line of the policy table: to which candidates it applies, and from which threshold on. */
interface TypologyRule {
  readonly typology: Typology;
  readonly threshold: keyof Thresholds;
  applies(subject: VerdictSubject): boolean;
}

export interface VerdictSubject {
  readonly categories: readonly string[];
  readonly paths: readonly RcaPath[];
  readonly directScore: number;
  /** The re-ranker that gave the score. */
  readonly reranker: string;
}

const has = (subject: VerdictSubject, category: string): boolean =>
  subject.categories.includes(category);
const hasPathOfDepth = (subject: VerdictSubject, depth: number): boolean =>
  subject.paths.some((path) => path.depth === depth);

/**
 * From re-ranker 1.1 on, who is sanctioned or exposed is judged as that alone: else every listed
 * party with relations would be a match from the lower thresholds of related parties.
 */
const isRelatedAlone = (subject: VerdictSubject): boolean =>
  !judgesRelatedAlone(subject.reranker) || !(has(subject, 'SAN') || has(subject, 'PEP'));

/**
 * Read from the top: the first rule that applies and whose threshold is reached gives the
 * candidate's typology. A related party without any precomputed path counts as a direct one (2.6).
 * A record without categories is treated as a sanction, because a list is screened for being
 * binding.
 */
export const TYPOLOGY_RULES: readonly TypologyRule[] = [
  {
    typology: 'MATCH_DIRECT_SANCTIONS',
    threshold: 'direct',
    applies: (subject) => has(subject, 'SAN') || subject.categories.length === 0,
  },
  { typology: 'MATCH_PEP', threshold: 'pep', applies: (subject) => has(subject, 'PEP') },
  {
    typology: 'MATCH_RCA_DIRECT',
    threshold: 'rca_1',
    applies: (subject) =>
      isRelatedAlone(subject) &&
      (hasPathOfDepth(subject, 1) || (has(subject, 'RCA') && subject.paths.length === 0)),
  },
  {
    typology: 'MATCH_RCA_INDIRECT',
    threshold: 'rca_2',
    applies: (subject) => isRelatedAlone(subject) && hasPathOfDepth(subject, 2),
  },
  {
    typology: 'POTENTIAL_ADVERSE_MEDIA',
    threshold: 'adverse_media',
    applies: (subject) => has(subject, 'SI') || has(subject, 'DI'),
  },
];

/** The typology of one candidate, or undefined where no threshold is reached. */
export function typologyOf(subject: VerdictSubject, thresholds: Thresholds): Typology | undefined {
  return TYPOLOGY_RULES.find(
    (rule) => rule.applies(subject) && subject.directScore >= thresholds[rule.threshold],
  )?.typology;
}

/**
 * The typology that a candidate would have as a hit, at any score; undefined where no rule applies.
 */
export function kindOf(subject: VerdictSubject): Typology | undefined {
  return TYPOLOGY_RULES.find((rule) => rule.applies(subject))?.typology;
}

/** The verdict over all hits. */
export function decide(typologies: readonly Typology[]): Decision {
  return DECISIONS.find((decision) => typologies.includes(decision as Typology)) ?? 'CLEAR';
}

/**
 * A candidate from this directScore on is evidence. One below it shares a few letters with the
 * query: no policy would act on it, and such candidates would be two thirds of every event. A
 * tenant with a lower threshold gets all that could reach it.
 */
const EVIDENCE_SCORE_MIN = 0.5;
export const candidateScoreMin = (thresholds: Thresholds): number =>
  Math.min(EVIDENCE_SCORE_MIN, ...Object.values(thresholds));

/** Below this directScore related parties are not shown (rule 6). */
export const RCA_SCORE_MIN = 0.7;

/** What lists are read with, and `path_decay` holds (interface.md 4.8, rule 6). */
export const SHIPPED_RCA_DECAY: RcaDepthDecay = { depth_1: 1, depth_2: 0.6 };

/**
 * `rcaScore` orders the related parties and decides nothing (2.7).
 *
 * @param decay the policy's, in place of what lists are read with
 */
export function rcaHitsOf(
  subject: Omit<VerdictSubject, 'reranker'>,
  decay: RcaDepthDecay = SHIPPED_RCA_DECAY,
): RcaHit[] {
  if (subject.directScore < RCA_SCORE_MIN) return [];
  const factorOf = (depth: number): number => {
    if (decay === SHIPPED_RCA_DECAY) return 1;
    const name = depth === 1 ? 'depth_1' : 'depth_2';
    return decay[name] / SHIPPED_RCA_DECAY[name];
  };
  return subject.paths
    .map((path) => ({
      depth: path.depth,
      pathTypes: path.path_types,
      rcaScore: roundScore(subject.directScore * path.path_decay * factorOf(path.depth)),
      sanctionedTargetFtmId: path.target_ftm_id,
    }))
    .sort(
      (a, b) =>
        b.rcaScore - a.rcaScore || compareText(a.sanctionedTargetFtmId, b.sanctionedTargetFtmId),
    );
}

export interface RcaHit {
  readonly depth: number;
  readonly pathTypes: readonly string[];
  readonly rcaScore: number;
  readonly sanctionedTargetFtmId: string;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
