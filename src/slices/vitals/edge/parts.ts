/** The ports of the rules of vitals, built from the installation of a process. */

import type { Metrics } from '#platform/metrics';
import { runStore } from '#slices/ingestion';
import { listStore } from '#slices/lists';
import { editingLock } from '#slices/policies';
import type { BeatFigures, LookPorts, WatchPorts } from '#slices/vitals';
import type { SliceProcess, WorkerProcess } from '../../processes.ts';

export function lookPortsOf({ clock, random, storage }: SliceProcess): LookPorts {
  const { outbox, tables } = storage;
  return {
    clock,
    listSources: () => listStore(tables).listSources(),
    ping: () => storage.ping(),
    random,
    subscribers: () => outbox.figures(),
    tables,
  };
}

export const watchPortsOf = (process: WorkerProcess): WatchPorts => ({
  ...lookPortsOf(process),
  commit: process.commit,
  findRun: (runId) => runStore(process.storage.tables).findRun(runId),
  isLocked: async (tenantId) => (await process.ask(editingLock)(tenantId)) !== undefined,
  keysOf: (tenantId) => process.identity.listApiKeys(tenantId),
  tenantIds: async () => (await process.tenants.list()).map(({ id }) => id),
});

const MEBI = 1_048_576;
const FIGURES = [
  'audit_checkpoint_oldest_seconds',
  'clock_offset_seconds',
  'data_disk_free_bytes',
  'data_disk_size_bytes',
  'engine_queries_open',
  'rate_limits_local',
] as const;

/** What a process says of itself; the farthest of several values of a figure. */
export async function figuresOf(
  metrics: Metrics,
  gateway?: Required<Pick<BeatFigures, 'engineThreads' | 'lists'>>,
): Promise<BeatFigures> {
  const found = await metrics.sample(FIGURES);
  const ahead = found.get('clock_offset_seconds');
  const free = found.get('data_disk_free_bytes');
  const size = found.get('data_disk_size_bytes');
  const checkpoint = found.get('audit_checkpoint_oldest_seconds');
  return {
    memoryMb: Math.round(process.memoryUsage.rss() / MEBI),
    ...(ahead !== undefined && { clockAheadS: ahead }),
    ...(free !== undefined && { diskFree: free }),
    ...(size !== undefined && { diskSize: size }),
    ...(checkpoint !== undefined && { checkpointS: checkpoint }),
    ...(gateway !== undefined && {
      ...gateway,
      engineOpen: found.get('engine_queries_open') ?? 0,
      isLimitLocal: found.get('rate_limits_local') === 1,
    }),
  };
}
