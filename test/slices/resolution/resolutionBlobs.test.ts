/** What retention must not sweep. */
import { expect, test } from 'vitest';
import { type ResolutionPointer, resolutionBlobs } from '#slices/resolution';

test('every resolution ever in force is named, page after page', async () => {
  const all = [3, 2, 1].map(
    (version): ResolutionPointer => ({ blob: `b${version}`, lists: [], version }),
  );
  const listResolutions = async ({ before = Infinity }: { before?: number }) =>
    all.filter(({ version }) => version < before).slice(0, 2);
  const named: string[] = [];
  for await (const blob of resolutionBlobs({ listResolutions })) named.push(blob);
  expect(named).toEqual(['b3', 'b2', 'b1']);
});
