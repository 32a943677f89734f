/**
 * Builds anew the indexes of lists in force that this release cannot load: one of an older format
 * after an upgrade, or one that a disk lost or damaged. It is made from the version's own signed
 * bundle, so the list stays the same, with its label and its digests. Only the source's view of its
 * version in force names another index, and gateways load that. The version's own record keeps
 * naming the index with which it was published.
 *
 * A record that names another index than the last signed entry of its list was changed past the
 * service: its index is built anew likewise, from the bundle that the entry names. One that names
 * another bundle is beyond repair.
 *
 * An index of a later release is left alone: during an upgrade, workers of both releases would go
 * on replacing each other's.
 */
import { type Commit, entry, overwrite } from '#core/audit';
import { type ChainId, DomainError, PLATFORM_CHAIN } from '#core/kernel';
import {
  bundleMembers,
  indexMembers,
  isDamage,
  isLoadable,
  type ListSource,
  type ListStore,
  type ListVersion,
  readIndex,
  sourceTable,
} from '#slices/lists';
import { reindexed } from './importEvidence.ts';
import type { ImportPorts } from './importPorts.ts';
import { verifyIndex, writeIndex } from './writeIndex.ts';

/** Against runs that start or end, and changes by persons. */
const CONFLICTS_MAX = 5;

export interface RebuildPorts
  extends Pick<ImportPorts, 'buildSnapshot' | 'inspectSnapshot' | 'clock' | 'random' | 'signed'> {
  readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
  readonly blobs: ImportPorts['blobs'];
  /** AuditLog.commit. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  /** Whether an engine's snapshot or overlay can only be read by a later release. */
  readonly isLaterFormat: (bytes: SharedArrayBuffer) => Promise<boolean>;
  readonly onRebuilt: (version: ListVersion) => void;
  /** Its bundle is gone, damaged or another one too: only another import helps. */
  readonly onBeyondRepair: (version: ListVersion, error: DomainError) => void;
}

export class IndexRebuild {
  readonly #ports: RebuildPorts;
  /** Indexes in force that need no look: they are read whole for it. */
  #settled: ReadonlySet<string> = new Set();

  constructor(ports: RebuildPorts) {
    this.#ports = ports;
  }

  /**
   * Checks all lists in force once; answers how many indexes were rebuilt. Rejects with the first
   * failure, once every list was checked; the next look tries again.
   */
  async run(): Promise<number> {
    const sources = await this.#ports.lists.listSources();
    const settled = new Set<string>();
    const failures: unknown[] = [];
    let rebuilt = 0;
    for (const active of sources.flatMap((source) => source.active ?? [])) {
      try {
        if (!this.#settled.has(nameOf(active)) && (await this.#mend(active))) rebuilt++;
        settled.add(nameOf(active));
      } catch (error) {
        failures.push(error);
      }
    }
    this.#settled = settled;
    if (failures.length > 0) throw failures[0];
    return rebuilt;
  }

  async #mend(active: ListVersion): Promise<boolean> {
    try {
      if (!(await isToRebuild(this.#ports, active))) return false;
      return await rebuildIndex(this.#ports, active);
    } catch (error) {
      if (!isDamage(error) && !isAltered(error)) throw error;
      this.#ports.onBeyondRepair(active, error);
      return false;
    }
  }
}

const nameOf = ({ overlayBlob, snapshotBlob }: ListVersion): string =>
  `${snapshotBlob} ${overlayBlob}`;

const isAltered = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === 'list-altered';

async function isToRebuild(ports: RebuildPorts, active: ListVersion): Promise<boolean> {
  if ((await ports.signed.checkBundle(active)) === 'other-index') return true;
  const index = await readIndex(active, ports.blobs);
  const parts = [index.snapshot, index.overlay];
  for (const part of parts) {
    if (part !== undefined && (await ports.isLaterFormat(part))) return false;
  }
  return !(await isLoadable(active, index, ports));
}

/** False where the source moved on meanwhile: by another worker, or by a run. */
async function rebuildIndex(ports: RebuildPorts, active: ListVersion): Promise<boolean> {
  const { entityCount, sourceId } = active;
  const index = await writeIndex(ports, {
    bundle: active,
    changes: { lines: undefined, touched: undefined },
    published: [],
  });
  const nameCount = await verifyIndex(ports, index, entityCount);
  const { overlayBlob: _, snapshotSeal: __, ...kept } = active;
  const rebuilt: ListVersion = { ...kept, nameCount, snapshotBlob: index.snapshotBlob };
  return overwrite(
    async () => {
      const source = await ports.lists.findSource(sourceId);
      if (source?.active === undefined || nameOf(source.active) !== nameOf(active)) return false;
      await ports.commit(PLATFORM_CHAIN, commitOf(ports, source, { active, rebuilt }));
      ports.onRebuilt(rebuilt);
      return true;
    },
    { triesMax: CONFLICTS_MAX },
  );
}

function commitOf(
  ports: RebuildPorts,
  source: ListSource,
  { active, rebuilt }: { readonly active: ListVersion; readonly rebuilt: ListVersion },
): Commit {
  const { version } = source;
  const change = sourceTable.put({ ...source, active: rebuilt, version: version + 1 }, version);
  const rebuiltEntry = entry(ports, {
    action: 'SANCTIONS_INDEX_REBUILT',
    actor: 'system',
    members: {
      ...bundleMembers(rebuilt),
      ...indexMembers(rebuilt),
      former_snapshot: active.snapshotBlob,
      ...(active.overlayBlob !== undefined && { former_overlay: active.overlayBlob }),
    },
    severity: 'NOTICE',
    target: source.sourceId,
  });
  return { bus: [reindexed(rebuilt)], changes: [change], events: [rebuiltEntry] };
}
