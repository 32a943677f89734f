/** What a worker's batches need, as the product opens it over an installation. */
import { createMetrics } from '#platform/metrics';
import { type OpenProcess, openProcess } from '../../../src/app/process.ts';
import { workPartsOf } from '../../../src/slices/batches/edge/workParts.ts';
import type { Installation, WorkerProcess } from '../../../src/slices/processes.ts';
import { freeLimiter, quietLog } from '../../workers/quietWorker.ts';

export interface BatchParts {
  readonly ports: ReturnType<typeof workPartsOf>;
  close(): Promise<void>;
}

export async function openBatches(installation: Installation): Promise<BatchParts> {
  const { close, process }: OpenProcess<WorkerProcess> = openProcess(installation, {
    limiter: freeLimiter,
    log: quietLog,
    metrics: createMetrics({ processFigures: false }),
  });
  return { close, ports: workPartsOf(process) };
}
