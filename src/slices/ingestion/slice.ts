/** Sources of lists, their schedules, and the runs that put a list in force. */
import { slice } from '../slice.ts';
import { cadences, carryOver, indexTools, listSources } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { runTable, scheduleAuditTable } from './tables.ts';

const approvals = () => import('./edge/approvals.ts');

export const ingestion = slice('ingestion', {
  approvals: {
    sanctions_list_run: approvals,
    sanctions_schedule: approvals,
    sanctions_source: approvals,
  },
  asks: { cadences, carryOver },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  needs: { indexTools, listSources },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { runs: runTable, scheduleAudit: scheduleAuditTable },
});
