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
  dueForms,
  type FilingOrder,
  type FilingPorts,
  failAccountFile,
  failFiling,
  failGeneration,
  fileMessage,
  filingTable,
  generateDeclaration,
  generationTable,
  lapseCures,
  settleCancellations,
  type TaxForm,
  type TaxPorts,
  takeAccountFile,
  taxFormTable,
  waitingForm,
  watchForm,
} from '#slices/tax';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

export const purposes: JobPurposes = {
  'tax-cancellations': 'reporting',
  'tax-cures': 'reporting',
  start: 'tax-reporting',
};

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
    {
      everyMs: LAPSE_EVERY_MS,
      name: 'tax-cancellations',
      run: async () => {
        let open = 0;
        for (const { id } of await process.identity.listTenants()) {
          open += await settleCancellations(taxPortsOf(process), id);
        }
        return { open };
      },
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
  const filings = new LeasedRunner(filingsOf(ports), options);
  const forms = new LeasedRunner(formsOf(ports), options);
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
      const onTheirWay = await tables.page(filingTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_MAX,
      });
      filings.offer(
        onTheirWay.records.map(({ declarationId, messageNo, submissionNo, tenantId }) => ({
          key: { declarationId, messageNo, submissionNo, tenantId },
          name: `${declarationId}/${submissionNo}/${messageNo}`,
          tenantId,
        })),
      );
      const due = await tables.page(taxFormTable, dueForms(clock.now(), OPEN_MAX));
      forms.offer(due.records.map(waitingForm));
    },
    onFailure: (error) =>
      log.warn({ error }, 'accounts, declarations and forms wait for the store'),
    pollMs: POLL_MS,
    runners: [imports, generations, filings, forms],
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

/** A place that is away is tried for a day: the pauses add up to it. */
const FILING_RETRIES: RetryPlan = {
  kindOf: (code) => {
    if (code === 'channel-unavailable') return 'counted';
    return FOR_GOOD.has(code) ? 'final' : RETRIES.kindOf(code);
  },
  pausesMs: [0, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000],
  triesMax: 27,
};
const FOR_GOOD: ReadonlySet<string> = new Set([
  'certificate-expired',
  'certificate-invalid',
  'channel-unknown',
  'deposit-refused',
  'package-report-invalid',
  'package-too-large',
  'state-conflict',
]);

const filingsOf = (
  ports: FilingPorts,
): LeasedWork<FilingOrder, 'tenantId' | 'declarationId' | 'submissionNo' | 'messageNo'> => ({
  atOnce: 2,
  atOncePerTenant: 1,
  codeOf: faultCode,
  fieldsOf: ({ declarationId, messageNo, tenantId }) => ({
    declaration_id: declarationId,
    message_no: messageNo,
    tenant_id: tenantId,
  }),
  giveUp: async (hold, { code }) => {
    const became = await failFiling(ports, hold, code);
    if (became === 'waits') await hold.giveBack({ isTried: false });
  },
  plan: FILING_RETRIES,
  table: filingTable,
  times: BATCH_LEASE,
  what: 'the deposit of a message',
  work: (hold) => fileMessage(ports, hold),
});

const ALTERED: ReadonlySet<string> = new Set(['blob-damaged', 'state-altered']);

/** No try is the last one: a form that was mended has its steps after all. */
const FORM_RETRIES: RetryPlan = {
  ...RETRIES,
  kindOf: (code) => (ALTERED.has(code) ? 'final' : 'transient'),
  pausesMs: [0, 60_000],
};

/** One that cannot be looked at stays as it is: `doctor` names what was altered. */
const formsOf = (ports: TaxPorts): LeasedWork<TaxForm, 'formId' | 'tenantId'> => ({
  atOnce: 4,
  atOncePerTenant: 2,
  codeOf: faultCode,
  fieldsOf: ({ formId, tenantId }) => ({ form_id: formId, tenant_id: tenantId }),
  giveUp: async () => undefined,
  plan: FORM_RETRIES,
  table: taxFormTable,
  times: BATCH_LEASE,
  what: 'the end of a form',
  work: (hold) => watchForm(ports, hold),
});
