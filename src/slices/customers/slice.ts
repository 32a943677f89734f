/** Customers: cases of identity verification, from the first word to decision and review. */
import { isHeld, mayProcess } from '#core/privacy';
import { screeningEngine } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import {
  flagsOfSubject,
  forgetSubmissions,
  freshLink,
  knowsForm,
  riskOfCase,
  sendCustomerMail,
} from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { caseDocumentTable, caseTable, subjectTable, taskTable, workflowTable } from './tables.ts';

export const customers = slice('customers', {
  answers: {
    caseWords: () => import('./edge/answers.ts'),
    storedCases: () => import('./edge/answers.ts'),
  },
  asks: {
    flagsOfSubject,
    forgetSubmissions,
    freshLink,
    isHeld,
    knowsForm,
    mayProcess,
    riskOfCase,
    sendCustomerMail,
  },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
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
