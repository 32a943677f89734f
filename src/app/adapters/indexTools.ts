/**
 * The engine's builders of indexes, as imports of lists need them. The engine comes with the first
 * index: many workers never see one, and its tables are 18 MB.
 */
import type { IndexTools } from '#slices/ingestion';

const engine = () => import('#engine');

export const INDEX_TOOLS: IndexTools = {
  buildOverlay: async (of) => (await engine()).buildOverlay(of),
  buildSnapshot: async (batches) => (await engine()).buildSnapshotAside(batches),
  inspectSnapshot: async (...index) => (await engine()).inspectIndex(...index),
  isLaterFormat: async (bytes) => (await engine()).isLaterFormat(bytes),
};

export const indexTools = async (): Promise<IndexTools> => INDEX_TOOLS;
