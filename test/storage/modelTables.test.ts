/** The model keeps the contract that it measures the stores by. */
import { tablesContract } from './contract/tables.ts';
import type { OpenTables } from './contract/twins.ts';
import { createModelTables } from './modelTables.ts';

const openModel: OpenTables = async (tables) => {
  const model = createModelTables(tables);
  const counts = new Map<string, number>();
  return {
    dispose: async () => {},
    open: async () => ({
      append: async (chainId, changes, count = 1) => {
        const stale = model.apply(chainId, changes);
        if (stale === undefined) counts.set(chainId, (counts.get(chainId) ?? 0) + count);
        return stale ?? 'appended';
      },
      close: async () => {},
      eventCount: async (chainId) => counts.get(chainId) ?? 0,
      tables: model.tables,
    }),
  };
};

tablesContract('model', openModel, { runs: 100 });
