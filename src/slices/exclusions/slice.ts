/** Who is not which listed party: decided by people, and ended by a change of either side. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { exclusionSetTable, exclusionTable, exclusionUseTable } from './tables.ts';

export const exclusions = slice('exclusions', {
  answers: { exclusions: () => import('./edge/answers.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  tables: { exclusionSetTable, exclusionTable, exclusionUseTable },
});
