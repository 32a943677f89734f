/** The engine's builders of indexes, as imports of lists need them. */
import { buildOverlay, buildSnapshotAside, inspectIndex, isLaterFormat } from '#engine';
import type { IndexTools } from '#slices/ingestion';

export const INDEX_TOOLS: IndexTools = {
  buildOverlay,
  buildSnapshot: buildSnapshotAside,
  inspectSnapshot: inspectIndex,
  isLaterFormat,
};

export const indexTools = async (): Promise<IndexTools> => INDEX_TOOLS;
