/**
 * The work of tax reporting in a worker: times of cures and of documents that are over, files of
 * accounts, and declarations. One worker holds each; tenants take turns.
 */
import {
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type RetryPlan,
  Room,
  startWorkLoop,
} from '#core/work';
import { BATCH_LEASE, BATCH_RETRIES, faultCode } from '#slices/batches';
import {
  type AccountImport,
  accountImportTable,
  type DeclarationGeneration,
  failAccountFile,
  failGeneration,
  generateDeclaration,
  generationTable,
  lapseCures,
  type TaxPorts,
  takeAccountFile,
} from '#slices/tax';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

export const purposes: JobPurposes = { 'tax-cures': 'reporting', start: 'tax-reporting' };

const LAPSE_EVERY_MS = 10 * 60_000;
const POLL_MS = 1_000;
const OPEN_MAX = 200;

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  return [
    {
      everyMs: LAPSE_EVERY_MS,
      name: 'tax-cures',
      run: async () => ({ lapsed: await lapseCures(taxPortsOf(process)) }),
    },
  ];
}

/** Works off what was ordered. */
export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage, tracer } = process;
  const { tables } = storage;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const ports = taxPortsOf(process);
  const options = { clock, holder, isGone, log, room: new Room(), tables, tracer };
  const imports = new LeasedRunner(importsOf(ports), options);
  const generations = new LeasedRunner(generationsOf(ports), options);
  const loop = startWorkLoop({
    look: async () => {
      const { records } = await tables.page(accountImportTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_MAX,
      });
      imports.offer(
        records.map(({ importId, tenantId }) => ({
          key: { importId, tenantId },
          name: importId,
          tenantId,
        })),
      );
      const orders = await tables.page(generationTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_MAX,
      });
      generations.offer(
        orders.records.map(({ declarationId, generationNo, tenantId }) => ({
          key: { declarationId, generationNo, tenantId },
          name: `${declarationId}/${generationNo}`,
          tenantId,
        })),
      );
    },
    onFailure: (error) => log.warn({ error }, 'accounts and declarations wait for the store'),
    pollMs: POLL_MS,
    runners: [imports, generations],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

/** What was altered past the service is not mended by another try. */
const RETRIES: RetryPlan = {
  ...BATCH_RETRIES,
  kindOf: (code) => (code === 'state-altered' ? 'final' : BATCH_RETRIES.kindOf(code)),
};

const importsOf = (ports: TaxPorts): LeasedWork<AccountImport, 'tenantId' | 'importId'> => ({
  atOnce: 2,
  atOncePerTenant: 1,
  codeOf: faultCode,
  fieldsOf: ({ importId, tenantId }) => ({ import_id: importId, tenant_id: tenantId }),
  giveUp: (hold, { code }) => failAccountFile(ports, hold, code),
  plan: RETRIES,
  table: accountImportTable,
  times: BATCH_LEASE,
  what: 'a file of accounts',
  work: (hold) => takeAccountFile(ports, hold),
});

const generationsOf = (
  ports: TaxPorts,
): LeasedWork<DeclarationGeneration, 'tenantId' | 'declarationId' | 'generationNo'> => ({
  atOnce: 2,
  atOncePerTenant: 1,
  codeOf: faultCode,
  fieldsOf: ({ declarationId, tenantId }) => ({
    declaration_id: declarationId,
    tenant_id: tenantId,
  }),
  giveUp: (hold, { code }) => failGeneration(ports, hold, code),
  plan: RETRIES,
  table: generationTable,
  times: BATCH_LEASE,
  what: 'a declaration',
  work: (hold) => generateDeclaration(ports, hold),
});
