/** Reports to the authority: drafted, validated, filed, and kept from everybody else. */
import { slice } from '../slice.ts';
import { romaniseWords } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { strDispatchTable, strProfileTable, strRemoteTable, strReportTable } from './tables.ts';

export const str = slice('str', {
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { romaniseWords },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { strDispatchTable, strProfileTable, strRemoteTable, strReportTable },
});
