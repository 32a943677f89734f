/**
 * What analysts decided to be no hit: entries that are left out of the hits of one subject
 * (decisions 2.12). They are found, scored and kept in the evidence as ever; there they say by
 * which exclusion they are no hits.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { HmacSha256 } from '#platform/crypto';
import type { Judged } from './candidateText.ts';
import type { NormalizedQuery } from './ports.ts';

/** One entry of one list, for the subject that it stands under. */
export interface Exclusion {
  readonly exclusionId: string;
  readonly source: string;
  readonly ftmId: string;
}

/** A tenant's exclusions as plain data, so that threads can have them. Never changed. */
export interface Exclusions {
  /** Names the whole in the evidence: other exclusions have another digest. */
  readonly digest: string;
  /** Key of `subjectKeyOf`, base64. */
  readonly key: string;
  /** By the key of their subject. */
  readonly bySubject: ReadonlyMap<string, readonly Exclusion[]>;
}

/** Which exclusion an entry falls under; undefined: none. */
export type Excluded = (source: string, ftmId: string) => string | undefined;

/**
 * The same subject has the same key, for any order of its data. Without the tenant's key no one can
 * tell whose it is.
 */
export function subjectKeyOf(key: string, query: NormalizedQuery): string {
  const { dob, dob_range, names, nationality, schema } = query;
  const members = { dob, dob_range, names: names.toSorted(), nationality, schema };
  const known = Object.fromEntries(Object.entries(members).filter(([, value]) => value));
  const hmac = new HmacSha256(Buffer.from(key, 'base64'));
  return hmac.digest(Buffer.from(canonicalJson(known))).toString('hex');
}

/** The exclusions of one subject; undefined where there are none. */
export function excludedFor(
  exclusions: Exclusions | undefined,
  query: NormalizedQuery,
): Excluded | undefined {
  if (exclusions === undefined || exclusions.bySubject.size === 0) return undefined;
  const found = exclusions.bySubject.get(subjectKeyOf(exclusions.key, query));
  if (found === undefined) return undefined;
  return (source, ftmId) =>
    found.find((one) => one.source === source && one.ftmId === ftmId)?.exclusionId;
}

/** What one screening needs to tell them. */
export interface ExcludedEntries {
  readonly digest: string;
  readonly excluded: Excluded;
  /** Source of each list of the call. */
  readonly sources: readonly string[];
}

/** What would be a hit but for an exclusion; `candidate` is its position. */
export interface Suppressed {
  readonly candidate: number;
  readonly exclusion_id: string;
  readonly typology: string;
}

/** Candidates that are hits by their score, and excluded. */
export function suppressedOf(
  known: ExcludedEntries | undefined,
  found: readonly Judged[],
): readonly Suppressed[] {
  if (known === undefined) return [];
  return found.flatMap(({ scored, typology }, candidate) => {
    const exclusion_id = known.excluded(known.sources[scored.index] ?? '', scored.id);
    if (exclusion_id === undefined || typology === null) return [];
    return [{ candidate, exclusion_id, typology }];
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
