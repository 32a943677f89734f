/** Resolutions as the slices read them, over tables of whichever store. */
import type { Tables } from '#core/kernel';
import { type ListStore, listStore } from '#slices/lists';
import type { ResolutionStore } from './ports.ts';
import { resolutionTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit. */
export function resolutionStore(tables: Pick<Tables, 'page'>): ResolutionStore {
  return {
    async findResolution() {
      const latest = { direction: 'descending', index: 'key', limit: 1 } as const;
      return (await tables.page(resolutionTable, latest)).records[0];
    },
  };
}

/** Lists and their resolutions over the same tables, for slices that read both. */
export const resolvedListStore = (
  tables: Pick<Tables, 'find' | 'page' | 'stamp'>,
): ListStore & ResolutionStore => ({ ...listStore(tables), ...resolutionStore(tables) });
