/** Answers of resolution to questions of the slices on its left. */
import type { CarryOver } from '#slices/ingestion';
import { carryResolution, resolutionStore, signedResolutionStore } from '#slices/resolution';
import type { SliceProcess } from '../../processes.ts';

export const carryOver = ({ blobs, keyRing, storage }: SliceProcess): CarryOver => {
  const ports = { audit: storage.audit, keyRing };
  const lists = signedResolutionStore(resolutionStore(storage.tables), ports);
  return (of) => carryResolution({ blobs, lists }, of);
};
