/**
 * The checks of a case, by a worker: made when its documents are read, and committed with what they
 * move the case to, with the evidence of each screening that does not stand before, and with the
 * end of the task. A worker that dies before has not moved the case; one that lost its lease
 * changes nothing.
 */
import { type AuditStore, type Commit, entry, overwrite } from '#core/audit';
import { CHANGES_MAX, chainOf, type ScreeningId } from '#core/kernel';
import { type MayProcess, requireProcessing } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { CaseRisk } from './asks.ts';
import { checksOf, type MadeCheck, type Outcome, outcomeOf } from './caseChecks.ts';
import { type CaseChange, kycEntry } from './caseRecord.ts';
import { type CaseStep, commitStep, type SeenCase, seeCase } from './changeCase.ts';
import { decidedStep } from './decidedStep.ts';
import { type ComparePorts, documentChecks, withChecks } from './documentChecks.ts';
import { nextAssignee } from './nextAssignee.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { ratingOf } from './riskNow.ts';
import { type CaseScreening, type ScreenPorts, screenCase } from './screenCase.ts';
import type { TaskHold } from './settleDocument.ts';
import { caseTarget } from './signedCases.ts';
import { moveTo } from './states.ts';
import { type CaseRecord, type Check, taskTable } from './tables.ts';
import { OF_DOCUMENTS } from './words.ts';

/** What makes checks. */
export interface CheckPorts extends CasePorts, ScreenPorts, Omit<ComparePorts, keyof CasePorts> {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly mayProcess: MayProcess;
}

const READING_LOOK_MS = 5_000;
/** Documents that are not read by then are not waited for: a person looks at them. */
const READING_MS_MAX = 15 * 60_000;
/** Attempts against people who change the case meanwhile; each screens anew. */
const TRIES_MAX = 5;

/**
 * The task has ended, or was given back, when it resolves. `fault`: why the parties could not be
 * compared in any try; the case goes on without, to a person.
 */
export async function checkCase(ports: CheckPorts, hold: TaskHold, fault?: string): Promise<void> {
  await overwrite(
    async () => {
      hold.signal.throwIfAborted();
      const seen = await seeCase(ports, hold.record);
      if (seen.record.status !== 'processing') return endTask(ports, hold, seen.record);
      const ofDocuments = await documentChecks(ports, seen);
      if (ofDocuments === undefined && isWaitedFor(ports, seen.record)) {
        const dueAt = (ports.clock.now() + READING_LOOK_MS) as EpochMs;
        await hold.giveBack({ hasGotOn: true, isTried: false, work: { dueAt } });
        return;
      }
      // Those of a former round say nothing of documents that came since and are not read yet.
      const former = seen.record.checks.filter(({ type }) => !OF_DOCUMENTS.includes(type));
      const checks = withChecks(former, ofDocuments ?? []);
      await check(ports, hold, { checks, fault, seen });
    },
    { mayRepeat: () => !hold.signal.aborted, triesMax: TRIES_MAX },
  );
}

/** The reader of the last document begins the checks besides; this one does not wait for ever. */
const isWaitedFor = ({ clock }: CheckPorts, record: CaseRecord): boolean =>
  clock.now() - (record.submittedAt ?? record.updatedAt) <= READING_MS_MAX;

async function check(
  ports: CheckPorts,
  hold: TaskHold,
  of: {
    /** Those that stand on the case, with those of its documents. */
    readonly checks: readonly Check[];
    readonly fault: string | undefined;
    readonly seen: SeenCase;
  },
): Promise<void> {
  const { fault, seen } = of;
  const { content } = seen;
  const record: CaseRecord = { ...seen.record, checks: of.checks };
  const workflow = seen.workflow.content;
  const { externalRef: subjectRef, tenantId } = record;
  await requireProcessing(ports.mayProcess, { subjectRef, tenantId }, 'screening');
  const isScreened = workflow.checks.includes('screening');
  const screening = isScreened
    ? (fault ?? (await screenCase(ports, { ...seen, ...askOf(hold, workflow) })))
    : undefined;
  const found = known(screening);
  const isRated = workflow.checks.includes('risk');
  // Risk is rated by what the lists say now, and its evidence names theirs: that stands before.
  const rest = await commitFirst(ports, hold, { changesMax: isRated ? 0 : OWN_CHANGES_MAX, found });
  const risk = isRated ? (fault ?? (await ports.riskOf(rated(record, found)))) : undefined;
  const now = ports.clock.now();
  const made = checksOf({
    content,
    now,
    record,
    risk,
    screening,
    workflow,
  });
  const change = changeOf(ports, record, { made, risk: known(risk), screening: found });
  const mayApprove = await ports.mayProcess({ subjectRef, tenantId }, 'automatic-approval');
  const changed = { ...record, ...change } as CaseRecord;
  const outcome = outcomeOf(made, { mayApprove, record: changed, workflow });
  const step = await stepOf(ports, seen, { change, made, outcome });
  hold.signal.throwIfAborted();
  await commitStep(ports, { actor: BY_SYSTEM }, { seen, step: withTask(ports, hold, step, rest) });
}

const askOf = (
  { record: { taskId: round }, signal }: TaskHold,
  { lists }: Pick<SeenCase['workflow']['content'], 'lists'>,
) => ({ lists, round, signal });

/** What was found, where it is no fault. */
const known = <Found extends object>(found: Found | string | undefined): Found | undefined =>
  typeof found === 'string' ? undefined : found;

/** The case with the screening that it is about to name. */
const rated = (record: CaseRecord, found: CaseScreening | undefined): CaseRecord => ({
  ...record,
  ...(found && { screening: namedScreening(found) }),
});

const namedScreening = ({ decision, listVersion, screeningId }: CaseScreening) => ({
  decision,
  listVersion,
  screeningId,
});

type Found = Required<Pick<CaseChange, 'checks'>> & Pick<CaseRecord, 'riskTier'>;

function changeOf(
  { clock, random }: CheckPorts,
  record: CaseRecord,
  of: {
    readonly made: readonly (Check | MadeCheck)[];
    readonly risk: CaseRisk | undefined;
    readonly screening: CaseScreening | undefined;
  },
): CaseChange & Found {
  const { made, risk, screening } = of;
  const at = clock.now();
  const checks = made.map((one) =>
    'checkId' in one ? one : { ...one, at, checkId: uuidV7(at, random) },
  );
  // A case keeps what others have found, though its workflow does not ask for it.
  const beside = record.checks.filter(({ type }) => !checks.some((one) => one.type === type));
  return {
    checks: [...checks, ...beside],
    ...(record.riskTier && { riskTier: record.riskTier }),
    ...(risk && ratingOf(risk)),
    ...(screening && { screening: namedScreening(screening) }),
  } as CaseChange & Found;
}

async function stepOf(
  ports: CheckPorts,
  seen: SeenCase,
  of: {
    readonly change: CaseChange & Found;
    readonly made: readonly (Check | MadeCheck)[];
    readonly outcome: Outcome;
  },
): Promise<CaseStep> {
  const { change, made, outcome } = of;
  const { record } = seen;
  const members = {
    checks: made.map(({ reasonCodes, status, type }) => ({
      reason_codes: [...reasonCodes],
      status,
      type,
    })),
    outcome: outcome.trigger,
    screening_id: change.screening?.screeningId ?? null,
  };
  const checked = { action: 'kyc.case.checked', members } as const;
  if (outcome.trigger === 'checks_doubtful') {
    const assignee = await nextAssignee(ports, { ...record, ...change } as CaseRecord);
    return {
      change: {
        ...change,
        assignee,
        proposedDecision: outcome.proposed,
        status: moveTo(record, outcome.trigger),
        statusReason: outcome.reasonCode,
      },
      entry: checked,
    };
  }
  const step = await decidedStep(ports, seen, {
    actor: BY_SYSTEM,
    change,
    decision: automatic(ports, seen, outcome),
    trigger: outcome.trigger,
  });
  return {
    ...step,
    beside: (next) => {
      const { bus = [], changes = [], events = [] } = step.beside?.(next) ?? {};
      const told = kycEntry(ports, {
        ...checked,
        actor: BY_SYSTEM,
        kind: 'case',
        record: next,
        target: caseTarget(next),
      });
      return { bus, changes, events: [told, ...events] };
    },
  };
}

const REJECTED_TEMPLATE = 'rejected';

function automatic({ clock, random }: CheckPorts, { workflow }: SeenCase, outcome: Outcome) {
  const decidedAt = clock.now();
  const isRejected = outcome.trigger === 'checks_failed_for_good';
  const isMailed = isRejected && Object.hasOwn(workflow.content.email_templates, REJECTED_TEMPLATE);
  return {
    decidedAt,
    decidedBy: 'system',
    decision: isRejected ? 'reject' : 'approve',
    decisionId: uuidV7(decidedAt, random),
    mode: 'automatic',
    reasonCode: outcome.reasonCode,
    ...(isMailed && { emailTemplate: REJECTED_TEMPLATE }),
  } as const;
}

type Evidence = Pick<Commit, 'bus' | 'changes' | 'events'>;
/** Changes of a commit beside those of screenings: the case, its task, the cases it replaces. */
const OWN_CHANGES_MAX = CHANGES_MAX / 2;

/**
 * Screenings beyond what the commit of the case may hold are committed before, each with all of its
 * evidence: the owners of a large business, and all of them where others build on them. Answers
 * those that are left for the commit of the case. What a former try has committed is there.
 */
async function commitFirst(
  ports: CheckPorts,
  hold: TaskHold,
  of: { readonly changesMax: number; readonly found: CaseScreening | undefined },
): Promise<readonly Evidence[]> {
  const rest: Evidence[] = [];
  let changes = 0;
  const chainId = chainOf(hold.record.tenantId);
  for (const { screeningId, ...part } of of.found?.parts ?? []) {
    const former = await ports.audit.findByScreening(chainId, screeningId as ScreeningId);
    if (former !== undefined) continue;
    changes += part.changes.length;
    const isOwn = rest.length === 0 && of.changesMax > 0;
    if (isOwn || changes <= of.changesMax) rest.push(part);
    else {
      hold.signal.throwIfAborted();
      await ports.commit(chainId, {
        ...part,
        changes: [hold.expected, ...part.changes],
      });
    }
  }
  return rest;
}

/** The step with the end of its task, and with the evidence of the screenings. */
function withTask(
  ports: CheckPorts,
  hold: TaskHold,
  step: CaseStep,
  parts: readonly Evidence[],
): CaseStep {
  return {
    ...step,
    beside: (next) => {
      const { bus = [], changes = [], events = [] } = step.beside?.(next) ?? {};
      return {
        bus: [...parts.flatMap((part) => part.bus), ...bus],
        changes: [
          hold.expected,
          endedTask(ports, hold, 'done'),
          ...parts.flatMap((part) => part.changes),
          ...changes,
        ],
        events: [...parts.flatMap((part) => part.events), ...events],
      };
    },
  };
}

const endedTask = (
  { clock }: Pick<CasePorts, 'clock'>,
  { record }: Pick<TaskHold, 'record'>,
  state: 'done' | 'failed',
) =>
  taskTable.put(
    { ...record, endedAt: clock.now(), state, version: record.version + 1 },
    record.version,
  );

/** A case that was ended meanwhile needs no checks; one that cannot be read has none. */
export async function endTask(
  ports: CasePorts,
  hold: TaskHold,
  record: CaseRecord | { readonly fault: string },
): Promise<void> {
  const isFault = 'fault' in record;
  const { caseId, taskId, tenantId } = hold.record;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, endedTask(ports, hold, isFault ? 'failed' : 'done')],
    events: [
      entry(ports, {
        action: 'kyc.case.checked',
        actor: BY_SYSTEM,
        members: {
          case_id: caseId,
          ...(isFault ? { fault: record.fault } : { status: record.status }),
        },
        target: `task:${taskId}`,
      }),
    ],
  });
}
