/** The state of the installation: whether its processes live, and what is wrong while it lasts. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { roles } from './roles.ts';
import { beatTable, troubleTable } from './tables.ts';

export const vitals = slice('vitals', {
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  operations: () => import('./edge/operations.ts'),
  roles,
  tables: { beatTable, troubleTable },
});
