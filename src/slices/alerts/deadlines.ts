/** Alerts that nobody has closed in time: one revision each says so, once. */
import { StaleChange } from '#core/audit';
import { isConflict, type PageCursor } from '#core/kernel';
import { allTogether, type PerTenant } from '#core/work';
import type { AlertFigures } from './alertFigures.ts';
import { commitStep } from './changeAlert.ts';
import type { AlertDeskPorts } from './ports.ts';
import { type Alert, alertTable } from './tables.ts';

/** Alerts that one run of the job marks. */
export const OVERDUE_PER_RUN_MAX = 1_000;
/** Alerts that one run looks at. */
const LOOKED_MAX = 20_000;
const PAGE = 100;

/** What one run came to. */
export interface OverdueRun {
  readonly overdue: number;
  /** Alerts that are not what was signed: they are left as they are, for `doctor` to name. */
  readonly altered: number;
}

/**
 * Marks what is overdue. Harmless to repeat, and to do at once. What cannot be marked is passed
 * over and stands in nobody's way.
 */
export async function markOverdue(
  ports: AlertDeskPorts,
  figures?: Pick<AlertFigures, 'overdue'>,
  perTenant: PerTenant = allTogether,
): Promise<OverdueRun> {
  const now = ports.clock.now();
  let [altered, overdue] = [0, 0];
  let after: PageCursor | undefined;
  for (let looked = 0; looked < LOOKED_MAX && overdue < OVERDUE_PER_RUN_MAX; looked += PAGE) {
    const { next, records } = await ports.tables.page(alertTable, {
      equal: { isRunning: true },
      index: 'due',
      limit: PAGE,
      to: now,
      ...(after !== undefined && { after }),
    });
    for (const alert of records) {
      const became = await perTenant(alert.tenantId, () => mark(ports, alert));
      if (became === 'altered') altered += 1;
      if (became !== 'marked') continue;
      figures?.overdue(alert.severity);
      overdue += 1;
    }
    after = next;
    if (after === undefined) break;
  }
  return { altered, overdue };
}

/** `busy`: somebody works on it at this moment, and the next run looks again. */
async function mark(ports: AlertDeskPorts, alert: Alert): Promise<'altered' | 'busy' | 'marked'> {
  if (!(await ports.signed.isAsSigned(alert))) return 'altered';
  const step = { action: 'aml.alert.overdue', change: { deadline: 'breached' } } as const;
  try {
    await commitStep(ports, alert, { actor: 'system:alerts', step });
    return 'marked';
  } catch (error) {
    if (error instanceof StaleChange || isConflict(error)) return 'busy';
    throw error;
  }
}
