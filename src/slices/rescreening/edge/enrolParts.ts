/** The parts for taking subjects of batches into the register, in a worker. */
import { batchStore, signedResults } from '#slices/batches';
import { type EnrolPorts, signedEntries } from '#slices/rescreening';
import type { WorkerProcess } from '../../processes.ts';

/** One for the process. */
export function enrolPartsOf(process: WorkerProcess): EnrolPorts {
  const { blobs, clock, commit, dataKeys, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    batches: batchStore(tables),
    clock,
    commit,
    entries: signedEntries({ audit, keyRing }),
    random,
    results: signedResults({ audit, blobs, dataKeys, keyRing }),
    tables,
  };
}
