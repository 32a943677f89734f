/**
 * Jobs that run now and then, one worker at a time: BullMQ on Redis. An entry of the queue only
 * wakes a worker up; what there is to do stands in the store, so a lost Redis loses no work.
 * Schedules are looked for every half a minute and written where they are missing, since a new
 * Redis knows none.
 *
 * A killed worker's job is taken over by another one within about 20 s: a lock of 15 s, looked
 * after every 5 s. It may be taken over often before it counts as failed, since kills are not its
 * fault.
 */
import { type ConnectionOptions, type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';

const QUEUE_NAME = 'jobs';
const LOCK_MS = 15_000;
const STALLED_LOOK_MS = 5_000;
const STALLED_COUNT_MAX = 10;
/** How soon a Redis that lost everything has its schedules again. */
const LOOK_EVERY_MS = 30_000;
const KEPT_JOBS = { count: 100 };

export interface ScheduledJob {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<Readonly<Record<string, number>>>;
}

export interface JobQueue {
  /** Lets the current job finish. */
  close(): Promise<void>;
}

export function startJobs(options: {
  readonly connection: RedisOptions;
  readonly jobs: readonly ScheduledJob[];
  readonly clock: Clock;
  readonly log: Log;
  readonly lookEveryMs?: number;
  /** Jobs of former releases: their schedules are taken away, and their entries do nothing. */
  readonly retired?: readonly string[];
}): JobQueue {
  const { jobs, log } = options;
  // One class of options; its own declaration calls absent members undefined.
  const connection = options.connection as ConnectionOptions;
  const queue = new Queue(QUEUE_NAME, { connection });
  const worker = new Worker(QUEUE_NAME, (job) => runJob(job, options), {
    concurrency: 1,
    connection,
    lockDuration: LOCK_MS,
    maxStalledCount: STALLED_COUNT_MAX,
    removeOnComplete: KEPT_JOBS,
    removeOnFail: KEPT_JOBS,
    stalledInterval: STALLED_LOOK_MS,
  });
  let isClosing = false;
  const schedule = async (): Promise<void> => {
    for (const name of options.retired ?? []) await queue.removeJobScheduler(name);
    for (const { name, everyMs } of jobs) {
      // Written over, a schedule would start anew and run its job at once.
      if ((await queue.getJobScheduler(name))?.every === everyMs) continue;
      await queue.upsertJobScheduler(name, { every: everyMs }, { name });
    }
  };
  const look = (): void => {
    schedule().catch((error) => {
      if (!isClosing) log.warn({ error }, 'jobs are not scheduled yet');
    });
  };
  look();
  const looking = setInterval(look, options.lookEveryMs ?? LOOK_EVERY_MS);
  worker.on('failed', (job, error) => log.error({ error, job: job?.name }, 'a job failed'));
  // Both report every lost connection, and come back by themselves.
  worker.on('error', (error) => log.debug({ error }, 'job worker'));
  queue.on('error', (error) => log.debug({ error }, 'job queue'));
  return {
    close: async () => {
      isClosing = true;
      clearInterval(looking);
      await worker.close();
      await queue.close();
    },
  };
}

async function runJob(
  job: Job,
  { jobs, clock, log, retired }: Parameters<typeof startJobs>[0],
): Promise<void> {
  if (retired?.includes(job.name)) return;
  const scheduled = jobs.find(({ name }) => name === job.name);
  // An older or newer version's schedule in the same Redis: not ours to run.
  if (scheduled === undefined) throw new UnrecoverableError(`unknown job ${job.name}`);
  const since = clock.monotonicMs();
  try {
    const counts = await scheduled.run();
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const ms = Math.round(clock.monotonicMs() - since);
    // Most looks find nothing to do.
    log[count === 0 ? 'debug' : 'info']({ count, duration_ms: ms, job: job.name }, 'job done');
  } catch (error) {
    // A retry cannot mend a domain failure; any other is transient, and comes again by schedule.
    if (error instanceof DomainError) throw new UnrecoverableError(error.code);
    throw error;
  }
}
