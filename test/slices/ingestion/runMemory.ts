/** Runs and their sources over the model of tables: what the store promises of both. */
import { type Commit, StaleChange } from '#core/audit';
import { type ChainId, DomainError, type Tables } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  type ListRun,
  runStore,
  runTable,
  type SchedulerPorts,
  scheduleAuditTable,
} from '#slices/ingestion';
import { type ListSource, listStore, sourceTable } from '#slices/lists';
import { createModelTables } from '../../storage/modelTables.ts';
import { TRUSTED_SOURCES } from './trustedSources.ts';

export class RunMemory {
  readonly model = createModelTables([runTable, scheduleAuditTable, sourceTable]);
  readonly actions: string[] = [];
  now = 1_000_000;
  isDown = false;

  readonly clock: Clock = { monotonicMs: () => this.now, now: () => this.now as EpochMs };

  readonly problems: string[] = [];

  readonly tables: Tables = {
    ...this.model.tables,
    renew: async (table, ask) => {
      if (this.isDown) throw new DomainError('store-unavailable');
      return this.model.tables.renew(table, ask);
    },
  };

  readonly ports: SchedulerPorts & { readonly clock: Clock; readonly tables: Tables } = {
    clock: this.clock,
    commit: async (chainId, commit) => this.#apply(chainId, commit),
    lists: listStore(this.model.tables),
    onProblem: (sourceId) => this.problems.push(sourceId),
    random: systemRandom,
    runs: runStore(this.model.tables),
    signed: TRUSTED_SOURCES,
    tables: this.tables,
  };

  get source(): ListSource | undefined {
    return this.model.records(sourceTable).find(({ sourceId }) => sourceId === 'UN_SC');
  }

  get runs(): readonly ListRun[] {
    return this.model.records(runTable);
  }

  run({ runId }: ListRun): ListRun | undefined {
    return this.runs.find((run) => run.runId === runId);
  }

  /** A source as it is to be. */
  put(source: ListSource): void {
    this.model.seed(sourceTable, source);
  }

  #apply(chainId: ChainId, { changes, events }: Commit): void {
    const stale = this.model.apply(chainId, changes);
    if (stale !== undefined) throw new StaleChange(stale);
    this.actions.push(...events.map(({ action }) => String(action)));
  }
}
