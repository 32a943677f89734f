/** What the rules of re-screening need: store, evidence, the lists, and a way to screen. */
import type { CommitEvidence } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { PinnedSet } from '#slices/batches';
import type { Subject } from '#slices/intake';
import type { ScreenedQuery, ScreeningSettings } from '#slices/screening';
import type { RescreeningFigures } from './rescreeningFigures.ts';
import type { SignedEntries } from './signedEntries.ts';
import type { SignedSightings } from './signedRuns.ts';
import type { RescreeningRun } from './tables.ts';

/** What changes the register of customers. */
export interface RegisterPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page'>;
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** The lists of a run, in this process. */
export interface RunLists {
  /**
   * Whether one of the changed entries is near the customer: whoever is not has the hits that he
   * had. Undefined: everybody is to be screened whole.
   */
  readonly isNear: ((subject: Subject) => Promise<boolean>) | undefined;
  /** Names of entries (`entryName`) that are other ones now, or gone. */
  readonly changed: ReadonlySet<string>;
  /** A normal screening on the lists of the run; undefined where the name has no letter. */
  screen(subject: Subject): Promise<ScreenedQuery | undefined>;
  release(): void;
}

/** What a run begins with. */
export interface PinnedRun extends PinnedSet {
  readonly sandbox: boolean;
  /** Whether the policy wants customers to be screened again. */
  readonly isWanted: boolean;
  readonly settings: ScreeningSettings;
}

/** What runs are planned and worked off with. */
export interface RescreeningPorts extends RegisterPorts {
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly entries: SignedEntries;
  readonly sightings: SignedSightings;
  /** Absent: nothing is counted. */
  readonly figures?: RescreeningFigures;
  /** The versions in force, as they were signed. Rejects where one is not. */
  readonly pin: (tenantId: TenantId) => Promise<PinnedRun>;
  readonly open: (run: RescreeningRun) => Promise<RunLists>;
  /** What identifies entries of the run's lists; undefined for one that is not there. */
  readonly identityOf: (
    run: RescreeningRun,
    entries: readonly { readonly source: string; readonly ftmId: string }[],
  ) => Promise<readonly (string | undefined)[]>;
}

/** An entry of a list, in `RunLists.changed`. */
export const entryName = (of: { readonly source: string; readonly ftmId: string }): string =>
  `${of.source} ${of.ftmId}`;
