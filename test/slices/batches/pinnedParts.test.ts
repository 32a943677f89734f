/** The engine of pinned lists: it starts with the first batch, and again where it could not. */
import { expect, test } from 'vitest';
import { pinnedParts } from '#slices/batches';

test('an engine that could not start is started again by the next batch', async () => {
  let starts = 0;
  const { indexes } = pinnedParts({ storage: {} } as never, () => {
    starts += 1;
    return Promise.reject(new Error(`start ${starts} failed`));
  });
  await expect(indexes.acquire({} as never)).rejects.toThrow('start 1 failed');
  await expect(indexes.acquire({} as never)).rejects.toThrow('start 2 failed');
});
