/** Alerts that nobody has closed in time: one revision each says so, once. */
import { StaleChange } from '#core/audit';
import { isConflict } from '#core/kernel';
import { commitStep } from './changeAlert.ts';
import type { AlertPorts } from './ports.ts';
import { alertTable } from './tables.ts';

/** Alerts that one run of the job looks at. */
export const OVERDUE_PER_RUN_MAX = 1_000;
const PAGE = 100;

/** Marks what is overdue; answers how many. Harmless to repeat, and to do at once. */
export async function markOverdue(ports: AlertPorts): Promise<number> {
  const now = ports.clock.now();
  let marked = 0;
  for (let looked = 0; looked < OVERDUE_PER_RUN_MAX; looked += PAGE) {
    const { records } = await ports.tables.page(alertTable, {
      equal: { isRunning: true },
      index: 'due',
      limit: PAGE,
      to: now,
    });
    for (const alert of records) {
      const step = { action: 'aml.alert.overdue', change: { deadline: 'breached' } } as const;
      try {
        await commitStep(ports, alert, { actor: 'system:alerts', step });
        marked += 1;
      } catch (error) {
        // Somebody works on it at this moment: the next run looks again.
        if (!(error instanceof StaleChange || isConflict(error))) throw error;
      }
    }
    if (records.length < PAGE) return marked;
  }
  return marked;
}
