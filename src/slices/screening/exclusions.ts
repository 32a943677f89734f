/**
 * What analysts decided to be no hit: entries that are left out of the hits of one subject
 * (decisions 2.12). They are found, scored and kept in the evidence as ever; there they say by
 * which exclusion they are no hits.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { HmacSha256 } from '#platform/crypto';
import type { Judged } from './candidateText.ts';
import type { NormalizedQuery, ScoredCandidate } from './ports.ts';

/** Exclusions that one subject may have: so many candidates a search finds beside its best. */
export const EXCLUSIONS_PER_SUBJECT_MAX = 100;

/** One entry of one list, for the subject that it stands under. */
export interface Exclusion {
  readonly exclusionId: string;
  readonly source: string;
  readonly ftmId: string;
  /** From then on it holds no more. */
  readonly expiresAt: EpochMs;
  /** `subjectDigestOf` of the subject that it was decided for. */
  readonly subjectDigest: string;
}

/** A tenant's exclusions as plain data, so that threads can have them. Never changed. */
export interface Exclusions {
  /** Names the whole in the evidence: other exclusions have another digest. */
  readonly digest: string;
  /** Key of `subjectKeyOf`, base64. */
  readonly key: string;
  /** By the key of their subject. */
  readonly bySubject: ReadonlyMap<string, readonly Exclusion[]>;
  /**
   * Content digests of the versions of each list with which the exclusions were compared. On any
   * other version none of that list holds: its entries may be about somebody else by now.
   */
  readonly checked: ReadonlyMap<string, readonly string[]>;
}

/** Which exclusion an entry falls under; undefined: none. */
export type Excluded = (source: string, ftmId: string) => string | undefined;

/** What is screened, and when. */
export interface ExclusionsAt {
  readonly at: EpochMs;
  readonly lists: readonly { readonly source: string; readonly content_digest: string }[];
}

/**
 * The same subject has the same key, for any order of its data. Without the tenant's key no one can
 * tell whose it is.
 */
export function subjectKeyOf(key: string, query: NormalizedQuery): string {
  const { dob, dob_range, names, nationality, schema } = query;
  return keyed(key, { dob, dob_range, names: names.toSorted(), nationality, schema });
}

/** All that tells a subject from others of the same name, under the tenant's key. */
export function subjectDigestOf(key: string, query: NormalizedQuery): string {
  const { dob, dob_range, gender, identifiers, names, nationality, schema } = query;
  const numbers = identifiers?.toSorted();
  const of = { dob, dob_range, gender, identifiers: numbers, nationality, schema };
  return keyed(key, { ...of, names: names.toSorted(), v: 'subject-v1' });
}

function keyed(key: string, members: object): string {
  const known = Object.fromEntries(Object.entries(members).filter(([, value]) => value));
  const hmac = new HmacSha256(Buffer.from(key, 'base64'));
  return hmac.digest(Buffer.from(canonicalJson(known))).toString('hex');
}

/** The exclusions of one subject that hold now, on these lists; undefined where none does. */
export function excludedFor(
  exclusions: Exclusions | undefined,
  query: NormalizedQuery,
  { at, lists }: ExclusionsAt,
): Excluded | undefined {
  if (exclusions === undefined || exclusions.bySubject.size === 0) return undefined;
  const { bySubject, checked, key } = exclusions;
  const known = bySubject.get(subjectKeyOf(key, query));
  if (known === undefined) return undefined;
  const subject = subjectDigestOf(key, query);
  const seen = new Map(lists.map(({ content_digest, source }) => [source, content_digest]));
  const holds = known.filter(
    ({ expiresAt, source, subjectDigest }) =>
      at < expiresAt &&
      subjectDigest === subject &&
      checked.get(source)?.includes(seen.get(source) ?? '') === true,
  );
  if (holds.length === 0) return undefined;
  return (source, ftmId) =>
    holds.find((one) => one.source === source && one.ftmId === ftmId)?.exclusionId;
}

/** How much room a search has for entries that are excluded. */
export const withRoom = (topN: number): number => topN + EXCLUSIONS_PER_SUBJECT_MAX;

/** What a search found, of which excluded entries take no place from others. */
export interface Cut {
  readonly candidates: readonly ScoredCandidate[];
  readonly truncated: boolean;
}

/**
 * The best `topN` beside the excluded ones, which stay in the evidence; matches first, as an engine
 * keeps them. `found` was searched `withRoom`.
 */
export function cutBeside(
  found: Cut,
  of: {
    readonly excluded: Excluded;
    readonly sources: readonly string[];
    readonly topN: number;
    readonly directScoreMin: number;
  },
): Cut {
  const { directScoreMin, excluded, sources, topN } = of;
  const isExcluded = ({ id, index }: ScoredCandidate): boolean =>
    excluded(sources[index] ?? '', id) !== undefined;
  const others = found.candidates.filter((one) => !isExcluded(one));
  const matches = others.filter(({ directScore }) => directScore >= directScoreMin);
  const below = others.filter(({ directScore }) => directScore < directScoreMin);
  const kept = new Set([...matches, ...below].slice(0, topN));
  return {
    candidates: found.candidates.filter((one) => kept.has(one) || isExcluded(one)),
    truncated: found.truncated || matches.length > topN,
  };
}

/** What one screening needs to tell them. */
export interface ExcludedEntries {
  readonly digest: string;
  readonly excluded: Excluded;
  /** Source of each list of the call. */
  readonly sources: readonly string[];
}

/** What would be a hit but for an exclusion; `candidate` is its position, with its scores. */
export interface Suppressed {
  readonly candidate: number;
  readonly exclusion_id: string;
  readonly ftm_id: string;
  readonly source: string;
  readonly typology: string;
}

/** Candidates that are hits by their score, and excluded. */
export function suppressedOf(
  known: ExcludedEntries | undefined,
  found: readonly Judged[],
): readonly Suppressed[] {
  if (known === undefined) return [];
  return found.flatMap(({ scored, typology }, candidate) => {
    const source = known.sources[scored.index] ?? '';
    const exclusion_id = known.excluded(source, scored.id);
    if (exclusion_id === undefined || typology === null) return [];
    return [{ candidate, exclusion_id, ftm_id: scored.id, source, typology }];
  });
}

/** The same candidates, the suppressed ones no hits. */
export function withoutSuppressed(
  found: readonly Judged[],
  suppressed: readonly Suppressed[],
): readonly Judged[] {
  if (suppressed.length === 0) return found;
  const positions = new Set(suppressed.map(({ candidate }) => candidate));
  return found.map((one, at) => (positions.has(at) ? { ...one, typology: null } : one));
}

/** What was found and is no hit by an exclusion; its scores stand in the event. */
export const presentSuppressed = ({ exclusion_id, ftm_id, source, typology }: Suppressed) => ({
  ftm_id,
  source,
  typology,
  exclusion_id,
});
