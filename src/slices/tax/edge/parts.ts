/** The ports of tax reporting, built from the installation of a process; one for each. */
import { signedClassifications, signedReporting, type TaxPorts } from '#slices/tax';
import type { SliceProcess } from '../../processes.ts';

export const taxPortsOf = (process: SliceProcess): TaxPorts => process.once(openPorts);

function openPorts(process: SliceProcess): TaxPorts {
  const { blobs, clock, commit, dataKeys, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  const chain = { audit, clock, keyRing, tables };
  return {
    ...signedReporting(chain),
    blobs,
    clock,
    commit,
    dataKeys,
    random,
    signed: signedClassifications(chain),
    tables,
  };
}
