/** What erasing subjects needs, of the command line or of who repeats it after a restore. */
import { Erasures } from '#core/audit';
import { batchStore, type EraseSubjectsPorts, signedResults } from '#slices/batches';
import type { SliceProcess } from '../../processes.ts';

export function erasurePortsOf(installation: SliceProcess): EraseSubjectsPorts {
  const { storage } = installation;
  const ports = { ...installation, audit: storage.audit };
  return {
    ...installation,
    batches: batchStore(storage.tables),
    erasures: new Erasures(ports),
    results: signedResults(ports),
    store: storage.audit,
  };
}
