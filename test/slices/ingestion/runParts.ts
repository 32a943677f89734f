/** What runs of lists need: an installation, and what stands beside the slices in the product. */
import type { ImportPorts } from '#slices/ingestion';
import { carryResolution, resolutionStore } from '#slices/resolution';
import { INDEX_TOOLS } from '../../../src/app/adapters/indexTools.ts';
import { openListSources } from '../../../src/app/adapters/listSources.ts';
import * as edge from '../../../src/slices/ingestion/edge/runParts.ts';
import type { Installation } from '../../../src/slices/processes.ts';

export type RunParts = edge.RunParts & { close(): Promise<void> };

const besideOf = ({ blobs, storage }: Installation): Parameters<typeof edge.importPorts>[1] => ({
  carryOver: (of) => carryResolution({ blobs, lists: resolutionStore(storage.tables) }, of),
  tools: INDEX_TOOLS,
});

export const importPorts = (installation: Installation): ImportPorts =>
  edge.importPorts(installation, besideOf(installation));

export function openRuns(installation: Installation): RunParts {
  const sources = openListSources(installation);
  const parts = edge.runParts(installation, { ...besideOf(installation), sources });
  return { ...parts, close: () => sources.fetcher.close() };
}
