/** What registries have said for the cases of a customer. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import { casePartsOf } from '#slices/customers';
import {
  type EraseLookupsPorts,
  erasureOfLookups,
  lookupsOf,
  openAnswer,
  registryLookupTable,
} from '#slices/registries';
import type { SliceProcess } from '../../processes.ts';
import { lookupPortsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      return erasureOfLookups(portsOf(process));
    },
    async *files(subject) {
      const ports = portsOf(process);
      for (const lookup of await lookupsOf(ports, subject)) {
        const answer = await openAnswer(ports.lookups, lookup);
        if (answer === undefined) continue;
        const { answeredAt, asOf, lookupId, match, registry } = lookup;
        yield {
          content: {
            answered_at: toTimestamp(answeredAt),
            as_of: toTimestamp(asOf),
            // Candidates are other companies: data of others is not theirs (customers.md 5.2).
            company: answer.company,
            match,
            registry,
          },
          name: `registries/${lookupId}.json`,
        };
      }
    },
    store: registryLookupTable.name,
  },
];

const portsOf = (process: SliceProcess): EraseLookupsPorts => ({
  cases: casePartsOf(process),
  lookups: lookupPortsOf(process),
});
