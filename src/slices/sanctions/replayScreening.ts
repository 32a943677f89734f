/**
 * A screening repeated from its event alone: the lists, the exclusions, the re-ranker and all
 * settings that the event pins, over the query that it holds. What comes out is compared with the
 * event as canonical JSON: candidates, scores, typologies, verdict, what was suppressed and whether
 * it was cut. The links between entries of several lists decide nothing of it, and are left out.
 */
import type { SealedEvent, SignedEvents } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { CanonicalText, canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';
import type { PinnedList, PinnedLists, ReleasableIndex } from '#slices/batches';
import {
  type CandidateEngine,
  type Exclusions,
  type ExclusionsInForce,
  type ListReference,
  modelMembers,
  type NormalizedQuery,
  type QueryPorts,
  RERANKERS,
  type ScreeningSettings,
  screenQuery,
} from '#slices/screening';
import { differencesOf } from './differences.ts';
import type { ImpossibleReason, ReplayDifference } from './tables.ts';

export interface ReplayScreeningPorts<Index extends ReleasableIndex> {
  readonly random: Random;
  readonly engine: CandidateEngine<Index>;
  readonly events: Pick<SignedEvents, 'read'>;
  readonly exclusions: ExclusionsInForce;
  readonly lists: Pick<PinnedLists<Index>, 'acquire'>;
}

/** What a repetition has shown. */
export type Replayed = Pinned &
  (
    | { readonly reason: ImpossibleReason }
    | {
        readonly differences: readonly ReplayDifference[];
        readonly originalHash: string;
        readonly replayedHash: string;
      }
  );

/** What the event names. */
interface Pinned {
  readonly listDigests: readonly string[];
  readonly rerankerVersion: string | null;
  readonly policyVersion: number | null;
}

/** A repetition may take longer than a caller's query: nobody waits for it. */
const DEADLINE_MS = 30_000;

/** Members of a screening's event; those of former releases may lack some. */
interface StoredScreening {
  readonly boosts?: ScreeningSettings['boosts'];
  readonly exclusions?: string | null;
  readonly lists: readonly ListReference[];
  readonly missing_attributes?: ScreeningSettings['missingAttributes'];
  readonly phonetic_names?: ScreeningSettings['phoneticNames'];
  readonly policy_version: number;
  readonly query_normalized?: NormalizedQuery;
  readonly rca_depth_decay?: ScreeningSettings['rcaDepthDecay'];
  readonly reranker_model?: unknown;
  readonly reranker_version: string;
  readonly reranker_weights: ScreeningSettings['weights'];
  readonly suppressed?: readonly unknown[];
  readonly thresholds: ScreeningSettings['thresholds'];
  readonly top_n?: number;
}

/** Rejects where a store, or the engine, does not answer just now: another try may. */
export async function replayScreening<Index extends ReleasableIndex>(
  ports: ReplayScreeningPorts<Index>,
  { event, tenantId }: { readonly event: SealedEvent; readonly tenantId: TenantId },
): Promise<Replayed> {
  let stored: StoredScreening;
  try {
    const members = await ports.events.read(chainOf(tenantId), event);
    stored = members as unknown as StoredScreening;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'evidence-altered') throw error;
    const nothing = { listDigests: [], policyVersion: null, rerankerVersion: null };
    return { ...nothing, reason: 'event-altered' };
  }
  const pinned: Pinned = {
    listDigests: stored.lists.map(({ list_digest }) => list_digest),
    policyVersion: stored.policy_version,
    rerankerVersion: stored.reranker_version,
  };
  const found = await readPinned(ports, tenantId, stored);
  if ('reason' in found) return { ...pinned, ...found };
  // Exclusions end on the second: it is repeated at the time at which it was.
  const then = { now: () => event.occurredAt };
  return { ...pinned, ...(await repeat({ ...ports, clock: then }, { ...found, stored })) };
}

type Means =
  | { readonly reason: ImpossibleReason }
  | {
      readonly exclusions: Exclusions | undefined;
      readonly query: NormalizedQuery;
      readonly settings: ScreeningSettings;
    };

async function readPinned<Index extends ReleasableIndex>(
  { exclusions: inForce }: Pick<ReplayScreeningPorts<Index>, 'exclusions'>,
  tenantId: TenantId,
  stored: StoredScreening,
): Promise<Means> {
  const { exclusions: digest, query_normalized: query, reranker_version: version } = stored;
  if (query === undefined) return { reason: 'query-erased' };
  const model = modelMembers(version).reranker_model;
  const isKnown = (RERANKERS as readonly string[]).includes(version);
  const isSameModel = canonicalJson(model ?? null) === canonicalJson(stored.reranker_model ?? null);
  if (!isKnown || !isSameModel) return { reason: 'reranker-unknown' };
  const settings = settingsOf(stored);
  if (settings === undefined) return { reason: 'former-release' };
  // An event that suppressed nothing names none: it is the same without them.
  const exclusions = digest ? await inForce({ digest, tenantId }) : undefined;
  if (digest && exclusions === undefined) return { reason: 'exclusions-unavailable' };
  return { exclusions, query, settings };
}

function settingsOf(stored: StoredScreening): ScreeningSettings | undefined {
  const { boosts, missing_attributes, phonetic_names, top_n } = stored;
  if (!boosts || !missing_attributes || !phonetic_names || top_n === undefined) return undefined;
  return {
    boosts,
    missingAttributes: missing_attributes,
    phoneticNames: phonetic_names,
    policyVersion: stored.policy_version,
    rerankerVersion: stored.reranker_version,
    thresholds: stored.thresholds,
    topN: top_n,
    weights: stored.reranker_weights,
    ...(stored.rca_depth_decay && { rcaDepthDecay: stored.rca_depth_decay }),
  };
}

async function repeat<Index extends ReleasableIndex>(
  ports: ReplayScreeningPorts<Index> & Pick<QueryPorts<Index>, 'clock'>,
  of: Extract<Means, { readonly query: NormalizedQuery }> & { readonly stored: StoredScreening },
): Promise<
  | { readonly reason: ImpossibleReason }
  | Omit<Extract<Replayed, { differences: unknown }>, keyof Pinned>
> {
  const { exclusions, query, settings, stored } = of;
  const pinnedLists = stored.lists as unknown as readonly PinnedList[];
  const held = await ports.lists
    .acquire({ listsPinned: pinnedLists, mode: 'full' })
    .catch((error: unknown) => {
      const code = error instanceof DomainError ? error.code : undefined;
      if (code === 'list-unavailable' || code === 'list-altered') return undefined;
      throw error;
    });
  if (held === undefined) return { reason: 'list-unavailable' };
  try {
    const { query: folded, record } = await screenQuery(
      { ...ports, deadlineMs: DEADLINE_MS },
      {
        exclusions,
        listSet: { listVersion: '', references: stored.lists },
        lists: held.lists,
        namePointer: '/query_normalized',
        query,
        requestedBy: '',
        settings,
      },
    );
    const replayed = comparedOf({ ...textsOf(record.members), query_normalized: folded });
    const original = comparedOf({ ...stored });
    const [originalText, replayedText] = [canonicalJson(original), canonicalJson(replayed)];
    return {
      differences: originalText === replayedText ? [] : differencesOf(original, replayed),
      originalHash: sha256Hex(originalText),
      replayedHash: sha256Hex(replayedText),
    };
  } finally {
    held.release();
  }
}

const COMPARED = [
  'candidate_score_min',
  'candidates',
  'effective_weights',
  'exclusions',
  'query_normalized',
  'suppressed',
  'truncated',
  'verdict',
] as const;

const comparedOf = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    COMPARED.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
  );

/** Members as an event's reader has them: canonical texts are read again. */
const textsOf = (members: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      value instanceof CanonicalText ? (JSON.parse(value.text) as unknown) : value,
    ]),
  );
