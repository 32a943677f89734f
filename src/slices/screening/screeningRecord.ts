/**
 * What a screening stores and what it answers, both made from one outcome. So the answer can be
 * rebuilt byte for byte from the event, the elapsed time, which the idempotency record keeps, and
 * the list versions that the event names (decisions 1.2, 2.1, 2.13).
 *
 * Objects that go into the chain are built with their keys in code-unit order: JCS then costs no
 * more than JSON.stringify.
 */
import type { Json, JsonObject, SealedEvent } from '#core/audit';
import { CanonicalText, canonicalJson } from '#platform/canonicalJson';
import { FACTS_UNKNOWN, type FactsOf, type ShownFacts } from '#slices/lists';
import type { Clusters } from '#slices/resolution';
import {
  type CandidateRecord,
  candidateRecord,
  candidateText,
  entityText,
  type Judged,
} from './candidateText.ts';
import {
  type ExcludedEntries,
  presentSuppressed,
  type Suppressed,
  suppressedOf,
  withoutSuppressed,
} from './exclusions.ts';
import { type ExplainCaller, type ExplainPorts, explainVerdict } from './explainHits.ts';
import type { HitExplanation } from './hitExplanation.ts';
import { factsOfHits } from './hitFacts.ts';
import type { ListReference, ListSet } from './lists.ts';
import { type Hit, hitsOf, type MergedPositions, mergedPositions } from './mergeHits.ts';
import type {
  ComponentWeights,
  NormalizedQuery,
  ScoredCandidate,
  ScreeningSettings,
} from './ports.ts';
import { modelOf } from './rerankers.ts';
import { type Channel, OF_PAYMENT, type OfPayment } from './tables.ts';
import { candidateScoreMin, type Decision, decide, rcaHitsOf, typologyOf } from './verdict.ts';

/** The content of an answer, beside its place in the chain. */
export interface Verdict extends OfPayment {
  readonly screeningId: string;
  readonly decision: Decision;
  readonly hits: readonly Hit[];
  readonly listVersion: string;
  /** The versions that were screened. */
  readonly references: readonly ListReference[];
  readonly policyVersion: number;
  readonly rerankerVersion: string;
  readonly weights: object;
  readonly thresholds: object;
  /** What would be a hit but for an exclusion; absent: nothing. */
  readonly suppressed?: readonly Suppressed[];
  /** Entries that are new for a known customer, where a list has changed. */
  readonly rescreened?: { readonly entries: readonly string[] };
}

export interface ScreeningOutcome {
  readonly screeningId: string;
  readonly requestedBy: string;
  readonly channel?: Channel | undefined;
  readonly subjectKey?: string | undefined;
  readonly settings: ScreeningSettings;
  readonly lists: ListSet;
  /** The loaded lists of the call, in the order by which candidates name them. */
  readonly indexes: readonly object[];
  /** Which entries are one, where that is known here, and the source of each list of the call. */
  readonly resolved?:
    | { readonly clusters: Clusters; readonly sources: readonly string[] }
    | undefined;
  /** Entries that are no hits of this subject. */
  readonly excluded?: ExcludedEntries | undefined;
  readonly candidates: readonly ScoredCandidate[];
  readonly truncated: boolean;
  /** Its candidates were known already. */
  readonly isCached?: boolean;
}

export interface ScreeningRecord {
  readonly verdict: Verdict;
  /** The hashed members of the event, beside those that the chain itself adds. */
  readonly members: Readonly<Record<string, Json | CanonicalText>>;
}

/** Makes the verdict and the event's members from the engine's answer. */
export function recordScreening(outcome: ScreeningOutcome): ScreeningRecord {
  const { settings } = outcome;
  const weights = new WeightTable();
  const scoreMin = Math.min(...Object.values(settings.thresholds));
  const found = outcome.candidates.map((scored) => judge(outcome, scored, { scoreMin, weights }));
  const suppressed = suppressedOf(outcome.excluded, found);
  const judged = withoutSuppressed(found, suppressed);
  const merged = mergedOf(outcome, judged);
  const hits = judged.flatMap(({ scored, typology }) => (typology === null ? [] : [scored.id]));
  const decision = decide(judged.flatMap(({ typology }) => typology ?? []));
  return {
    members: {
      ...settingsMembers(settings),
      ...(outcome.isCached === true && { cached: true }),
      candidates: new CanonicalText(`[${judged.map(candidateText).join(',')}]`),
      ...channelMember(outcome),
      effective_weights: weights.text(),
      // Also where none was applied: an exclusion that holds widens what is asked of the engine.
      ...(outcome.excluded && { exclusions: outcome.excluded.digest }),
      list_version: outcome.lists.listVersion,
      ...(outcome.lists.listVersionV && { list_version_v: outcome.lists.listVersionV }),
      lists: referencesText(outcome.lists),
      ...(merged && { merged: merged.map(asJson) }),
      requested_by: outcome.requestedBy,
      ...(outcome.resolved && { resolution: outcome.resolved.clusters.digest }),
      screening_id: outcome.screeningId,
      ...(outcome.subjectKey !== undefined && { subject_key: outcome.subjectKey }),
      ...(suppressed.length > 0 && { suppressed: suppressed.map((one) => ({ ...one })) }),
      ...(isSuppressedOnly(decision, suppressed) && { suppressed_only: true }),
      truncated: outcome.truncated,
      verdict: { decision, hits },
    },
    verdict: {
      decision,
      hits: hitsOf(recordsOf(judged, merged), merged),
      listVersion: outcome.lists.listVersion,
      policyVersion: settings.policyVersion,
      references: outcome.lists.references,
      rerankerVersion: settings.rerankerVersion,
      screeningId: outcome.screeningId,
      ...(suppressed.length > 0 && { suppressed }),
      thresholds: inOrder(settings.thresholds),
      weights: inOrder(settings.weights),
    },
  };
}

/** Whether nothing was found but what is excluded. */
const isSuppressedOnly = (decision: Decision, suppressed: readonly Suppressed[] = []): boolean =>
  decision === 'CLEAR' && suppressed.length > 0;

/** Most screenings are asked for one by one: an event says where its own was not. */
const channelMember = ({ channel = 'unit' }: Pick<ScreeningOutcome, 'channel'>) =>
  channel === 'unit' ? {} : { channel };

/** Texts of members that follow from the settings: serialised once for all events under them. */
const settingsTexts = new WeakMap<ScreeningSettings, Readonly<Record<string, CanonicalText>>>();
function settingsMembers(settings: ScreeningSettings): Readonly<Record<string, CanonicalText>> {
  const known = settingsTexts.get(settings);
  if (known !== undefined) return known;
  const members = {
    boosts: settings.boosts,
    candidate_score_min: candidateScoreMin(settings.thresholds),
    missing_attributes: settings.missingAttributes,
    phonetic_names: settings.phoneticNames,
    ...(settings.policyDigest !== undefined && { policy_digest: settings.policyDigest }),
    policy_version: settings.policyVersion,
    ...(settings.rcaDepthDecay && { rca_depth_decay: settings.rcaDepthDecay }),
    ...modelMembers(settings.rerankerVersion),
    reranker_version: settings.rerankerVersion,
    reranker_weights: settings.weights,
    thresholds: settings.thresholds,
    top_n: settings.topN,
  };
  const entries = Object.entries(members);
  const texts = Object.fromEntries(entries.map(([name, value]) => [name, inWords(value)]));
  settingsTexts.set(settings, texts);
  return texts;
}

/** `reranker_model` where the version has one: its digest, and the shifts of its scores. */
export function modelMembers(version: string): { readonly reranker_model?: JsonObject } {
  const model = modelOf(version);
  if (model === undefined) return {};
  return { reranker_model: { digest: model.digest, shifts: { ...model.shifts } } };
}

const referenceTexts = new WeakMap<ListSet, CanonicalText>();
function referencesText(lists: ListSet): CanonicalText {
  const text = referenceTexts.get(lists) ?? inWords(lists.references);
  referenceTexts.set(lists, text);
  return text;
}

const inWords = (value: unknown): CanonicalText => new CanonicalText(canonicalJson(value));

function mergedOf(
  { resolved }: ScreeningOutcome,
  judged: readonly Judged[],
): readonly MergedPositions[] | undefined {
  if (resolved === undefined) return undefined;
  const placed = judged.map(({ scored, typology }) => ({
    id: scored.id,
    source: resolved.sources[scored.index] ?? '',
    typology,
  }));
  return mergedPositions(placed, resolved.clusters);
}

/** All where some are merged, since those below a threshold count as sources, too. */
function recordsOf(
  judged: readonly Judged[],
  merged: readonly MergedPositions[] | undefined,
): readonly CandidateRecord[] {
  const isNeeded = ({ typology }: Judged): boolean => typology !== null || !!merged?.length;
  return judged.filter(isNeeded).map(candidateRecord);
}

const asJson = ({ lead, others }: MergedPositions): Json => ({
  lead,
  others: others.map(({ candidate, evidence, reason }) => ({
    candidate,
    evidence: [...evidence],
    reason,
  })),
});

function judge(
  outcome: ScreeningOutcome,
  scored: ScoredCandidate,
  { scoreMin, weights }: { readonly scoreMin: number; readonly weights: WeightTable },
): Judged {
  const index = outcome.indexes[scored.index];
  if (index === undefined) throw new RangeError(`candidate of list ${scored.index}: no such list`);
  const entity = entityText(index, scored);
  const subject = {
    categories: entity.card.categories,
    directScore: scored.directScore,
    paths: entity.card.flattened_associated_sanctioned,
    reranker: outcome.settings.rerankerVersion,
  };
  return {
    effectiveWeights: weights.positionOf(scored.effectiveWeights),
    entity,
    rcaHits: rcaHitsOf(subject, outcome.settings.rcaDepthDecay),
    scored,
    // Most are below every threshold.
    typology:
      scored.directScore < scoreMin
        ? null
        : (typologyOf(subject, outcome.settings.thresholds) ?? null),
  };
}

type Flat = Readonly<Record<string, string | number>>;

/** Objects with their keys in code-unit order; remembered for shared settings. */
const ordered = new WeakMap<object, Flat>();
function inOrder(object: object): Flat {
  const known = ordered.get(object);
  if (known !== undefined) return known;
  const entries = Object.entries(object as Flat).sort(([a], [b]) => (a < b ? -1 : 1));
  const sorted = Object.fromEntries(entries);
  ordered.set(object, sorted);
  return sorted;
}

/** Distinct effective weights of one event: a handful, while every candidate would repeat them. */
class WeightTable {
  readonly #rows: ComponentWeights[] = [];

  positionOf(weights: ComponentWeights): number {
    const known = this.#rows.findIndex(
      (row) =>
        row.alias === weights.alias &&
        row.dob === weights.dob &&
        row.name === weights.name &&
        row.nationality === weights.nationality &&
        row.phonetic === weights.phonetic,
    );
    return known >= 0 ? known : this.#rows.push(weights) - 1;
  }

  /** Members in code-unit order; a template prints numbers as JCS does. */
  text(): CanonicalText {
    const rows = this.#rows.map(
      ({ alias, dob, name, nationality, phonetic }) =>
        `{"alias":${alias},"dob":${dob},"name":${name}` +
        `,"nationality":${nationality},"phonetic":${phonetic}}`,
    );
    return new CanonicalText(`[${rows.join(',')}]`);
  }
}

export interface Answered {
  readonly tookMs: number;
  /** What the lists say of each hit, in the order of the hits. */
  readonly facts: readonly ShownFacts[];
  /** Why each hit has its score, where that was asked for, in the same order. */
  readonly explanations?: readonly (HitExplanation | null)[] | undefined;
}

/** The answer of a screening (decisions 2.1), in the order of its description. */
export function presentScreening(
  verdict: Verdict,
  sealed: Pick<SealedEvent, 'eventId' | 'seq' | 'hash'>,
  { explanations, facts, tookMs }: Answered,
): string {
  return JSON.stringify({
    screening_id: verdict.screeningId,
    decision: verdict.decision,
    hits: verdict.hits.map((hit, at) => ({
      ...presentScreeningHit(hit, facts[at] ?? FACTS_UNKNOWN),
      ...(explanations && { explanation: explanations[at] ?? null }),
    })),
    ...(verdict.suppressed && {
      suppressed: verdict.suppressed.map(presentSuppressed),
      suppressed_only: isSuppressedOnly(verdict.decision, verdict.suppressed),
    }),
    list_version: verdict.listVersion,
    policy_version: verdict.policyVersion,
    reranker_version: verdict.rerankerVersion,
    weights: verdict.weights,
    thresholds: verdict.thresholds,
    took_ms: tookMs,
    audit: { event_id: sealed.eventId, seq: sealed.seq, hash: sealed.hash },
  });
}

/** One hit of an answer, with what its list says of the party. */
export function presentScreeningHit(hit: Hit, facts: ShownFacts) {
  return {
    candidate: {
      ftm_id: hit.ftm_id,
      primary_name: hit.primary_name,
      schema: hit.schema,
      categories: hit.categories,
      source_lists_hits: hit.source_lists_hits,
      ...facts,
      finalScore: hit.finalScore,
      nameScore: hit.nameScore,
      phoneticScore: hit.phoneticScore,
      dobScore: hit.dobScore,
      nationalityScore: hit.nationalityScore,
      aliasUnfoldScore: hit.aliasUnfoldScore,
      sourceTypeBoost: hit.sourceTypeBoost,
      matched_name: hit.matched_name,
    },
    directScore: hit.directScore,
    typology: hit.typology,
    rcaHits: hit.rcaHits,
    ...(hit.merged && { merged: hit.merged }),
  };
}

/** The members of an event from which an answer is made. */
interface StoredMembers {
  readonly candidates: readonly CandidateRecord[];
  readonly channel?: Channel;
  readonly list_version: string;
  readonly lists: readonly ListReference[];
  readonly merged?: readonly MergedPositions[];
  readonly policy_version: number;
  readonly reranker_version: string;
  readonly rescreening?: { readonly entries: readonly string[] };
  readonly reranker_weights: object;
  readonly screening_id: string;
  readonly suppressed?: readonly Suppressed[];
  readonly thresholds: object;
  readonly verdict: { readonly decision: Decision };
}

/** The verdict as its event has it. */
export function storedVerdict(sealed: Pick<SealedEvent, 'body'>): Verdict {
  const stored = JSON.parse(sealed.body) as StoredMembers;
  return {
    decision: stored.verdict.decision,
    hits: hitsOf(stored.candidates, stored.merged),
    ...OF_PAYMENT[stored.channel ?? 'unit'],
    listVersion: stored.list_version,
    policyVersion: stored.policy_version,
    references: stored.lists,
    ...(stored.rescreening && { rescreened: { entries: stored.rescreening.entries } }),
    rerankerVersion: stored.reranker_version,
    screeningId: stored.screening_id,
    ...(stored.suppressed && { suppressed: stored.suppressed }),
    thresholds: stored.thresholds,
    weights: stored.reranker_weights,
  };
}

/** The same answer from the stored event: what an idempotent replay returns. */
export async function rebuildScreening(sealed: SealedEvent, of: RebuildPorts): Promise<string> {
  const verdict = storedVerdict(sealed);
  const [facts, explanations] = await Promise.all([
    factsOfHits(of.factsOf, verdict, of.caller),
    of.explain && explainVerdict(of.explain, verdict, storedQuery(sealed), of.caller),
  ]);
  return presentScreening(verdict, sealed, { explanations, facts, tookMs: of.tookMs });
}

export interface RebuildPorts {
  readonly tookMs: number;
  readonly factsOf: FactsOf;
  readonly caller: ExplainCaller;
  /** Where the caller asked why. */
  readonly explain?: ExplainPorts | undefined;
}

/** The query as it was compared; undefined once it is erased. */
export const storedQuery = ({ open = '{}' }: Pick<SealedEvent, 'open'>) =>
  (JSON.parse(open) as { readonly query_normalized?: NormalizedQuery }).query_normalized;
