/** What all slices hold of persons, in the order of the slices. Loaded by the first who asks. */
import type { Holding } from '#core/privacy';
import type { SliceProcess } from '../slices/processes.ts';
import type { Slice } from '../slices/slice.ts';
import { SLICES } from './slices.ts';

export async function loadHoldings(process: SliceProcess): Promise<readonly Holding[]> {
  const slices: readonly Slice[] = SLICES;
  const parts = await Promise.all(slices.flatMap(({ holdings }) => holdings?.() ?? []));
  return parts.flatMap(({ holdings }) => holdings(process));
}
