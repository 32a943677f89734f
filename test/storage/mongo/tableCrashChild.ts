/** A process that dies by SIGKILL at a named point of a write of tables, or of a repair. */
import type { ChainId } from '#core/kernel';
import { openMongoStorage } from '../../../src/storage/mongo/open.ts';
import { at, TENANT_A, TTL_MS, takeHead } from '../contract/harness.ts';
import { CRASH_TABLES, crashTablesGroup } from './crashTables.ts';

/** What the child is told to do. */
export interface TableCrashTask {
  readonly kind: 'crash' | 'recover';
  readonly dieAt: string;
  readonly nowMs: number;
  readonly url: string;
  readonly transactions: 'require' | 'off';
}

const { dieAt, kind, nowMs, transactions, url } = JSON.parse(
  process.argv[2] ?? '',
) as TableCrashTask;
const storage = await openMongoStorage({
  clock: { monotonicMs: () => nowMs, now: () => at(nowMs) },
  onCrashPoint: (passed) => {
    if (passed === dieAt) process.kill(process.pid, 'SIGKILL');
  },
  tables: CRASH_TABLES,
  transactions,
  url,
});
const lease = await takeHead(storage, TENANT_A as string as ChainId, 'child');
if (kind === 'crash') {
  const group = crashTablesGroup(lease.head.seq + 1, nowMs);
  await storage.audit.appendGroup(lease, group, { release: true, ttlMs: TTL_MS });
}
