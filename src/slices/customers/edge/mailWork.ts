/** Mails to customers in a worker: tried for twelve hours, then an entry says that one failed. */
import type { RetryPlan } from '#core/work';
import { endMail, freshLink, type MailPorts, sendCustomerMail, sendMail } from '#slices/customers';
import type { WorkerProcess } from '../../processes.ts';
import { casePortsOf } from './parts.ts';
import type { TaskKind } from './taskRunner.ts';

const AT_ONCE = 4;
const AT_ONCE_PER_TENANT = 2;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TRANSIENT: ReadonlySet<string> = new Set(['store-unavailable', 'storage-full']);
const FINAL: ReadonlySet<string> = new Set(['blob-damaged', 'case-unknown', 'subject-erased']);

/** Tries at 0, 1 m, 5 m, 30 m, 2 h, 6 h and 12 h after the first. */
const PLAN: RetryPlan = {
  kindOf: (code) => (FINAL.has(code) ? 'final' : TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, MINUTE_MS, 4 * MINUTE_MS, 25 * MINUTE_MS, 90 * MINUTE_MS, 4 * HOUR_MS, 6 * HOUR_MS],
  triesMax: 7,
};

/** Customers are written to. */
export const mailWork = (ports: MailPorts): TaskKind => ({
  atOnce: AT_ONCE,
  atOncePerTenant: AT_ONCE_PER_TENANT,
  giveUp: (hold, { code }) => endMail(ports, hold, code),
  kind: 'mail',
  plan: PLAN,
  work: (hold) => sendMail(ports, hold),
});

export const mailPortsOf = (process: WorkerProcess): MailPorts => ({
  ...casePortsOf(process),
  freshLink: process.ask(freshLink),
  sendMail: process.ask(sendCustomerMail),
});
