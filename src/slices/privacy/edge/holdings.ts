/** What privacy itself holds of a person: his requests, and what he has restricted or opposed. */
import { everyRecord } from '#core/kernel';
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import {
  erasureOfFlags,
  erasureOfHolds,
  erasureOfRequests,
  isHolding,
  legalHoldTable,
  privacyDeskOf,
  privacyPartsOf,
  privacyRequestTable,
  subjectFlagTable,
} from '#slices/privacy';
import { subjectKeyOfRef } from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';
import { presentFlags } from './presentation.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    erasure: erasureOfRequests(privacyDeskOf(process)),
    async *files({ subjectRef, tenantId }) {
      if (subjectRef === undefined) return;
      const { signed, tables } = privacyPartsOf(process);
      const ask = { equal: { subjectRef, tenantId }, index: 'byRef' };
      const requests: object[] = [];
      for await (const found of everyRecord(tables, privacyRequestTable, ask)) {
        const { action, endedAt, note, receivedAt, requester, status } =
          await signed.requireRequest(found);
        requests.push({
          action,
          ended_at: endedAt === undefined ? null : toTimestamp(endedAt),
          note: note ?? null,
          received_at: toTimestamp(receivedAt),
          requester,
          status,
        });
      }
      if (requests.length > 0) yield { content: { requests }, name: 'requests.json' };
    },
    store: privacyRequestTable.name,
  },
  {
    erasure: erasureOfFlags(privacyDeskOf(process)),
    async *files({ subjectRef, tenantId }) {
      if (subjectRef === undefined) return;
      const flag = await privacyPartsOf(process).signed.flagOf({ subjectRef, tenantId });
      if (flag === undefined) return;
      const { changed_at, reason, subject } = presentFlags(subjectRef, flag);
      yield { content: { changed_at, reason, subject }, name: 'flags.json' };
    },
    store: subjectFlagTable.name,
  },
  {
    erasure: erasureOfHolds(privacyDeskOf(process)),
    async *files() {
      // That somebody wants him kept is not his to know.
    },
    async identify({ subjectKey, subjectRef, tenantId }) {
      if (subjectKey === undefined || subjectRef !== undefined) return {};
      const ask = { equal: { tenantId }, index: 'key' };
      for await (const one of everyRecord(privacyPartsOf(process).tables, legalHoldTable, ask)) {
        if (subjectKeyOfRef(tenantId, one.subjectRef) === subjectKey) {
          return { subjectRef: one.subjectRef };
        }
      }
      return {};
    },
    async holds({ subjectRef, tenantId }) {
      if (subjectRef === undefined) return false;
      const { clock, signed } = privacyPartsOf(process);
      return isHolding(await signed.holdOf({ subjectRef, tenantId }), clock.now());
    },
    store: legalHoldTable.name,
  },
];
