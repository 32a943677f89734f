/** The entries of a run's start, and of an end that published nothing, in the platform's chain. */
import { type Entry, type EntryContext, type EventDraft, entry } from '#core/audit';
import type { ListRun } from './ports.ts';

export function startEntry(context: EntryContext, run: ListRun, ip?: string): EventDraft {
  const isManual = run.triggeredBy !== 'cron';
  return runEntry(context, run, {
    action: isManual ? 'SANCTIONS_MANUAL_TRIGGER' : 'SANCTIONS_RUN_STARTED',
    severity: isManual ? 'NOTICE' : 'INFO',
    members: { kind: run.kind },
    ...(ip !== undefined && { ip }),
  });
}

export function endEntry(context: EntryContext, run: ListRun): EventDraft {
  if (run.status === 'skipped') {
    const members = run.listVersion === undefined ? {} : { list_version: run.listVersion };
    return runEntry(context, run, { action: 'SANCTIONS_LIST_SKIPPED', severity: 'INFO', members });
  }
  return runEntry(context, run, {
    action: 'SANCTIONS_LIST_FAILED',
    severity: 'ALERT',
    members: { code: run.errorCode ?? 'internal', detail: run.errorMessage ?? '' },
  });
}

function runEntry(
  context: EntryContext,
  { runId, sourceId: target, triggeredBy: actor }: ListRun,
  what: Pick<Entry, 'action' | 'severity' | 'members' | 'ip'>,
): EventDraft {
  return entry(context, {
    ...what,
    actor,
    members: { ...what.members, run_id: runId },
    target,
  });
}
