/** Rules over transactions: a language, a default pack, versions with two signatures, alerts. */
import { editingLock } from '../policies/asks.ts';
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import {
  backtestTable,
  ruleAlertTable,
  rulePositionTable,
  ruleResultTable,
  ruleTable,
  suppressionTable,
} from './tables.ts';

export const rules = slice('rules', {
  approvals: { monitoring_rule: () => import('./edge/approvals.ts') },
  answers: {
    evaluateTransactions: () => import('./edge/answers.ts'),
    ruleAlert: () => import('./edge/answers.ts'),
    ruleAlertSubject: () => import('./edge/answers.ts'),
    ruleKeysOfCustomer: () => import('./edge/answers.ts'),
  },
  asks: { editingLock },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  tables: {
    backtestTable,
    ruleAlertTable,
    rulePositionTable,
    ruleResultTable,
    ruleTable,
    suppressionTable,
  },
});
