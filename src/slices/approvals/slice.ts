/** Changes under dual control that are asked for, seen and signed at /v1/approvals. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { approvalTable } from './tables.ts';

export const approvals = slice('approvals', {
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  tables: { approvalTable },
});
