/** Answers of resolution to questions of the slices on its left. */
import type { CarryOver } from '#slices/ingestion';
import { carryResolution, resolutionStore } from '#slices/resolution';
import type { SliceProcess } from '../../processes.ts';

export const carryOver =
  ({ blobs, storage }: SliceProcess): CarryOver =>
  (of) =>
    carryResolution({ blobs, lists: resolutionStore(storage.tables) }, of);
