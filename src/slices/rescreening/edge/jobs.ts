/**
 * Re-screening in a worker. Runs are planned after each publication and now and then; one worker
 * holds a run, tenants take turns, and one of each lane is worked on at once in a process, so that
 * batches and screenings of others go on.
 */
import { signedEvents } from '#core/audit';
import type { BatchId, TenantId } from '#core/kernel';
import type { Handler, Subscriber, Together } from '#core/reactions';
import {
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type PerTenant,
  Room,
  startWorkLoop,
  type WorkLoop,
} from '#core/work';
import { alertSettings, SignedAlerts } from '#slices/alerts';
import { BATCH_LEASE, BATCH_RETRIES, faultCode } from '#slices/batches';
import { policiesInForceOf } from '#slices/policies';
import {
  beginEnrolment,
  type DelistingPorts,
  type Enrolment,
  type EnrolPorts,
  enrolBatch,
  enrolmentTable,
  failEnrolment,
  failRun,
  onDelisted,
  planFor,
  planRuns,
  type RescreeningPorts,
  type RescreeningRun,
  restoreCoverage,
  runRescreening,
  runTable,
} from '#slices/rescreening';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { enrolPartsOf } from './enrolParts.ts';
import { runPartsOf } from './runParts.ts';

export const purposes: JobPurposes = {
  rescreening: 'rescreening',
  'rescreening-alerts': 'rescreening',
  'rescreening-enrolments': 'rescreening',
  'rescreening-plans': 'rescreening',
  start: 'rescreening',
};

const POLL_MS = 1_000;
const OPEN_RUNS_MAX = 200;
const AT_ONCE = 2;
const PLAN_EVERY_MS = 30_000;
const PLAN_RETRY_MS = 5_000;
const ENROLMENTS_AT_ONCE = 1;
/** Events of a tenant after which it is planned once. */
const TOGETHER_MAX = 500;
const PARTITIONS_AT_ONCE = 4;
const RESTORE_EVERY_MS = 3_600_000;

/** Works runs off. */
export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage, tracer } = process;
  const { tables } = storage;
  const ports = runPartsOf(process);
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const means = { clock, holder, isGone, log, room: new Room(), tables, tracer };
  const runner = new LeasedRunner(workOf(ports), means);
  const enroller = new LeasedRunner(enrolmentWork(process.once(enrolPartsOf)), means);
  const loop = startWorkLoop({
    look: async () => {
      const open = { equal: { isOpen: true }, index: 'open', limit: OPEN_RUNS_MAX };
      const { records } = await tables.page(runTable, open);
      const enrolments = await tables.page(enrolmentTable, open);
      enroller.offer(
        enrolments.records.map(({ batchId, tenantId }) => ({
          key: { batchId, tenantId },
          name: batchId,
          tenantId,
        })),
      );
      runner.offer(
        records.map(({ lane, runId, tenantId }) => ({
          isShort: lane === 'new',
          key: { runId, tenantId },
          name: runId,
          tenantId,
        })),
      );
    },
    onFailure: (error) => log.warn({ error }, 're-screening waits for the store'),
    pollMs: POLL_MS,
    runners: [runner, enroller],
  });
  process.once(wakeUps).started(loop);
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

function workOf(ports: RescreeningPorts): LeasedWork<RescreeningRun, 'tenantId' | 'runId'> {
  return {
    atOnce: AT_ONCE,
    atOncePerTenant: 1,
    shortBeside: 1,
    codeOf: faultCode,
    fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
    giveUp: (hold, { code }) => failRun(ports, hold, code),
    plan: BATCH_RETRIES,
    table: runTable,
    times: BATCH_LEASE,
    what: 'a re-screening',
    work: (hold) => runRescreening(ports, hold),
  };
}

/** Subjects of batches that are taken into the register. */
function enrolmentWork(ports: EnrolPorts): LeasedWork<Enrolment, 'tenantId' | 'batchId'> {
  return {
    atOnce: ENROLMENTS_AT_ONCE,
    atOncePerTenant: 1,
    codeOf: faultCode,
    fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
    giveUp: (hold, { code }) => failEnrolment(ports, hold, code),
    plan: BATCH_RETRIES,
    table: enrolmentTable,
    times: BATCH_LEASE,
    what: 'an enrolment',
    work: (hold) => enrolBatch(ports, hold),
  };
}

/** What a worker's two parts share: the one plans what the other works off. */
function wakeUps() {
  let loop: WorkLoop | undefined;
  return {
    started: (running: WorkLoop): void => {
      loop = running;
    },
    wake: (): void => loop?.wake(),
  };
}

/** Looks now and then for tenants whose coverage was taken away: no run would begin for them. */
function restoring(process: WorkerProcess) {
  let dueMs = Number.NEGATIVE_INFINITY;
  return async (signal: AbortSignal, perTenant: PerTenant): Promise<void> => {
    const { clock, log, tenants } = process;
    if (clock.monotonicMs() < dueMs) return;
    const ports = runPartsOf(process);
    for (const { id } of await tenants.list()) {
      signal.throwIfAborted();
      if ((await perTenant(id, () => restoreCoverage(ports, id))) !== true) continue;
      log.error({ tenant_id: id }, 'the coverage of customers was taken away: it is put back');
    }
    dueMs = clock.monotonicMs() + RESTORE_EVERY_MS;
  };
}

/** Begins what is due for the tenant of an event, and what has begun is looked at now. */
async function plan(process: WorkerProcess, tenantId: string): Promise<void> {
  const count = await planFor(runPartsOf(process), tenantId as TenantId);
  if (count > 0) process.once(wakeUps).wake();
}

/** Customers who have come, and runs that have ended: what they leave is due at once. */
const planningOf = (process: WorkerProcess): Subscriber => {
  const handle: Handler = ({ partition }) => plan(process, partition);
  const together: Together = {
    handle: async ([event]) => event && plan(process, event.partition),
    max: TOGETHER_MAX,
  };
  const topics = ['sanctions.monitoring.changed', 'sanctions.rescreening.completed'] as const;
  return {
    from: 'now',
    name: 'rescreening-plans',
    on: Object.fromEntries(topics.map((topic) => [topic, handle])),
    partitionsAtOnce: PARTITIONS_AT_ONCE,
    together: Object.fromEntries(topics.map((topic) => [topic, together])),
  };
};

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  return [
    {
      from: 'now',
      name: 'rescreening',
      sweep: {
        after: ['service.sanctions.lists.updated'],
        everyMs: PLAN_EVERY_MS,
        retryMs: PLAN_RETRY_MS,
        run: async (signal) => {
          const apart = process.once(createPartsApart);
          await process.once(restoring)(signal, apart('rescreening-restore'));
          const ports = runPartsOf(process);
          const count = await planRuns(ports, signal, apart('rescreening-plans'));
          if (count > 0) process.log.info({ count }, 'customers are screened again');
        },
      },
    },
    planningOf(process),
    {
      from: 'now',
      name: 'rescreening-enrolments',
      on: {
        'aml.batch.monitored': async ({ partition, payload }) => {
          const batchId = String(payload.batch_id) as BatchId;
          await beginEnrolment(process, { batchId, tenantId: partition as TenantId });
          process.once(wakeUps).wake();
        },
      },
    },
    {
      from: 'now',
      name: 'rescreening-alerts',
      on: {
        'sanctions.rescreening.delisted': async (event) =>
          onDelisted(delistingPorts(process), event),
      },
    },
  ];
}

function delistingPorts(process: WorkerProcess): DelistingPorts {
  const { entries, sightings } = runPartsOf(process);
  const { clock, commit, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    audit,
    clock,
    commit,
    entries,
    events: signedEvents({ audit, keyRing }),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    async settingsOf(tenantId) {
      const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
      return {
        ...(await tenants.settings(tenantId)).of(alertSettings),
        fourEyes: flags.four_eyes,
        raisedFor: flags.auto_alert_typologies,
      };
    },
    sightings,
    signed: new SignedAlerts({ audit, keyRing }),
    tables,
  };
}
