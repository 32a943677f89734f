/**
 * What a worker begins with, over a new store in the folder that it is given, without Redis: the
 * work of all slices and their reactions, of which none finds anything to do. It is then stopped.
 */
import { createMetrics } from '#platform/metrics';
import { openProcess } from '../../../src/app/process.ts';
import { loadJobs } from '../../../src/app/worker/jobs.ts';
import { openReactions } from '../../../src/app/worker/reactions.ts';
import type { WorkerProcess } from '../../../src/slices/processes.ts';
import { openAt } from '../../slices/ingestion/listPublisher.ts';
import { freeLimiter, quietLog } from '../../workers/quietWorker.ts';

const [, , folder = ''] = process.argv;
const installation = await openAt(folder, 'worker');
const own = openProcess<WorkerProcess>(installation, {
  limiter: freeLimiter,
  log: quietLog,
  metrics: createMetrics({ processFigures: false }),
});
const parts = await loadJobs();
await openReactions(own.process, parts);
const works = [];
for (const { part } of parts) works.push(await part.start?.(own.process));
for (const work of works) await work?.stop();
await own.close();
await installation.close();
process.exit(0);
