/** Threads that screen chunks, over the indexes of one shelf. */
import { IndexShelf, type LoadedIndex, type SharedIndexes } from '#engine';
import type { ChunkEngine } from '#slices/batches';
import { ChunkPool } from './chunkPool.ts';

/** Screenings on the same machine come first; the process itself is niced already. */
const CHUNK_NICE_INCREMENT = 9;

export async function chunkEngine(of: { readonly threads: number }): Promise<ChunkEngine> {
  const shelf = new IndexShelf({ onUnused: () => threads.forget(), slots: of.threads });
  const threads = new ChunkPool<LoadedIndex, SharedIndexes['inUse'][number]>({
    niceIncrement: CHUNK_NICE_INCREMENT,
    shelf,
    threads: of.threads,
    threadUrl: new URL('./chunkThread.ts', import.meta.url),
  });
  return {
    allocate: (bytes) => shelf.allocate(bytes),
    close: () => threads.close(),
    // Only indexes of this shelf come back to it.
    loadInSteps: (base, overlay) =>
      shelf.loadInSteps(base as SharedArrayBuffer | LoadedIndex, overlay),
    threads,
  };
}
