/** The entries of a run's start, and of an end that published nothing, in the platform's chain. */
import type { EventDraft, JsonObject } from '#domain/audit';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { EventId } from '../kernel/index.ts';
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

/** Entries of lists name no person of a tenant, so their open part is empty. */
function entry(
  context: Context,
  run: ListRun,
  what: { action: string; severity: 'INFO' | 'NOTICE' | 'ALERT'; members: JsonObject },
): EventDraft {
  const at = context.clock.now();
  const { action, severity } = what;
  const actor = run.triggeredBy;
  return {
    eventId: uuidV7(at, context.random) as EventId,
    type: 'entry',
    occurredAt: at,
    action,
    members: { ...what.members, action, actor, run_id: run.runId, severity, target: run.sourceId },
    open: {},
  };
}
