/** What payments are erased with, built from the installation of a process. */
import type { ErasePaymentsPorts } from '#slices/monitoring';
import type { SliceProcess } from '../../processes.ts';

export const erasePortsOf = (process: SliceProcess): ErasePaymentsPorts => {
  const { clock, commit, dataKeys, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return { audit, clock, commit, dataKeys, keyRing, random, tables };
};
