/**
 * What alerts hold of a person: nothing of their own, for they name their evidence. Nobody is given
 * any (customers.md 5.2); one that is open holds up his erasure.
 */
import type { Holding } from '#core/privacy';
import { alertTable, causePartsOf, isAlertOpenAbout } from '#slices/alerts';
import type { SliceProcess } from '../../processes.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    async *files() {
      // Neither alerts nor notes about suspicion are given.
    },
    holds: (subject) => isAlertOpenAbout(causePartsOf(process), subject),
    store: alertTable.name,
  },
];
