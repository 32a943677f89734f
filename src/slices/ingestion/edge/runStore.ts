/** Runs as the store has them, and the signed changes of schedules as a table has them. */
import { type RunStore, scheduleAuditStore } from '#slices/ingestion';
import type { Installation } from '../../processes.ts';

export const runStoreOf = ({
  runs,
  tables,
}: Pick<Installation['storage'], 'runs' | 'tables'>): RunStore => ({
  ...runs,
  ...scheduleAuditStore(tables),
});
