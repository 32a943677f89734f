/**
 * Reminders of open requests. Each is written in the commit that moves the request to its next one,
 * so two workers send one, and a worker that was away sends the latest of those it missed.
 */
import { overwrite } from '#core/audit';
import { everyRecord } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { effectiveDue, nextReminder, reminderDue } from './deadlines.ts';
import type { PrivacyPorts } from './ports.ts';
import { commitRequest } from './requestStep.ts';
import { type PrivacyRequest, privacyRequestTable } from './tables.ts';

/** Reminds of all that are due; answers of how many, and how many are not what was signed. */
export async function sendReminders(
  ports: PrivacyPorts,
): Promise<{ readonly altered: number; readonly reminded: number }> {
  const now = ports.clock.now();
  let [altered, reminded] = [0, 0];
  const due = { equal: { isOpen: true }, index: 'due', to: now + 1 };
  for await (const request of everyRecord(ports.tables, privacyRequestTable, due)) {
    const outcome = await remind(ports, request, now);
    if (outcome === 'altered') altered++;
    if (outcome === 'reminded') reminded++;
  }
  return { altered, reminded };
}

type Outcome = 'altered' | 'reminded' | 'settled';

function remind(ports: PrivacyPorts, of: PrivacyRequest, now: EpochMs): Promise<Outcome> {
  return overwrite(async () => {
    const before = await ports.signed.requireRequest(of).catch((error: { code?: unknown }) => {
      // One that was altered past the service must not keep the others from being reminded of.
      if (error.code === 'state-altered') return undefined;
      throw error;
    });
    if (before === undefined) return 'altered';
    const { remindAt } = before;
    if (remindAt === undefined || remindAt > now) return 'settled';
    const due = effectiveDue(before);
    const { daysLeft } = reminderDue(due, remindAt, now);
    const after = {
      ...before,
      remindAt: nextReminder(due, now).at,
      version: before.version + 1,
    };
    await commitRequest(ports, {
      action: 'privacy.request.reminded',
      after,
      before,
      by: { actor: 'system:privacy' },
      members: { days_left: daysLeft },
    });
    return 'reminded';
  });
}
