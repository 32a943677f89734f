/** Runs in memory beside a model of their sources: what the store promises of compare-and-set. */
import { type Commit, StaleChange } from '#core/audit';
import { type ChainId, DomainError, isTableChange } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  type ListRun,
  type RunChange,
  type SchedulerPorts,
  scheduleAuditStore,
  scheduleAuditTable,
} from '#slices/ingestion';
import { type ListSource, listStore, sourceTable } from '#slices/lists';
import { createModelTables } from '../../storage/modelTables.ts';

export class RunMemory {
  readonly model = createModelTables([scheduleAuditTable, sourceTable]);
  readonly runs = new Map<string, ListRun>();
  readonly actions: string[] = [];
  now = 1_000_000;
  isDown = false;

  readonly clock: Clock = { monotonicMs: () => this.now, now: () => this.now as EpochMs };

  readonly problems: string[] = [];

  readonly ports: SchedulerPorts & { readonly clock: Clock } = {
    clock: this.clock,
    commit: async (chainId, commit) => this.#apply(chainId, commit),
    lists: listStore(this.model.tables),
    onProblem: (sourceId) => this.problems.push(sourceId),
    random: systemRandom,
    runs: {
      ...scheduleAuditStore(this.model.tables),
      findRun: async (id) => this.runs.get(id),
      saveRun: async (run, versionExpected) => {
        if (this.isDown) throw new DomainError('store-unavailable');
        if ((this.runs.get(run.runId)?.version ?? 0) !== versionExpected) return false;
        this.runs.set(run.runId, run);
        return true;
      },
    },
  };

  get source(): ListSource | undefined {
    return this.model.records(sourceTable).find(({ sourceId }) => sourceId === 'UN_SC');
  }

  /** A source as it is to be. */
  put(source: ListSource): void {
    this.model.seed(sourceTable, source);
  }

  #apply(chainId: ChainId, { changes, events }: Commit): void {
    const runs = changes.filter((change): change is RunChange => change.kind === 'list.run.put');
    for (const { run, versionExpected } of runs) {
      if ((this.runs.get(run.runId)?.version ?? 0) !== versionExpected) throw new StaleChange(0);
    }
    const stale = this.model.apply(chainId, changes.filter(isTableChange));
    if (stale !== undefined) throw new StaleChange(stale);
    for (const { run } of runs) this.runs.set(run.runId, run);
    this.actions.push(...events.map(({ action }) => String(action)));
  }
}
