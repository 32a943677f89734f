/** Blobs that resolutions name. Events name them too, so every one is kept. */
import type { ResolutionStore } from './ports.ts';

const PAGE_RESOLUTIONS = 1_000;

export async function* resolutionBlobs(
  store: Pick<ResolutionStore, 'listResolutions'>,
): AsyncGenerator<string> {
  let before: number | undefined;
  for (;;) {
    const ask = { limit: PAGE_RESOLUTIONS, ...(before !== undefined && { before }) };
    const page = await store.listResolutions(ask);
    for (const { blob } of page) yield blob;
    before = page.at(-1)?.version;
    if (before === undefined) return;
  }
}
