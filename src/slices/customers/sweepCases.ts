/**
 * What time does to cases: those that wait too long expire, and what was given for them goes after
 * ninety days; approvals are reviewed when they are due, and work that was lost is given out again.
 * Each is one commit with its entry, under the version that was looked at, so two workers do one of
 * each.
 */
import { StaleChange } from '#core/audit';
import { DomainError, everyRecord, type TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type CaseStep, changeCase, newTask, type SeenCase } from './changeCase.ts';
import { type ForgetInputsPorts, forgetInputs } from './forgetInputs.ts';
import { EXPIRED_KEPT_DAYS } from './limits.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import { moveTo } from './states.ts';
import { type CaseRecord, caseTable, taskTable } from './tables.ts';

/** A case in processing for longer than this has lost its task, or waits for one that is due. */
export const STUCK_MS = 20 * 60_000;
const TASKS_PAGE = 100;
const DAY_MS = 24 * 3_600_000;

/** What a sweep has done, and how many cases are not what was signed. */
export interface Swept {
  expired: number;
  /** Expired ones of which what the customer gave was deleted. */
  forgotten: number;
  reviewed: number;
  requeued: number;
  altered: number;
}

/** One look at all that is due. */
export async function sweepCases(ports: ForgetInputsPorts, signal?: AbortSignal): Promise<Swept> {
  const swept: Swept = { altered: 0, expired: 0, forgotten: 0, requeued: 0, reviewed: 0 };
  const now = ports.clock.now();
  for (const { due, index, name, step } of SWEEPS) {
    const to = due(now) + 1;
    const ask = { equal: { [index.flag]: true }, index: index.name, to };
    for await (const record of everyRecord(ports.tables, caseTable, ask)) {
      signal?.throwIfAborted();
      const outcome = await sweep(ports, record, step);
      if (outcome === 'altered') swept.altered++;
      if (outcome === 'done') swept[name]++;
    }
  }
  const over = { equal: { isExpired: true }, index: 'inputs', to: now + 1 };
  for await (const record of everyRecord(ports.tables, caseTable, over)) {
    signal?.throwIfAborted();
    const outcome = await outcomeOf(() => forgetInputs(ports, record));
    if (outcome === 'altered') swept.altered++;
    if (outcome === 'done') swept.forgotten++;
  }
  return swept;
}

type StepOf = (ports: CasePorts, seen: SeenCase) => Promise<CaseStep | undefined>;

interface Sweep {
  readonly name: 'expired' | 'requeued' | 'reviewed';
  readonly index: { readonly flag: string; readonly name: string };
  readonly due: (now: number) => number;
  /** Undefined: the case is not due any more. */
  readonly step: StepOf;
}

const SWEEPS: readonly Sweep[] = [
  {
    due: (now) => now,
    index: { flag: 'isWaiting', name: 'expiring' },
    name: 'expired',
    step: async ({ clock }, { record }) =>
      isDue(record.expiresAt, clock.now())
        ? {
            change: {
              expiresAt: undefined,
              // What was decided before is kept as its law wants.
              ...(record.standing === undefined && {
                inputsUntil: (clock.now() + EXPIRED_KEPT_DAYS * DAY_MS) as EpochMs,
              }),
              proposedDecision: undefined,
              status: moveTo(record, 'expiry'),
              statusReason: 'expired',
            },
            entry: {
              action: 'kyc.case.expired',
              members: { former_status: record.status, reason_code: 'expired' },
            },
          }
        : undefined,
  },
  {
    due: (now) => now,
    index: { flag: 'isApproved', name: 'reviews' },
    name: 'reviewed',
    step: async (ports, seen) =>
      isDue(seen.record.nextReviewAt, ports.clock.now())
        ? reopenedStep(ports, seen, { reasonCode: 'review_due', trigger: 'review_due' })
        : undefined,
  },
  {
    due: (now) => now - STUCK_MS,
    index: { flag: 'isWorkedOn', name: 'working' },
    name: 'requeued',
    step: async (ports, { record }) => {
      const isLate = isDue(record.updatedAt, ports.clock.now() - STUCK_MS);
      if (!isLate || record.status !== 'processing') return undefined;
      if (await hasTask(ports, record)) return undefined;
      return {
        beside: (next): { readonly changes: readonly TableChange[] } => ({
          changes: [newTask(ports, next, { kind: 'checks' })],
        }),
        change: {},
        entry: { action: 'kyc.case.changed', members: { members: [], source: 'requeued' } },
      };
    },
  },
];

const isDue = (at: number | undefined, now: number): boolean => at !== undefined && at <= now;

async function hasTask(
  { tables }: Pick<CasePorts, 'tables'>,
  { caseId, tenantId }: CaseRecord,
): Promise<boolean> {
  const { records } = await tables.page(taskTable, {
    direction: 'descending',
    equal: { caseId, tenantId },
    index: 'byCase',
    limit: TASKS_PAGE,
  });
  return records.some(({ kind, state }) => kind === 'checks' && state === 'open');
}

type Outcome = 'altered' | 'done' | 'left';

/** Thrown to leave a case as it is, from within its step. */
class NotDue extends Error {
  override readonly name = 'NotDue';
}

/** Why one case is left for now: its customer has another one, or was erased. */
const LEFT: ReadonlySet<string> = new Set([
  'case-open-exists',
  'precondition-failed',
  'state-conflict',
  'subject-erased',
]);
const ALTERED: ReadonlySet<string> = new Set(['blob-damaged', 'state-altered']);

const sweep = (
  ports: CasePorts,
  { caseId, tenantId }: CaseRecord,
  stepOf: StepOf,
): Promise<Outcome> =>
  outcomeOf(async () => {
    const record = await changeCase(ports, { actor: BY_SYSTEM, caseId, tenantId }, async (seen) => {
      const step = await stepOf(ports, seen);
      if (step === undefined) throw new NotDue();
      return step;
    });
    if (record.status === 'processing') ports.wake(tenantId);
    return true;
  });

/** One case that cannot be changed now, or was altered, holds up no other. */
async function outcomeOf(change: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await change()) ? 'done' : 'left';
  } catch (error) {
    if (error instanceof NotDue || error instanceof StaleChange) return 'left';
    if (!(error instanceof DomainError)) throw error;
    if (ALTERED.has(error.code)) return 'altered';
    if (LEFT.has(error.code)) return 'left';
    throw error;
  }
}
