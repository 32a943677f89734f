/**
 * What a policy says, with the members as they are sent, signed and hashed, and what a screening
 * takes from it. The hash names the content in every event that was decided by it.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { SOURCE_CATALOGUE } from '#slices/ingestion';
import {
  type CategoryBoosts,
  type ComponentWeights,
  type ScreeningSettings,
  SHIPPED_RCA_DECAY,
  type Thresholds,
} from '#slices/screening';
import defaults from '../../../config/policy.json' with { type: 'json' };

/** Which hits need a second person. */
export const FOUR_EYES = ['none', 'sanctions', 'all'] as const;
const HOUR_MS = 3_600_000;
/** Batches follow the re-ranker of unit screenings. */
export const AS_SCREENING = 'as_screening';

/** One source; a source without a switch is on. */
export interface SourceSwitch {
  readonly enabled: boolean;
  /** Quartz, six fields, UTC: fires beside those of the platform's schedule. */
  readonly cadence_override?: string;
}

/** Switches of what surrounds a screening; each slice reads its own. */
export interface PolicyFlags {
  /** Lists that are paid for are screened. */
  readonly commercial_enabled: boolean;
  /** 0: every screening is scored anew. */
  readonly cache_ttl_hours: number;
  /** Candidates of a screening. */
  readonly topN: number;
  readonly audit_export_enabled: boolean;
  readonly continuous_screening_enabled: boolean;
  readonly exclusions_enabled: boolean;
  readonly exclusion_max_days: number;
  readonly four_eyes: (typeof FOUR_EYES)[number];
  /** Typologies whose hits raise alerts. */
  readonly auto_alert_typologies: readonly string[];
}

/** All that a tenant decides of its screenings. */
export interface PolicyContent {
  readonly sources: Readonly<Record<string, SourceSwitch>>;
  readonly thresholds: Thresholds;
  readonly weights: ComponentWeights;
  readonly boosts: CategoryBoosts;
  readonly missing_attributes: ScreeningSettings['missingAttributes'];
  readonly phonetic_names: ScreeningSettings['phoneticNames'];
  readonly reranker_version: string;
  /** The re-ranker of batches of subjects and of `/v1/aml/screen`; or AS_SCREENING. */
  readonly batch_reranker_version: string;
  /** How much farther relations count, by their distance; it orders related parties. */
  readonly rca_depth_decay: { readonly depth_1: number; readonly depth_2: number };
  readonly flags: PolicyFlags;
}

/** SHA-256 hex of the canonical JSON: what is signed, and what events name. */
export const contentHash = (content: PolicyContent): string => sha256Hex(canonicalJson(content));

type FlagDefaults = Omit<PolicyFlags, 'topN'>;
/** Flags of a policy that ships; candidates are among the settings. */
export const FLAG_DEFAULTS = defaults.flags as FlagDefaults;

/**
 * A policy of what settings say of screenings; they know neither switches of sources nor flags,
 * which have their defaults, or those of `flags`.
 */
export function contentOfSettings(
  settings: ScreeningSettings,
  flags: Partial<FlagDefaults> = {},
): PolicyContent {
  const { batchRerankerVersion = settings.rerankerVersion, rerankerVersion, topN } = settings;
  return {
    batch_reranker_version:
      batchRerankerVersion === rerankerVersion ? AS_SCREENING : batchRerankerVersion,
    boosts: { ...settings.boosts },
    flags: { ...FLAG_DEFAULTS, ...flags, topN },
    missing_attributes: settings.missingAttributes,
    phonetic_names: settings.phoneticNames,
    rca_depth_decay: { ...defaults.rca_depth_decay },
    reranker_version: rerankerVersion,
    sources: {},
    thresholds: { ...settings.thresholds },
    weights: { ...settings.weights },
  };
}

/** What a screening takes of a policy. */
export function settingsOfContent(
  content: PolicyContent,
  of: { readonly contentHash: string; readonly policyVersion: number },
): ScreeningSettings {
  const { batch_reranker_version: batch, rca_depth_decay: decay } = content;
  const { reranker_version: rerankerVersion } = content;
  const sourcesOff = disabledSources(content);
  return {
    policyVersion: of.policyVersion,
    policyDigest: of.contentHash,
    rerankerVersion,
    batchRerankerVersion: batch === AS_SCREENING ? rerankerVersion : batch,
    weights: content.weights,
    thresholds: content.thresholds,
    boosts: content.boosts,
    missingAttributes: content.missing_attributes,
    phoneticNames: content.phonetic_names,
    topN: content.flags.topN,
    ...(isShipped(decay) ? {} : { rcaDepthDecay: decay }),
    ...(content.flags.cache_ttl_hours > 0 && {
      cacheTtlMs: content.flags.cache_ttl_hours * HOUR_MS,
    }),
    ...(sourcesOff.length > 0 && { sourcesOff }),
  };
}

/** As lists are read: events need not say so. */
const isShipped = (decay: PolicyContent['rca_depth_decay']): boolean =>
  canonicalJson(decay) === canonicalJson(SHIPPED_RCA_DECAY);

/** Sources that are left out of the tenant's screenings, by id. */
export function disabledSources({ flags, sources }: PolicyContent): readonly string[] {
  return Object.entries(SOURCE_CATALOGUE)
    .filter(([source, { kind }]) => {
      if (kind === 'COMMERCIAL' && !flags.commercial_enabled) return true;
      return sources[source]?.enabled === false;
    })
    .map(([source]) => source);
}

/** One member that differs; null: it is not there. */
export interface ContentChange {
  /** RFC 6901, into the content. */
  readonly pointer: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** What `next` changes of `before`, member by member, in the order of the pointers. */
export function changesBetween(before: PolicyContent, next: PolicyContent): ContentChange[] {
  const [old, now] = [leavesOf(before), leavesOf(next)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((pointer) => ({
      new: now.get(pointer) ?? null,
      old: old.get(pointer) ?? null,
      pointer,
    }))
    .filter((change) => canonicalJson(change.old) !== canonicalJson(change.new));
}

/** A member's name within a pointer (RFC 6901). */
export const escapedName = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every member that is no object, by its pointer. */
function leavesOf(value: object, at = '', leaves = new Map<string, unknown>()) {
  for (const [name, member] of Object.entries(value)) {
    const pointer = `${at}/${escapedName(name)}`;
    const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
    if (isObject) leavesOf(member, pointer, leaves);
    else leaves.set(pointer, member);
  }
  return leaves;
}
