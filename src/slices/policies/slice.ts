/** What a tenant decides of its screenings: versions, drafts, two signatures, roll-back. */
import { exclusions } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import { editingLock } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { policyTable } from './tables.ts';

export const policies = slice('policies', {
  answers: {
    cadences: () => import('./edge/cadences.ts'),
    policyInForce: () => import('./edge/answers.ts'),
  },
  approvals: { sanctions_policy: () => import('./edge/approvals.ts') },
  asks: { editingLock, exclusions },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  tables: { policyTable },
});
