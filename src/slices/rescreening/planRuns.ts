/**
 * Which runs begin: one where the lists in force are others than those with which the customers of
 * a tenant were compared, from there to there, so that changes that come together are one run; one
 * for new and changed customers; and each week one that screens everybody whole, to be compared.
 */
import { entry, StaleChange } from '#core/audit';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { allTogether, type PerTenant } from '#core/work';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import type { PinnedList } from '#slices/batches';
import { tellLateness } from './lateness.ts';
import type { PinnedRun, RescreeningPorts } from './ports.ts';
import { coverageRefusal, runDigest } from './signedRuns.ts';
import {
  type Coverage,
  coverageTable,
  monitoredTable,
  type RescreeningRun,
  type RunMode,
  runTable,
} from './tables.ts';

/** A full pass is compared with what was found since the one before it. */
export const COMPARED_EVERY_MS = 7 * 24 * 3_600_000;
const NOTHING = {
  chunks: 0,
  customers: 0,
  differences: 0,
  found: 0,
  gone: 0,
  screened: 0,
} as const;

/** Begins what is due for every tenant with customers; answers how many runs. */
export async function planRuns(
  ports: RescreeningPorts,
  signal?: AbortSignal,
  perTenant: PerTenant = allTogether,
): Promise<number> {
  let count = 0;
  const all = everyRecord(ports.tables, coverageTable, { index: 'key' });
  for await (const coverage of all) {
    signal?.throwIfAborted();
    count += (await perTenant(coverage.tenantId, () => planOf(ports, coverage))) ?? 0;
  }
  return count;
}

/** Begins what is due for one tenant. */
export async function planOf(ports: RescreeningPorts, coverage: Coverage): Promise<number> {
  const { tenantId } = coverage;
  const pinned = await ports.pin(tenantId);
  if (!pinned.isWanted) {
    // A run that is not wanted is late for no customer.
    ports.figures?.planned(tenantId, undefined);
    return 0;
  }
  let count = 0;
  for (const { equal, index, lane } of DUE) {
    const ask = { equal: { ...equal, tenantId }, index, limit: 1 };
    if ((await ports.tables.page(monitoredTable, ask)).records.length === 0) continue;
    count += await begin(ports, { coverage, lane, mode: 'new', pinned });
  }
  const refusal = await refusalOf(ports, coverage);
  const mode = refusal === undefined ? dueMode(coverage, pinned, ports.clock.now()) : 'full';
  if (mode !== undefined) {
    count += await begin(ports, { coverage, lane: 'lists', mode, pinned, refusal });
  }
  await tellLateness(ports, { coverage, pinned });
  return count;
}

/** Coverage that no entry made is not believed: everybody is screened whole. */
function refusalOf(ports: RescreeningPorts, { tenantId }: Coverage): Promise<string | undefined> {
  return ports.entries.settled(tenantId, async () => {
    const coverage = await findCoverage(ports, tenantId);
    const found = coverage && (await coverageRefusal(ports.entries, coverage));
    return { found, isRefused: found !== undefined };
  });
}

/** Customers who are to be screened by themselves, and the runs that do it. */
const DUE = [
  { equal: { isDue: true }, index: 'due', lane: 'new' },
  { equal: { isDueLater: true }, index: 'dueLater', lane: 'bulk' },
] as const;

/** Begins what is due for a tenant whose customers or runs have changed. */
export async function planFor(ports: RescreeningPorts, tenantId: TenantId): Promise<number> {
  const coverage = await findCoverage(ports, tenantId);
  return coverage === undefined ? 0 : planOf(ports, coverage);
}

function dueMode(
  { comparedAt, coveredAt, listVersion, policyDigest }: Coverage,
  pinned: PinnedRun,
  now: EpochMs,
): RunMode | undefined {
  // Before the first run each customer is new, and screened whole by himself.
  if (coveredAt === undefined) return 'delta';
  if (policyDigest !== policyDigestOf(pinned)) return 'full';
  if (listVersion !== pinned.listVersion) return 'delta';
  return now - (comparedAt ?? coveredAt) >= COMPARED_EVERY_MS ? 'full' : undefined;
}

/** SHA-256 hex over all that decides a screening beside the lists. */
export const policyDigestOf = ({ settings }: Pick<PinnedRun, 'settings'>): string =>
  sha256Hex(`rescreening-policy-v1\0${canonicalJson(settings)}`);

interface Begin {
  readonly coverage: Coverage;
  readonly lane: RescreeningRun['lane'];
  readonly mode: RunMode;
  readonly pinned: PinnedRun;
  /** Why what the register says of the last run is not believed. */
  readonly refusal?: string | undefined;
}

async function begin(ports: RescreeningPorts, of: Begin): Promise<number> {
  const { coverage, lane, mode, pinned, refusal } = of;
  const { tenantId } = coverage;
  const open = await ports.tables.findUnique(runTable, 'standing', {
    isOpen: true,
    lane,
    tenantId,
  });
  if (open !== undefined) return 0;
  const now = ports.clock.now();
  const listsPinned = pinned.listsPinned.map((list) => ({
    ...list,
    ...(mode === 'delta' && sinceOf(coverage, list)),
  }));
  const run: RescreeningRun = {
    counts: NOTHING,
    isCompared:
      mode === 'full' && refusal === undefined && coverage.policyDigest === policyDigestOf(pinned),
    lane,
    listsPinned,
    listVersion: pinned.listVersion,
    ...(pinned.listVersionV && { listVersionV: pinned.listVersionV }),
    mode,
    ...(pinned.resolution !== undefined && { resolution: pinned.resolution }),
    runId: uuidV7(now, ports.random),
    sandbox: pinned.sandbox,
    settings: pinned.settings,
    startedAt: now,
    status: 'running',
    tenantId,
    version: 1,
  };
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [runTable.insert(run)],
      events: [
        entry(ports, {
          action: 'SANCTIONS_RESCREENING_STARTED',
          actor: 'system:rescreening',
          at: now,
          members: {
            ...runMembers(run),
            lists: canonicalJson(listsPinned),
            policy_digest: policyDigestOf(run),
            run_digest: runDigest(run),
            ...(refusal !== undefined && { refused: refusal }),
          },
          ...(refusal !== undefined && { severity: 'ALERT' }),
          target: `rescreening:${run.runId}`,
        }),
      ],
    });
    return 1;
  } catch (error) {
    // Another worker was faster.
    if (error instanceof StaleChange) return 0;
    throw error;
  }
}

/** What every entry of a run says of it. */
export const runMembers = ({ listVersion, mode, runId }: RescreeningRun) => ({
  list_version: listVersion,
  mode,
  run_id: runId,
});

/** The version of a list with which the customers were compared; a list that is new has none. */
function sinceOf({ lists }: Coverage, { source }: PinnedList): Pick<PinnedList, 'since'> | object {
  const known = lists.find((one) => one.source === source);
  if (known === undefined) return {};
  const { content_digest, list_digest, list_version } = known;
  return { since: { content_digest, list_digest, list_version } };
}

/** Where a tenant's customers stand; undefined where none was ever watched. */
export const findCoverage = (
  { tables }: { readonly tables: Pick<Tables, 'find'> },
  tenantId: TenantId,
): Promise<Coverage | undefined> => tables.find(coverageTable, { register: 'subjects', tenantId });
