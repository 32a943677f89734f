/**
 * Leased work in the store, for Prometheus: how many rows are held, and for how long the oldest
 * lease has been the same. Rows of a worker that died show as well, since the store is asked. The
 * labels are names of tables.
 */
import type { AnyTable, LeaseSpec, Table, TableRecord, Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import { rowName } from './rowKey.ts';
import { heldRows } from './silence.ts';

/** What the figures are read from. */
export interface WorkFigureParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly declared: readonly AnyTable[];
  readonly tables: Pick<Tables, 'held'>;
}

/** Registers the figures of every declared table with leases, read at each scrape. */
export function registerWorkFigures(metrics: Metrics, parts: WorkFigureParts): void {
  const held = metrics.gauge({
    help: 'Rows of leased work that some worker holds',
    labels: ['job'],
    name: 'work_rows_held',
  });
  const oldest = metrics.gauge({
    help: 'Seconds that one worker has held one row, the longest, as this process has seen it',
    labels: ['job'],
    name: 'work_oldest_lease_seconds',
  });
  const leased = parts.declared.filter(({ spec }) => isTold(spec as { leased?: LeaseSpec }));
  const looks = leased.map((table) => ({ look: createLook(parts, table), name: table.name }));
  metrics.beforeExposing(async () => {
    for (const { look, name } of looks) {
      // The store does not answer: the figures of the last scrape stay.
      const found = await look().catch(() => undefined);
      if (found === undefined) continue;
      held.labels(name).set(found.held);
      oldest.labels(name).set(found.oldestMs / 1_000);
    }
  });
}

/** A gauge of what only some may know of would tell everybody. */
const isTold = ({ leased }: { readonly leased?: LeaseSpec }): boolean =>
  leased !== undefined && leased.isUntold !== true;

function createLook({ clock, tables }: WorkFigureParts, declared: AnyTable) {
  const table = declared as Table<TableRecord, never>;
  let since = new Map<string, number>();
  return async (): Promise<{ held: number; oldestMs: number }> => {
    const rows = await heldRows(tables, table);
    const now = clock.monotonicMs();
    // The fence moves with the holder, so a row that goes from hand to hand is not old.
    const names = rows.map(({ lease, record }) => `${rowName(table, record)}/${lease.fence}`);
    since = new Map(names.map((name) => [name, since.get(name) ?? now]));
    const oldestMs = Math.max(0, ...[...since.values()].map((at) => now - at));
    return { held: rows.length, oldestMs };
  };
}
