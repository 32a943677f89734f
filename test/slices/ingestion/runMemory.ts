/** Runs and their sources in memory: what the store promises of compare-and-set, without one. */
import { type Commit, StaleChange } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import type { ListRun, RunChange, ScheduleAudit, SchedulerPorts } from '#slices/ingestion';
import type { ListChange, ListSource } from '#slices/lists';

export class RunMemory {
  readonly sources = new Map<string, ListSource>();
  readonly runs = new Map<string, ListRun>();
  readonly actions: string[] = [];
  now = 1_000_000;
  isDown = false;

  readonly clock: Clock = { monotonicMs: () => this.now, now: () => this.now as EpochMs };

  readonly problems: string[] = [];
  readonly rows: ScheduleAudit[] = [];

  readonly ports: SchedulerPorts & { readonly clock: Clock } = {
    clock: this.clock,
    commit: async (_, commit) => this.#apply(commit),
    lists: {
      findSource: async (id) => this.sources.get(id),
      listSources: async () => [...this.sources.values()],
    },
    onProblem: (sourceId) => this.problems.push(sourceId),
    random: systemRandom,
    runs: {
      findRun: async (id) => this.runs.get(id),
      listScheduleAudit: async () => this.rows.toReversed(),
      saveRun: async (run, versionExpected) => {
        if (this.isDown) throw new DomainError('store-unavailable');
        if ((this.runs.get(run.runId)?.version ?? 0) !== versionExpected) return false;
        this.runs.set(run.runId, run);
        return true;
      },
    },
  };

  get source(): ListSource | undefined {
    return this.sources.get('UN_SC');
  }

  #apply(commit: Commit): void {
    const changes = commit.changes as readonly (ListChange | RunChange)[];
    for (const change of changes) {
      if (change.kind === 'list.source.put') {
        this.#refuse(this.sources.get(change.source.sourceId)?.version, change.versionExpected);
      } else if (change.kind === 'list.run.put') {
        this.#refuse(this.runs.get(change.run.runId)?.version, change.versionExpected);
      }
    }
    for (const change of changes) {
      if (change.kind === 'list.source.put') {
        this.sources.set(change.source.sourceId, change.source);
      } else if (change.kind === 'list.run.put') this.runs.set(change.run.runId, change.run);
      else if (change.kind === 'list.schedule.audit') this.rows.push(change.row);
    }
    this.actions.push(...commit.events.map(({ action }) => String(action)));
  }

  #refuse(version: number | undefined, expected: number): void {
    if ((version ?? 0) !== expected) throw new StaleChange(0);
  }
}
