/** The ports of tax reporting, built from the installation of a process; one for each. */
import { type FilingPorts, openWay, signedClassifications, signedReporting } from '#slices/tax';
import type { SliceProcess } from '../../processes.ts';

export const taxPortsOf = (process: SliceProcess): FilingPorts => process.once(openPorts);

function openPorts(process: SliceProcess): FilingPorts {
  const { blobs, clock, commit, dataKeys, keyRing, random, secrets, storage } = process;
  const { audit, tables } = storage;
  const chain = { audit, clock, keyRing, tables };
  return {
    ...signedReporting(chain),
    blobs,
    clock,
    commit,
    dataKeys,
    openWay,
    random,
    secrets,
    signed: signedClassifications(chain),
    tables,
  };
}
