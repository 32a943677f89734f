/** What ingestion stores beside runs: the signed changes of schedules. */
import { table } from '#core/kernel';
import type { ScheduleAudit } from './ports.ts';

/**
 * Signed changes of a source's schedule, numbered by their slice: each one is hashed over the one
 * before it, so none of its members can go.
 */
export const scheduleAuditTable = table<ScheduleAudit, 'sourceId' | 'seq'>('schedule_audit', {
  key: ['sourceId', 'seq'],
  chain: 'any',
  writes: 'appendOnly',
  personal: {
    approvalReason: { purpose: 'accountability: why the schedule was changed, in free text' },
    approvalUserId: { purpose: 'accountability: who approved the change' },
    changedBy: { purpose: 'accountability: who changed the schedule' },
  },
  stored: { mongoKey: 'slashed' },
});
