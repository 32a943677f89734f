/** Checks of cases in a worker: what compares their parties, and what becomes of one that fails. */
import { identityStore } from '#core/identity';
import { DomainError } from '#core/kernel';
import { mayProcess } from '#core/privacy';
import type { RetryPlan } from '#core/work';
import {
  BY_SYSTEM,
  type CheckPorts,
  type ComparePorts,
  checkCase,
  endTask,
  type OpenCaseScreening,
  type TaskHold,
} from '#slices/customers';
import {
  exclusions,
  listSetOf,
  monitorSubject,
  policyInForce,
  policyOfBatches,
  screeningPartsOf,
  screenQuery,
  selectLists,
} from '#slices/screening';
import type { WorkerProcess } from '../../processes.ts';
import { casePortsOf } from './parts.ts';
import type { TaskKind } from './taskRunner.ts';

const AT_ONCE = 4;
const AT_ONCE_PER_TENANT = 2;
/** A check may wait for those of others. */
const DEADLINE_MS = 10_000;

/** What another try does not mend: the case, or its customer's key, is gone or is another one. */
const FINAL: ReadonlySet<string> = new Set([
  'blob-damaged',
  'case-unknown',
  'state-altered',
  'subject-erased',
  'workflow-unknown',
]);
const PLAN: RetryPlan = {
  kindOf: (code) => (FINAL.has(code) ? 'final' : 'counted'),
  pausesMs: [0, 1_000, 5_000, 30_000, 60_000],
  triesMax: 5,
};

export const checkWork = (process: WorkerProcess, compare: ComparePorts): TaskKind => {
  const ports = checkPortsOf(process, compare);
  return {
    atOnce: AT_ONCE,
    atOncePerTenant: AT_ONCE_PER_TENANT,
    giveUp: (hold, { code }) => giveUp(ports, hold, code),
    kind: 'checks',
    plan: PLAN,
    work: (hold) => checkCase(ports, hold),
  };
};

/** No case stays where it is because a check cannot be made: a person sees which one. */
async function giveUp(ports: CheckPorts, hold: TaskHold, code: string): Promise<void> {
  try {
    await checkCase(ports, hold, code);
  } catch (error) {
    if (!(error instanceof DomainError) || !FINAL.has(error.code)) throw error;
    await endTask(ports, hold, { fault: error.code });
  }
}

const checkPortsOf = (
  process: WorkerProcess,
  { compareNames, settingsOf }: ComparePorts,
): CheckPorts => ({
  ...casePortsOf(process),
  audit: process.storage.audit,
  compareNames,
  settingsOf,
  mayProcess: process.ask(mayProcess),
  monitorSubject: process.ask(monitorSubject),
  openScreening: openScreeningOf(process),
});

/** Engine and lists are loaded with the first case. */
function openScreeningOf(process: WorkerProcess): OpenCaseScreening {
  const { clock, random, storage, tracer } = process;
  const policy = process.ask(policyInForce);
  const known = process.ask(exclusions);
  return async ({ lists: codes, tenantId }) => {
    const { engine, lists: inForce } = await screeningPartsOf(process);
    const tenant = await identityStore(storage.tables).findTenant(tenantId);
    const settings = policyOfBatches(await policy(tenantId));
    const excluded = await known({ tenantId });
    const state = inForce.current();
    const lists = selectLists(state, codes.length === 0 ? undefined : codes, {
      off: settings.sourcesOff,
      pointer: '/lists',
      sandbox: tenant?.kind === 'sandbox',
    });
    return ({ query, signal, subjectKey }) =>
      screenQuery(
        { clock, deadlineMs: DEADLINE_MS, engine, random, tracer },
        {
          clusters: state.clusters,
          exclusions: excluded,
          listSet: listSetOf(lists, state.clusters?.digest),
          lists: lists.map(({ index, version }) => ({ index, source: version.sourceId })),
          namePointer: '/subject/full_name',
          query,
          requestedBy: BY_SYSTEM,
          settings,
          signal,
          subjectKey,
          tenantId,
        },
      );
  };
}
