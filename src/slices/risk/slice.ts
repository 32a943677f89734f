/** Risk: policies by which clients are evaluated, and evaluations that anybody can make again. */
import { slice } from '../slice.ts';
import { drawBacktest } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import {
  riskBacktestTable,
  riskClientTable,
  riskContentTable,
  riskPolicyTable,
  riskShadowTable,
} from './tables.ts';

export const risk = slice('risk', {
  approvals: {
    'risk-client': () => import('./edge/approvals.ts'),
    'risk-policy': () => import('./edge/approvals.ts'),
  },
  answers: { riskOfCase: () => import('./edge/answers.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { drawBacktest },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: {
    riskBacktestTable,
    riskClientTable,
    riskContentTable,
    riskPolicyTable,
    riskShadowTable,
  },
});
