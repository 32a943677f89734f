/** What ingestion stores: runs, and the signed changes of schedules. */
import { table } from '#core/kernel';
import type { ListRun, ScheduleAudit } from './ports.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Runs of lists, kept for 90 days after their end (interface.md 8). A worker leases the run that it
 * does; its progress is saved beside commits.
 */
export const runTable = table<ListRun, 'runId'>('list_run', {
  key: ['runId'],
  chain: 'platform',
  derived: { isOpen: { field: 'status', in: ['running'] } },
  indexes: {
    bySource: ['sourceId', 'startedAt'],
    byStart: ['startedAt'],
    byStatus: ['status', 'startedAt'],
    byStatusAndSource: ['status', 'sourceId', 'startedAt'],
  },
  kept: { from: 'finishedAt', ms: 90 * DAY_MS },
  leased: { lane: [] },
  open: 'isOpen',
  work: ['stage', 'log', 'fetchedBytes', 'tries'],
  personal: {
    log: { purpose: 'accountability: its first line says who started the run' },
    shrinkApprovedBy: { purpose: 'accountability: who approved that a list lost many entries' },
    triggeredBy: { purpose: 'accountability: who started the run' },
  },
  stored: { isFalseZero: true, sqliteGenerated: ['isOpen'] },
});

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
