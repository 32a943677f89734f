/** What risk holds of a client: how they were evaluated, and when. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import { casePartsOf } from '#slices/customers';
import {
  type EraseClientPorts,
  erasureOfClient,
  evaluationsOfClient,
  riskClientTable,
} from '#slices/risk';
import type { SliceProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      return erasureOfClient(portsOf(process));
    },
    async *files(subject) {
      const evaluations: object[] = [];
      for await (const { at, members } of evaluationsOfClient(portsOf(process), subject)) {
        // Scores, weights and factors, among them those of alerts, are not theirs (customers.md 5).
        evaluations.push({ evaluated_at: toTimestamp(at), level: members.level });
      }
      if (evaluations.length > 0) yield { content: { evaluations }, name: 'risk.json' };
    },
    store: riskClientTable.name,
  },
];

const portsOf = (process: SliceProcess): EraseClientPorts => ({
  ...riskPortsOf(process),
  audit: process.storage.audit,
  cases: casePartsOf(process),
});
