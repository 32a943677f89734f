/** Customers: cases of identity verification, from the first word to decision and review. */
import { mayProcess } from '#core/privacy';
import { screeningEngine } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import { flagsOfSubject, freshLink, riskOfCase } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { caseDocumentTable, caseTable, subjectTable, taskTable, workflowTable } from './tables.ts';

export const customers = slice('customers', {
  asks: { flagsOfSubject, freshLink, mayProcess, riskOfCase },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { screeningEngine },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { caseTable, caseDocumentTable, subjectTable, taskTable, workflowTable },
});
