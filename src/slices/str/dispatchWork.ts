/**
 * A package on its way, step by step, in a worker. Each step may be done twice and has its effect
 * once: the end of a submission is one commit, a file is written once, and before anything is
 * posted the FIU is asked whether it has it.
 */
import { entry } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import { afterBusinessDays } from './businessDays.ts';
import { type AuthorityAnswer, endSubmission } from './endSubmission.ts';
import type { FiuCaller, RemoteReport } from './fiuCaller.ts';
import type { FolderChannel } from './folderChannel.ts';
import { REMINDER_BUSINESS_DAYS } from './limits.ts';
import { fileStem, readPackage } from './packageReport.ts';
import type { StrWritePorts } from './ports.ts';
import { isDispatchOf } from './signedReports.ts';
import { targetOf } from './strRecord.ts';
import {
  type StrDispatch,
  type StrReport,
  type StrSubmission,
  strDispatchTable,
  strReportTable,
} from './tables.ts';

/** What sends packages. */
export interface DispatchPorts extends StrWritePorts {
  readonly folder: FolderChannel;
  /** Throws `str-channel-off` where the tenant has none. */
  readonly callerOf: (tenantId: TenantId) => Promise<FiuCaller>;
}

/** A dispatch in hand. */
export type DispatchHold = Hold<StrDispatch, 'number' | 'strId' | 'tenantId'>;

const ACTOR = 'system:str';
const FOLDER_EVERY_MS = 30_000;
const STATE_EVERY_MS = 60_000;
const REJECT = '-REJECT';

/** One step: the row has ended or was given back when it resolves. */
export async function dispatchStep(ports: DispatchPorts, hold: DispatchHold): Promise<void> {
  const { channel } = hold.record;
  await requireAsSubmitted(ports, hold.record);
  switch (channel) {
    case 'sandbox':
      return end(ports, hold, sandboxAnswer(hold.record));
    case 'folder':
      return byFolder(ports, hold);
    case 'goaml_b2b':
      return byCalls(ports, hold);
    default:
      return byHand(ports, hold);
  }
}

/**
 * The row says only how far the package is. Where it goes, and under which name, was signed: a live
 * report that somebody moved to the sandbox's channel would be acknowledged by nobody.
 */
async function requireAsSubmitted(ports: DispatchPorts, record: StrDispatch): Promise<void> {
  const { submission } = await readFiled(ports, record);
  if (isDispatchOf(record, submission)) return;
  throw new DomainError('state-altered', { detail: 'a dispatch is not that of its submission' });
}

/** The sandbox's authority refuses what is named so, and takes everything else. */
const sandboxAnswer = ({ entityReference }: StrDispatch): AuthorityAnswer =>
  entityReference.endsWith(REJECT)
    ? {
        kind: 'refused',
        reasons: [
          {
            code: 'sandbox',
            detail: 'the sandbox refuses references that end in -REJECT',
            pointer: '/entity_reference',
          },
        ],
      }
    : { fiuReference: `SANDBOX-${entityReference}`, kind: 'acknowledged' };

async function byFolder(ports: DispatchPorts, hold: DispatchHold): Promise<void> {
  const { record } = hold;
  if (record.state === 'sending') {
    const { report, submission } = await readFiled(ports, record);
    await ports.folder.write(record, await readPackage(ports, report, submission));
    await noteSent(ports, hold);
    return later(ports, hold, FOLDER_EVERY_MS);
  }
  const answer = await ports.folder.receive(record);
  if (answer === undefined) return later(ports, hold, FOLDER_EVERY_MS);
  await end(ports, hold, answer);
  if (answer.receipt !== undefined) await ports.folder.settle(record, answer.receipt.fileName);
}

async function byCalls(ports: DispatchPorts, hold: DispatchHold): Promise<void> {
  const { record } = hold;
  const caller = await ports.callerOf(record.tenantId);
  if (record.state === 'sent') {
    const known = await caller.stateOf(record.remoteKey ?? '');
    return answered(ports, hold, known);
  }
  // An earlier try may have arrived: what the FIU has under this name is not sent again.
  const known = await caller.lookUp(record.entityReference);
  if (known !== undefined) return sent(ports, hold, known.key, known);
  const { report, submission } = await readFiled(ports, record);
  const bytes = await readPackage(ports, report, submission);
  const fileName = `${fileStem(record.entityReference)}.zip`;
  const outcome = await caller.post({ bytes, fileName });
  if (outcome.kind === 'refused') {
    return end(ports, hold, { kind: 'refused', reasons: outcome.reasons });
  }
  return sent(ports, hold, outcome.key);
}

async function sent(
  ports: DispatchPorts,
  hold: DispatchHold,
  remoteKey: string,
  known?: RemoteReport,
): Promise<void> {
  hold.tell({ remoteKey });
  await hold.saveNow();
  hold.signal.throwIfAborted();
  await noteSent(ports, hold);
  return answered(ports, hold, known);
}

async function answered(
  ports: DispatchPorts,
  hold: DispatchHold,
  known: RemoteReport | undefined,
): Promise<void> {
  if (known === undefined || known.state === 'pending') return later(ports, hold, STATE_EVERY_MS);
  const { fiuReference, reasons, state } = known;
  return end(ports, hold, {
    kind: state === 'accepted' ? 'acknowledged' : 'refused',
    reasons,
    ...(fiuReference !== undefined && { fiuReference }),
  });
}

/** An officer uploads it, and says so; what waits for too long is shown as overdue. */
async function byHand(ports: DispatchPorts, hold: DispatchHold): Promise<void> {
  const { createdAt, remindedAt } = hold.record;
  const now = ports.clock.now();
  const due = afterBusinessDays(remindedAt ?? createdAt, REMINDER_BUSINESS_DAYS);
  if (now < due) return giveBack(hold, { dueAt: due });
  const next = afterBusinessDays(now, REMINDER_BUSINESS_DAYS);
  return giveBack(hold, { dueAt: next, remindedAt: now });
}

const later = ({ clock }: DispatchPorts, hold: DispatchHold, ms: number): Promise<void> =>
  giveBack(hold, { dueAt: (clock.now() + ms) as EpochMs });

async function giveBack(hold: DispatchHold, work: Partial<StrDispatch>): Promise<void> {
  await hold.giveBack({ hasGotOn: true, isTried: false, work });
}

/** The report and the submission that is sent, as they were signed. */
async function readFiled(
  ports: DispatchPorts,
  { number, strId, tenantId }: StrDispatch,
): Promise<{ readonly report: StrReport; readonly submission: StrSubmission }> {
  const report = await readReport(ports, { strId, tenantId });
  const submission = report.submissions.find((one) => one.number === number);
  if (submission !== undefined) return { report, submission };
  throw new DomainError('state-altered', {
    detail: 'a dispatch of a submission that there is not',
  });
}

async function readReport(
  ports: DispatchPorts,
  place: Pick<StrReport, 'strId' | 'tenantId'>,
): Promise<StrReport> {
  const found = await ports.tables.find(strReportTable, place);
  if (found !== undefined) return ports.signed.require(found);
  throw new DomainError('state-altered', { detail: 'a dispatch of a report that there is not' });
}

/** That it has left the house, with the state that says so. */
async function noteSent(ports: DispatchPorts, hold: DispatchHold): Promise<void> {
  const { record } = hold;
  if (record.state === 'sent') return;
  const next: StrDispatch = { ...record, state: 'sent', version: record.version + 1 };
  await ports.commit(chainOf(record.tenantId), {
    bus: [],
    changes: [hold.expected, strDispatchTable.put(next, record.version)],
    events: [
      entry(ports, {
        action: 'str.sent',
        actor: ACTOR,
        members: { channel: record.channel, confidential: true, number: record.number },
        target: targetOf(record),
      }),
    ],
  });
  hold.replace(next);
}

/** An officer may have ended it meanwhile: then there is nothing more to say. */
async function end(
  ports: DispatchPorts,
  hold: DispatchHold,
  answer: AuthorityAnswer,
): Promise<void> {
  const { number, strId, tenantId } = hold.record;
  const report = await readReport(ports, { strId, tenantId });
  const submission = report.submissions.find((one) => one.number === number);
  await hold.end();
  if (report.status !== 'submitted' || submission?.outcome !== undefined) return;
  hold.signal.throwIfAborted();
  const read = () => readReport(ports, { strId, tenantId });
  await endSubmission(ports, read, { actor: ACTOR, answer }).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'state-conflict') return;
    throw error;
  });
}
