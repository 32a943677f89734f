/**
 * What alerts hold of a person: what people wrote of them. Nobody is given any (customers.md 5.2);
 * one that is open holds up his erasure.
 */
import type { Holding } from '#core/privacy';
import { alertTable, erasureOfTexts, OpenAlerts } from '#slices/alerts';
import type { SliceProcess } from '../../processes.ts';
import { customersOfPayments, ruleKeysOfCustomer } from '../asks.ts';
import { alertPartsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    erasure: erasureOfTexts({
      ...alertPartsOf(process),
      about: process.once(openAlerts),
      audit: process.storage.audit,
      customersOfPayments: process.ask(customersOfPayments),
    }),
    async *files() {
      // Neither alerts nor notes about suspicion are given.
    },
    holds: (subject) => process.once(openAlerts).isOpenAbout(subject),
    store: alertTable.name,
  },
];

const openAlerts = (process: SliceProcess): OpenAlerts =>
  new OpenAlerts({
    ...alertPartsOf(process),
    customersOfPayments: process.ask(customersOfPayments),
    ruleKeysOfCustomer: process.ask(ruleKeysOfCustomer),
  });
