/**
 * What alerts hold of a person: nothing of their own, for they name their evidence. Nobody is given
 * any (customers.md 5.2); one that is open holds up his erasure.
 */
import type { Holding } from '#core/privacy';
import { alertTable, isAlertOpenAbout } from '#slices/alerts';
import type { SliceProcess } from '../../processes.ts';
import { customersOfPayments } from '../asks.ts';
import { alertPartsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    async *files() {
      // Neither alerts nor notes about suspicion are given.
    },
    holds: (subject) =>
      isAlertOpenAbout(
        { ...alertPartsOf(process), customersOfPayments: process.ask(customersOfPayments) },
        subject,
      ),
    store: alertTable.name,
  },
];
