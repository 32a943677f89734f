/** What rules hold of a person: accounts of payments in windows, which nobody is given. */
import type { Holding } from '#core/privacy';
import { erasureOfWindows, rulePositionTable } from '#slices/rules';
import type { SliceProcess } from '../../processes.ts';
import { rulePartsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    erasure: erasureOfWindows(rulePartsOf(process)),
    async *files() {
      // Results of monitoring are given to nobody (customers.md 5.2).
    },
    store: rulePositionTable.name,
  },
];
