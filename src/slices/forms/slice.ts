/** Forms: definitions by steps, one evaluator, versions with two signatures. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { formTable, formVersionTable, submissionTable } from './tables.ts';

export const forms = slice('forms', {
  answers: {
    forgetSubmissions: () => import('./edge/answers.ts'),
    knowsForm: () => import('./edge/answers.ts'),
  },
  approvals: { form: () => import('./edge/approvals.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { formTable, formVersionTable, submissionTable },
});
