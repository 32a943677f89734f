/** What the rules of exclusions need: store, evidence, lists, and what a policy allows. */
import type { Actor, CommitEvidence, EventDraft } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import type { BusEvent, TableChange, Tables, TenantId } from '#core/kernel';
import type { Random } from '#platform/random';
import type { ListEntity, ListVersion } from '#slices/lists';
import type { ListReference, ScreenedPorts } from '#slices/screening';
import type { SignedExclusions } from './signedExclusions.ts';
import type { ExclusionRecord } from './tables.ts';

/** What reads exclusions as they were signed. */
export interface ExclusionReads {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
  readonly signed: SignedExclusions;
}

/** The flags of a policy that exclusions obey (operations.md S6). */
export interface ExclusionPolicy {
  readonly isEnabled: boolean;
  readonly daysMax: number;
  /** Hits of sanctions lists need a second person in any case. */
  readonly fourEyes: 'none' | 'sanctions' | 'all';
}

/** A tenant's policy in force. */
export type ExclusionPolicyOf = (of: { readonly tenantId: TenantId }) => Promise<ExclusionPolicy>;

/** What writes them. */
export interface ExclusionPorts extends ExclusionReads, ScreenedPorts {
  readonly commit: CommitEvidence;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make'>;
  readonly random: Random;
  readonly policyOf: ExclusionPolicyOf;
  /** The version of a list in force, as it was signed; undefined without one. */
  readonly inForce: (source: string) => Promise<ListVersion | undefined>;
  readonly entitiesOf: EntitiesOf;
}

/** An entry of a version that an event names, or that is in force. */
export type ListedEntry = Pick<
  ListReference,
  'content_digest' | 'list_digest' | 'list_version' | 'source'
> & { readonly id: string };

/**
 * Entries of versions, in their order; undefined where a version has none of that id. Rejects where
 * it cannot be read: nothing is decided then.
 */
export type EntitiesOf = (
  entries: readonly ListedEntry[],
  by: { readonly turn: string },
) => Promise<readonly (ListEntity | undefined)[]>;

/** Who decides. */
export interface ExclusionActor {
  readonly tenantId: TenantId;
  /** `person:<id>` for one who is registered, whatever account they use. */
  readonly actor: Actor;
  readonly isPerson: boolean;
  readonly ip?: string;
  /** The administrator who acts in the name of that person at the command line. */
  readonly through?: Actor;
}

/** What becomes of exclusions, for a commit: the caller's own, or one of something beside. */
export interface ExclusionStep {
  readonly records: readonly ExclusionRecord[];
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
  readonly bus: readonly BusEvent[];
}
