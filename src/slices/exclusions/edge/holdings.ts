/** What is decided of a person as a subject: that he is somebody else than a listed party. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import {
  erasureOfExclusions,
  exclusionPartsOf,
  exclusionsOf,
  exclusionTable,
} from '#slices/exclusions';
import type { SliceProcess } from '../../processes.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      return erasureOfExclusions(exclusionPartsOf(process));
    },
    async *files(subject) {
      const terms = { asOf: process.clock.now() };
      const found = await exclusionsOf(exclusionPartsOf(process), subject, terms);
      if (found.length === 0) return;
      // Neither scores nor words of the persons who decided (customers.md 5.2).
      const exclusions = found.map(({ createdAt, expiresAt, reasonCode, source, state }) => ({
        created_at: toTimestamp(createdAt),
        expires_at: toTimestamp(expiresAt),
        list: source,
        reason_code: reasonCode,
        status: state,
      }));
      yield { content: { exclusions }, name: 'exclusions.json' };
    },
    store: exclusionTable.name,
  },
];
