/**
 * Re-screening in a worker. Runs are planned after each publication and now and then; one worker
 * holds a run, tenants take turns, and one of each lane is worked on at once in a process, so that
 * batches and screenings of others go on.
 */
import { signedEvents } from '#core/audit';
import type { Subscriber } from '#core/reactions';
import { isProcessGone, LeasedRunner, type LeasedWork, Room, startWorkLoop } from '#core/work';
import { alertSettings } from '#slices/alerts';
import { BATCH_LEASE, BATCH_RETRIES, faultCode } from '#slices/batches';
import { policiesInForceOf } from '#slices/policies';
import {
  type DelistingPorts,
  failRun,
  onDelisted,
  planRuns,
  type RescreeningPorts,
  type RescreeningRun,
  runRescreening,
  runTable,
} from '#slices/rescreening';
import type { RunningWork, WorkerProcess } from '../../processes.ts';
import { runPartsOf } from './runParts.ts';

const POLL_MS = 1_000;
const OPEN_RUNS_MAX = 200;
const AT_ONCE = 2;
const PLAN_EVERY_MS = 30_000;
const PLAN_RETRY_MS = 5_000;

/** Works runs off. */
export async function start(process: WorkerProcess): Promise<RunningWork> {
  const { clock, holder, log, storage, tracer } = process;
  const { tables } = storage;
  const ports = await runPartsOf(process);
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(workOf(ports), {
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
      const { records } = await tables.page(runTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_RUNS_MAX,
      });
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
    runners: [runner],
  });
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
          const count = await planRuns(await runPartsOf(process), signal);
          if (count > 0) process.log.info({ count }, 'customers are screened again');
        },
      },
    },
    {
      from: 'now',
      name: 'rescreening-alerts',
      on: {
        'sanctions.rescreening.delisted': (event) => onDelisted(delistingPorts(process), event),
      },
    },
  ];
}

function delistingPorts(process: WorkerProcess): DelistingPorts {
  const { clock, commit, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    audit,
    clock,
    commit,
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
    tables,
  };
}
