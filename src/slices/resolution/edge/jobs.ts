/**
 * The work of resolution in a worker: it follows publications, and names the blobs that it keeps.
 */
import { resolutionBlobs } from '#slices/resolution';
import type { WorkerProcess } from '../../processes.ts';

export { subscribers } from './reactions.ts';

export const namedBlobs = ({ storage }: WorkerProcess): AsyncIterable<string> =>
  resolutionBlobs(storage.lists);
