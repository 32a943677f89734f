/**
 * Replays in a worker. Each set of lists is loaded once and shared by the replays that need it, in
 * an engine of their own that gives way to the others; both go when there is nothing to repeat.
 */
import { signedEvents } from '#core/audit';
import { createFreshCache } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import {
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type RetryPlan,
  Room,
  startWorkLoop,
  type WorkLoop,
} from '#core/work';
import { PinnedLists } from '#slices/batches';
import { exclusionsInForce, signedExclusionsOf } from '#slices/exclusions';
import { indexTools } from '#slices/ingestion';
import { listStore, signedVersions } from '#slices/lists';
import {
  giveReplayUp,
  type ReplayWorkPorts,
  replayTable,
  type ScreeningReplay,
  workOnReplay,
} from '#slices/sanctions';
import { type EngineIndex, type ExclusionsInForce, screeningEngine } from '#slices/screening';
import type { WorkerProcess } from '../../processes.ts';

const POLL_MS = 1_000;
const AT_ONCE = 16;
const LANES_MAX = 200;
const QUEUE_MAX = 64;
/** Sets of exclusions that are kept, and for how many milliseconds: as long as unused indexes. */
const SETS_KEPT = { ageMsMax: 60_000, entriesMax: 16 };
const TIMES = { leaseMs: 20_000, renewMs: 5_000 };
const TRANSIENT: ReadonlySet<string> = new Set(['engine-queue-full', 'store-unavailable']);
const PLAN: RetryPlan = {
  kindOf: (code) => (TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, 1_000, 10_000],
  triesMax: 4,
};

/** What may make a difference: normal forms and case folding come with it. */
const RUNTIME = {
  arch: process.arch,
  node: process.versions.node,
  unicode: process.versions.unicode ?? '',
};

type Ports = ReplayWorkPorts<EngineIndex>;

export function startReplays(process: WorkerProcess): WorkLoop {
  const { clock, holder, log, storage } = process;
  const { tables } = storage;
  const parts = () => process.once(openReplays);
  const kind: LeasedWork<ScreeningReplay, 'replayId' | 'tenantId'> = {
    atOnce: AT_ONCE,
    codeOf: (error) => (error instanceof DomainError ? error.code : 'internal'),
    fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
    giveUp: async (hold) => giveReplayUp(await parts(), hold),
    plan: PLAN,
    table: replayTable,
    times: TIMES,
    what: 'a replay',
    work: async (hold) => workOnReplay(await parts(), hold),
  };
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(kind, { clock, holder, isGone, log, room: new Room(), tables });
  return startWorkLoop({
    look: async () => {
      const lanes = await tables.lanes(replayTable, { limit: LANES_MAX, now: clock.now() });
      runner.offer(
        lanes.map((lane) => {
          const tenantId = lane[0] as TenantId;
          return { lane, name: tenantId, tenantId };
        }),
      );
    },
    onFailure: (error) => log.warn({ error }, 'replays wait for the store'),
    pollMs: POLL_MS,
    runners: [runner],
  });
}

/** One for the process, made by the first replay. */
async function openReplays(process: WorkerProcess): Promise<Ports> {
  const { blobs, clock, commit, dataKeys, keyRing, log, random, signer, storage } = process;
  const { audit, tables } = storage;
  const evidence = { audit, keyRing };
  const ask = { queueMax: QUEUE_MAX, threads: 1, threadsRest: true };
  const engine = await process.need(screeningEngine)(ask);
  const { buildSnapshot } = await process.need(indexTools)();
  const lists = new PinnedLists<EngineIndex>({
    allocate: (bytes) => engine.allocate(bytes),
    blobs,
    buildSnapshot,
    lists: listStore(tables),
    load: (base, overlay) => engine.loadInSteps(base, overlay),
    signed: signedVersions(evidence),
    signer,
  });
  process.onClose(async () => {
    lists.close();
    await engine.close();
  });
  return {
    audit,
    clock,
    commit,
    engine,
    events: signedEvents(evidence),
    exclusions: readOnce(
      process,
      exclusionsInForce({
        clock,
        dataKeys,
        onRefused: (tenantId, { length: count }) =>
          log.error({ count, tenant_id: tenantId }, 'exclusions that nobody signed: see doctor'),
        signed: signedExclusionsOf(process),
        tables,
      }),
    ),
    lists,
    random,
    runtime: RUNTIME,
    tables,
  };
}

/** Screenings of one time pin the same set, whose digest says that it is what it was. */
function readOnce({ clock }: WorkerProcess, inForce: ExclusionsInForce): ExclusionsInForce {
  const sets = createFreshCache({
    ...SETS_KEPT,
    clock,
    load: (name) => {
      const [tenantId = '', digest = ''] = name.split(' ');
      return inForce({ digest, tenantId: tenantId as TenantId });
    },
  });
  return async ({ digest, tenantId }) =>
    digest === undefined ? inForce({ tenantId }) : sets.get(`${tenantId} ${digest}`);
}
