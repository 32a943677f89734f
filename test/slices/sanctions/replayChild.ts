/**
 * A worker that repeats screenings of the store in the folder that it is given, in whatever Node it
 * runs by. Tells its parent once it works, and ends with it.
 */
import { createMetrics } from '#platform/metrics';
import { openProcess } from '../../../src/app/process.ts';
import type { WorkerProcess } from '../../../src/slices/processes.ts';
import { start } from '../../../src/slices/sanctions/edge/jobs.ts';
import { freeLimiter, quietLog } from '../../workers/quietWorker.ts';
import { openAt } from '../ingestion/listPublisher.ts';

const [, , folder = ''] = process.argv;
const installation = await openAt(folder, 'worker');
const own = openProcess<WorkerProcess>(installation, {
  limiter: freeLimiter,
  log: quietLog,
  metrics: createMetrics({ processFigures: false }),
});
const work = start(own.process);
process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  void (async () => {
    await work.stop();
    await own.close();
    await installation.close();
    process.exit(0);
  })();
});
process.send?.('working');
