/** What monitoring holds of a person: the facts that the tenant sent about him. */
import { everyRecord } from '#core/kernel';
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import { customerFactTable } from '#slices/monitoring';
import type { SliceProcess } from '../../processes.ts';

export const holdings = ({ storage: { tables } }: SliceProcess): readonly Holding[] => [
  {
    erasure: {
      // A block of facts has one signed root: none can be taken out without all of them.
      erase: async () => undefined,
      async plan({ subjectRef, tenantId }, { asOf }) {
        if (subjectRef === undefined) return [];
        let rows = 0;
        const ask = { equal: { customerId: subjectRef, tenantId }, index: 'byCustomer' };
        for await (const { recordedAt } of everyRecord(tables, customerFactTable, ask)) {
          if (recordedAt <= asOf) rows++;
        }
        return rows === 0 ? [] : [{ action: 'keep', rows, why: 'evidence' }];
      },
    },
    async *files({ subjectRef, tenantId }) {
      if (subjectRef === undefined) return;
      const ask = { equal: { customerId: subjectRef, tenantId }, index: 'byCustomer' };
      const facts: object[] = [];
      for await (const fact of everyRecord(tables, customerFactTable, ask)) {
        facts.push({
          expected_turnover: fact.expectedTurnover ?? null,
          opened_at: fact.openedAt ?? null,
          residence: fact.residence ?? null,
          risk_tier: fact.riskTier ?? null,
          valid_from: toTimestamp(fact.validFrom),
        });
      }
      if (facts.length > 0) yield { content: { facts }, name: 'facts.json' };
    },
    store: customerFactTable.name,
  },
];
