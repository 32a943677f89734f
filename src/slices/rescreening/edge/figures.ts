/** Figures of known customers, for `GET /v1/sanctions/kpis`. */
import { allRecords, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { isSourceSeen } from '#slices/ingestion';
import { listStore } from '#slices/lists';
import { coverageTable, type RescreeningRun, runTable } from '#slices/rescreening';
import type { RescreeningFigures } from '#slices/sanctions';
import type { SliceProcess } from '../../processes.ts';

/** Runs that are looked at for the last whole walk. */
const RUNS_LOOKED = 200;

export const rescreeningFigures = ({ clock, storage, tenants }: SliceProcess) => {
  const { tables } = storage;
  return async (ask: {
    readonly tenantId: TenantId;
    readonly from: EpochMs;
    readonly to: EpochMs;
  }): Promise<RescreeningFigures | undefined> => {
    const { from, tenantId, to } = ask;
    const coverage = await tables.find(coverageTable, { register: 'subjects', tenantId });
    if (coverage === undefined) return undefined;
    const isSandbox = (await tenants.find(tenantId))?.kind === 'sandbox';
    const missing = await publishedSince(tables, coverage.lists, isSandbox);
    const last = await lastWalk(tables, tenantId);
    const runs = await allRecords(tables, runTable, {
      equal: { tenantId },
      from,
      index: 'newest',
      to,
    });
    return {
      alertsCreated: runs.reduce((sum, { counts }) => sum + counts.found, 0),
      coveredPct: last === undefined ? null : missing === undefined ? 100 : 0,
      customers: last?.counts.customers ?? null,
      lagS: missing === undefined ? 0 : Math.max(0, Math.floor((clock.now() - missing) / 1_000)),
    };
  };
};

/** When the oldest version in force came that the customers are not compared with. */
async function publishedSince(
  tables: Tables,
  covered: readonly { readonly source: string; readonly list_version: string }[],
  isSandbox: boolean,
): Promise<EpochMs | undefined> {
  const sources = await listStore(tables).listSources();
  const missing = sources.flatMap(({ active, sourceId }) => {
    if (active === undefined || !isSourceSeen(sourceId, isSandbox)) return [];
    const isCovered = covered.some(
      ({ list_version, source }) => source === sourceId && list_version === active.listVersion,
    );
    return isCovered ? [] : [active.publishedAt];
  });
  return missing.length === 0 ? undefined : (Math.min(...missing) as EpochMs);
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
