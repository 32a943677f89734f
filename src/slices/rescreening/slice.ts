/** Customers compared with each version of the lists: who is new on one, and who is gone. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import {
  coverageTable,
  enrolmentTable,
  monitoredTable,
  rescreenedTable,
  runTable,
  sightingTable,
} from './tables.ts';

export const rescreening = slice('rescreening', {
  answers: {
    listChangeSubject: () => import('./edge/answers.ts'),
    monitorSubject: () => import('./edge/answers.ts'),
    rescreeningFigures: () => import('./edge/figures.ts'),
  },
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
  tables: {
    coverageTable,
    enrolmentTable,
    monitoredTable,
    rescreenedTable,
    runTable,
    sightingTable,
  },
});
