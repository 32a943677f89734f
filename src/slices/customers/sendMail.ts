/**
 * A customer is written to by the template of the workflow, at the address that the case has when
 * it is sent. Mails wait while no server is configured; whatever ends one is an entry.
 */
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { FreshLink, SendCustomerMail } from './asks.ts';
import { seeCase } from './changeCase.ts';
import { mailTemplateOf } from './linkMail.ts';
import { hasLink, mailInWords } from './mailText.ts';
import type { CasePorts } from './ports.ts';
import type { TaskHold } from './settleDocument.ts';
import { type CaseTask, taskTable } from './tables.ts';

/** What sends mails. */
export interface MailPorts extends CasePorts {
  readonly freshLink: FreshLink;
  readonly sendMail: SendCustomerMail;
}

/** The server, or the way to it, is not ready: it is tried again. */
export class MailDeferred extends Error {
  override readonly name = 'MailDeferred';
}

const ACTOR = 'system:customers';
/** Between two looks whether a server is configured. */
const UNSENT_MS = 3_600_000;

/** The task has ended or was given back when it resolves. Throws MailDeferred. */
export async function sendMail(ports: MailPorts, hold: TaskHold): Promise<void> {
  const { caseId, createdAt, taskId, template: name = '', tenantId } = hold.record;
  const { content, record, workflow } = await seeCase(ports, { caseId, tenantId });
  const template = mailTemplateOf(workflow.content, name);
  const { email: to } = content.subject;
  if (template === undefined) return endMail(ports, hold, 'no-template');
  if (to === undefined) return endMail(ports, hold, 'no-address');
  const outcome = await ports.sendMail(async () => {
    const place = { caseId, orderId: taskId, tenantId };
    const link = hasLink(template) ? await ports.freshLink(place) : undefined;
    hold.signal.throwIfAborted();
    const words = mailInWords(template, { link, locale: record.locale });
    return { ...words, at: createdAt, id: taskId, to };
  });
  switch (outcome.kind) {
    case 'deferred':
      throw new MailDeferred(outcome.code);
    case 'refused':
      return endMail(ports, hold, outcome.code);
    case 'sent':
      return endMail(ports, hold);
    default: {
      const dueAt = (ports.clock.now() + UNSENT_MS) as EpochMs;
      await hold.giveBack({ hasGotOn: true, isTried: false, work: { dueAt } });
    }
  }
}

/** Ends the task; `fault`: why it was not sent. */
export async function endMail(ports: CasePorts, hold: TaskHold, fault?: string): Promise<void> {
  const { record } = hold;
  const { caseId, taskId, template = null, tenantId, version } = record;
  const done: CaseTask = {
    ...record,
    endedAt: ports.clock.now(),
    state: fault === undefined ? 'done' : 'failed',
    version: version + 1,
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, taskTable.put(done, version)],
    events: [
      entry(ports, {
        action: fault === undefined ? 'kyc.mail.sent' : 'kyc.mail.failed',
        actor: ACTOR,
        members: { case_id: caseId, template, ...(fault !== undefined && { fault }) },
        target: `task:${taskId}`,
      }),
    ],
  });
  await hold.end();
}
