/** The work of slices in a worker. */
import type { JobsPart } from '../../slices/processes.ts';
import type { Slice } from '../../slices/slice.ts';
import { SLICES } from '../slices.ts';

export interface LoadedJobs {
  /** The slice's. */
  readonly name: string;
  readonly part: JobsPart;
}

export function loadJobs(): Promise<readonly LoadedJobs[]> {
  const slices: readonly Slice[] = SLICES;
  return Promise.all(
    slices.flatMap(({ jobs, name }) => jobs?.().then((part) => ({ name, part })) ?? []),
  );
}
