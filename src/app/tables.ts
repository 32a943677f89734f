/** Every table that a slice declares: what the store of an installation is opened with. */
import type { AnyTable } from '#core/kernel';
import type { Slice } from '../slices/slice.ts';
import { SLICES } from './slices.ts';

const slices: readonly Slice[] = SLICES;

/** In the order of the slices. */
export const TABLES: readonly AnyTable[] = slices.flatMap(({ tables }) =>
  Object.values(tables ?? {}),
);
