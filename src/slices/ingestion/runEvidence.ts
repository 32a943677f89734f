/** The entries of a run's start, and of an end that published nothing, in the platform's chain. */
import type { EventDraft } from '#core/audit';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { type ListEntry, listEntry } from './listEntry.ts';
import type { ListRun } from './ports.ts';

interface Context {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

export function startEntry(context: Context, run: ListRun): EventDraft {
  const isManual = run.triggeredBy !== 'cron';
  return entry(context, run, {
    action: isManual ? 'SANCTIONS_MANUAL_TRIGGER' : 'SANCTIONS_RUN_STARTED',
    severity: isManual ? 'NOTICE' : 'INFO',
    members: { kind: run.kind },
  });
}

export function endEntry(context: Context, run: ListRun): EventDraft {
  if (run.status === 'skipped') {
    const members = run.listVersion === undefined ? {} : { list_version: run.listVersion };
    return entry(context, run, { action: 'SANCTIONS_LIST_SKIPPED', severity: 'INFO', members });
  }
  return entry(context, run, {
    action: 'SANCTIONS_LIST_FAILED',
    severity: 'ALERT',
    members: { code: run.errorCode ?? 'internal', detail: run.errorMessage ?? '' },
  });
}

function entry(
  context: Context,
  { runId, sourceId: target, triggeredBy: actor }: ListRun,
  what: Pick<ListEntry, 'action' | 'severity' | 'members'>,
): EventDraft {
  return listEntry(context, {
    ...what,
    actor,
    members: { ...what.members, run_id: runId },
    target,
  });
}
