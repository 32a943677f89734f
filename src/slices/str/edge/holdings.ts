/** What reports hold of a person: never given, never told; one that is kept keeps all of him. */
import type { Holding } from '#core/privacy';
import { isReportAbout, strReportTable } from '#slices/str';
import type { SliceProcess } from '../../processes.ts';
import { deskOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    async *files() {
      // A person is never told of a report (AMLR 73).
    },
    holds: (subject) => isReportAbout(deskOf(process), subject),
    store: strReportTable.name,
  },
];
