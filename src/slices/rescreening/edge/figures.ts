/** Figures of known customers, for `GET /v1/sanctions/kpis`. */
import { allRecords, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { isSourceSeen } from '#slices/ingestion';
import { listStore } from '#slices/lists';
import { policiesInForceOf } from '#slices/policies';
import { behindSince, coverageTable, type RescreeningRun, runTable } from '#slices/rescreening';
import type { RescreeningFigures } from '#slices/sanctions';
import type { SliceProcess } from '../../processes.ts';

/** Runs that are looked at for the last whole walk. */
const RUNS_LOOKED = 200;

export const rescreeningFigures = (process: SliceProcess) => {
  const { clock, storage } = process;
  const { tables } = storage;
  return async (ask: {
    readonly tenantId: TenantId;
    readonly from: EpochMs;
    readonly to: EpochMs;
  }): Promise<RescreeningFigures | undefined> => {
    const { from, tenantId, to } = ask;
    const coverage = await tables.find(coverageTable, { register: 'subjects', tenantId });
    if (coverage === undefined) return undefined;
    const behind = behindSince(coverage, await wantedLists(process, tenantId));
    const last = await lastWalk(tables, tenantId);
    const runs = await allRecords(tables, runTable, {
      equal: { tenantId },
      from,
      index: 'newest',
      to,
    });
    return {
      alertsCreated: runs.reduce((sum, { counts }) => sum + counts.found, 0),
      coveredPct: last === undefined ? null : behind === undefined ? 100 : 0,
      customers: last?.counts.customers ?? null,
      lagS: behind === undefined ? 0 : Math.max(0, Math.floor((clock.now() - behind) / 1_000)),
    };
  };
};

/** Versions in force that a run of the tenant would pin: his policy leaves some lists out. */
async function wantedLists(process: SliceProcess, tenantId: TenantId) {
  const { storage, tenants } = process;
  const { sourcesOff = [] } = (await policiesInForceOf(process).of(tenantId)).settings;
  const isSandbox = (await tenants.find(tenantId))?.kind === 'sandbox';
  const sources = await listStore(storage.tables).listSources();
  return sources.flatMap(({ active, sourceId: source }) => {
    const isWanted = isSourceSeen(source, isSandbox) && !sourcesOff.includes(source);
    if (active === undefined || !isWanted) return [];
    return [{ list_version: active.listVersion, published_at: active.publishedAt, source }];
  });
}

/** The last run of all customers that has ended. */
async function lastWalk(tables: Tables, tenantId: TenantId): Promise<RescreeningRun | undefined> {
  const { records } = await tables.page(runTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'newest',
    limit: RUNS_LOOKED,
  });
  return records.find(({ lane, status }) => lane === 'lists' && status === 'completed');
}
