/**
 * Files of transactions in a worker. One worker holds a file; tenants take turns, and one file of a
 * tenant is worked on at once, since all write to its one log.
 */
import { isProcessGone, LeasedRunner, type LeasedWork, Room, startWorkLoop } from '#core/work';
import { BATCH_LEASE, BATCH_RETRIES, faultCode } from '#slices/batches';
import {
  type FileWorkPorts,
  failFile,
  type TransactionFile,
  takeFile,
  transactionFileTable,
} from '#slices/monitoring';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { settings } from '../settings.ts';
import { partyScreeningOf } from './parts.ts';

export const purposes: JobPurposes = { start: 'monitoring' };

const POLL_MS = 1_000;
const OPEN_FILES_MAX = 200;
const AT_ONCE = 2;

/** Works files off. */
export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage, tracer } = process;
  const { tables } = storage;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(workOf(portsOf(process)), {
    clock,
    holder,
    isGone,
    log,
    room: new Room(),
    tables,
    tracer,
  });
  const loop = startWorkLoop({
    look: async () => {
      const { records } = await tables.page(transactionFileTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_FILES_MAX,
      });
      runner.offer(
        records.map(({ ingestId, tenantId }) => ({
          key: { ingestId, tenantId },
          name: ingestId,
          tenantId,
        })),
      );
    },
    onFailure: (error) => log.warn({ error }, 'files of transactions wait for the store'),
    pollMs: POLL_MS,
    runners: [runner],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

function portsOf(process: WorkerProcess): FileWorkPorts {
  const { blobs, clock, commit, dataKeys, random, storage, tenants } = process;
  return {
    blobs,
    clock,
    commit,
    dataKeys,
    random,
    screening: partyScreeningOf(process),
    settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings),
    tables: storage.tables,
  };
}

function workOf(ports: FileWorkPorts): LeasedWork<TransactionFile, 'tenantId' | 'ingestId'> {
  return {
    atOnce: AT_ONCE,
    atOncePerTenant: 1,
    codeOf: faultCode,
    fieldsOf: ({ ingestId, tenantId }) => ({ ingest_id: ingestId, tenant_id: tenantId }),
    giveUp: (hold, { code }) => failFile(ports, hold, code),
    plan: BATCH_RETRIES,
    table: transactionFileTable,
    times: BATCH_LEASE,
    what: 'a file of transactions',
    work: (hold) => takeFile(ports, hold),
  };
}
