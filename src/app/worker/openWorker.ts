/** The worker: the outbox's way to the bus, checkpoints, and what slices react to and work on. */
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import {
  type CheckpointProblem,
  checkpointCopies,
  registerCheckpointFigures,
  runCheckpoints,
} from '#core/audit';
import { leaveYoungGenerations } from '#platform/heapGrowth';
import type { Log } from '#platform/log';
import { createMetrics, type Metrics } from '#platform/metrics';
import { withinMs } from '#platform/processLife';
import {
  createOutboxRelay,
  createRateLimiter,
  listenToOutbox,
  openRedis,
  type RedisAddress,
  redisOptions,
} from '../../redis/index.ts';
import { listenForWakeUps } from '../../redis/wakeUpQueue.ts';
import type { Installation, RunningWork, WorkerProcess } from '../../slices/processes.ts';
import { startJobs } from '../../workers/jobQueue.ts';
import { registerFigures } from '../figures.ts';
import { type OpenProcess, openProcess } from '../process.ts';
import { type LoadedJobs, loadJobs } from './jobs.ts';
import { openReactions } from './reactions.ts';
import { requirePurposes } from './requirePurposes.ts';

const STOP_MS = 3_000;
/** Jobs of a former release that react to events now: Redis may still hold their schedules. */
const RETIRED_JOBS = ['indexes', 'resolution'];

interface WorkerOptions {
  readonly address: RedisAddress;
  readonly log: Log;
  /** Those that the installation was opened with; absent: some that nobody reads. */
  readonly metrics?: Metrics;
  readonly redis: Redis;
}

/** Parts that end together, at once. */
type Stop = () => Promise<unknown>;

/** Starts what a worker does, until `stop`. */
export async function openWorker(
  installation: Installation,
  options: WorkerOptions,
): Promise<{ stop(): Promise<void> }> {
  const { metrics = createMetrics({ processFigures: false }) } = options;
  leaveYoungGenerations();
  registerFigures(metrics, installation);
  const evidence = startEvidence(installation, { ...options, metrics });
  const parts = await loadJobs();
  const { address, log } = options;
  const onError = (error: unknown): void => log.debug({ error }, 'redis of rate limits');
  const redis = openRedis({ address, name: 'worker-limits', onError, use: 'request' });
  const limiter = createRateLimiter({
    clock: installation.clock,
    onCounterChanged: (counter) => log.warn({ reason: counter }, 'rate limits of this worker'),
    redis,
  });
  const { close, process }: OpenProcess<WorkerProcess> = openProcess(installation, {
    limiter,
    log,
    metrics,
  });
  const reactions = await startReactions(process, { address, parts });
  const works = await startWork(process, parts);
  const queues = startQueues(process, { address, parts, works });
  const stops = [...evidence, reactions, ...queues, ...[...works.values()].map(stopOf)];
  return {
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      redis.disconnect();
      await close();
    },
  };
}

const stopOf =
  (work: RunningWork): Stop =>
  () =>
    withinMs(work.stop(), STOP_MS);

async function startReactions(
  process: WorkerProcess,
  { address, parts }: { readonly address: RedisAddress; readonly parts: readonly LoadedJobs[] },
): Promise<Stop> {
  const isStopping = new AbortController();
  const reactions = await openReactions(process, parts);
  const running = reactions.run(isStopping.signal);
  const commits = listenToOutbox({
    address,
    onFailure: (error) => process.log.debug({ error }, 'words of commits'),
    wake: (topics) => reactions.wake(topics),
  });
  return () => {
    isStopping.abort();
    commits.close();
    return withinMs(running, STOP_MS);
  };
}

/** Schedules, and words of others that there is work. */
function startQueues(
  process: WorkerProcess,
  of: {
    readonly address: RedisAddress;
    readonly parts: readonly LoadedJobs[];
    readonly works: ReadonlyMap<string, RunningWork>;
  },
): readonly Stop[] {
  const { address, parts, works } = of;
  const { clock, log } = process;
  const words = listenForWakeUps({
    connection: redisOptions(address, 'queue', 'wake-ups'),
    onFailure: (error) => log.debug({ error }, 'words to the workers'),
    wake: (slice) => works.get(slice)?.wake?.(),
  });
  const jobs = startJobs({
    clock,
    connection: redisOptions(address, 'queue', 'jobs'),
    jobs: parts.flatMap((one) => requirePurposes(one, one.part.scheduled?.(process) ?? [])),
    log,
    retired: RETIRED_JOBS,
  });
  // Without Redis, closing a queue waits for ever; its state is not ours to save.
  return [() => words.close(), () => withinMs(jobs.close(), STOP_MS)];
}

/** By the names of the slices. */
async function startWork(
  process: WorkerProcess,
  parts: readonly LoadedJobs[],
): Promise<ReadonlyMap<string, RunningWork>> {
  const works = new Map<string, RunningWork>();
  for (const one of parts) {
    const { name, part } = one;
    if (part.start !== undefined) requirePurposes(one, [{ name: 'start' }]);
    const work = await part.start?.(process);
    if (work !== undefined) works.set(name, work);
  }
  return works;
}

/** Loops and no jobs: neither bus events nor checkpoints wait for a queue. */
function startEvidence(
  installation: Installation,
  { log, metrics, redis }: WorkerOptions & { readonly metrics: Metrics },
): readonly Stop[] {
  const { blobs, clock, config, keyRing, signer, storage } = installation;
  const isStopping = new AbortController();
  const relay = createOutboxRelay({
    holder: `worker/${process.pid}/${clock.now()}`,
    onFailure: (error) => log.warn({ error }, 'bus events wait in the outbox'),
    outbox: storage.outbox,
    redis,
  }).run(isStopping.signal);
  const checkpoints = runCheckpoints({
    clock,
    directory: join(config.dataDir, 'checkpoints'),
    keyRing,
    ...(blobs.notes !== undefined && { copies: checkpointCopies(blobs.notes) }),
    onPass: registerCheckpointFigures(metrics),
    onProblem: (problem) => reportCheckpoint(log, problem),
    signer,
    store: storage.audit,
  });
  return [
    () => {
      isStopping.abort();
      return relay;
    },
    () => checkpoints.close(),
  ];
}

function reportCheckpoint(log: Log, { chainId, kind, detail, cause }: CheckpointProblem): void {
  const fields = { code: kind, reason: detail, tenant_id: chainId, error: cause };
  log.error(fields, 'a checkpoint was not written');
}
