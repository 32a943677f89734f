/** Check of the resolution for `doctor`: which entries are one is what was signed last. */
import { resolutionStore, signedResolutionStore } from '#slices/resolution';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkResolution, name: 'resolution' },
];

/** Throws where its record is not what the last signed entry names. */
export async function checkResolution({
  keyRing,
  storage,
}: Pick<CliProcess, 'keyRing' | 'storage'>): Promise<string> {
  const store = resolutionStore(storage.tables);
  const found = await signedResolutionStore(store, { ...storage, keyRing }).findResolution();
  if (found === undefined) return 'no lists are resolved';
  return `version ${found.version}, over ${found.lists.length} lists, is what was signed`;
}
