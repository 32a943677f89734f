/**
 * Rows of alerts, each compared with its last entry before it is shown. One that is not what was
 * signed says so, and nothing is read by what it says of itself.
 */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { turnsOf } from '#platform/turns';
import { type Alert, subjectsOf } from '#slices/alerts';
import type { ReadingCaller } from '#slices/batches';
import type { AlertParts } from './parts.ts';
import { presentAlert } from './presentation.ts';

/** Alerts of one tenant; a chunk of a batch is read once for all of its own. */
export async function presentAll(
  options: AlertParts,
  {
    alerts,
    by,
    tenantId,
  }: {
    readonly tenantId: TenantId;
    readonly alerts: readonly Alert[];
    readonly by?: ReadingCaller;
  },
) {
  const turn = turnsOf(options.clock);
  const signed = await options.signed.areAsSigned(tenantId, alerts, turn);
  const now = options.clock.now();
  const good = alerts.filter((_, at) => signed[at] === true);
  const subjectIn = subjectsOf(options, good, { ...(by && { by }) });
  const rows = [];
  for (const [at, alert] of alerts.entries()) {
    const isSigned = signed[at] === true;
    const subject = isSigned ? await subjectIn(alert) : NOT_READ;
    const shown = isSigned ? alert : tamed(alert);
    rows.push(presentAlert(shown, { isAltered: !isSigned, now, subject }));
    await turn();
  }
  return rows;
}

/** A forged record may lack anything: its plain members are shown, and times that are times. */
function tamed({ outcome: _, proposal: __, reviews: ___, ...alert }: Alert): Alert {
  const time = (at: EpochMs) => (Number.isNaN(new Date(at).getTime()) ? (0 as EpochMs) : at);
  return {
    ...alert,
    cause: alert.cause ?? { kind: 'screening', screeningId: '' },
    createdAt: time(alert.createdAt),
    dueAt: time(alert.dueAt),
    updatedAt: time(alert.updatedAt),
  };
}

const NOT_READ = { fault: 'alert-altered', hits: [], isErased: false } as const;
