/** Requests of persons about their data, and what they have asked for that stops processing. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { erasureWorkTable, vaultTable } from './erasureTables.ts';
import { events } from './events.ts';
import { legalHoldTable } from './holdTable.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { privacyRequestTable, subjectFlagTable } from './tables.ts';

export const privacy = slice('privacy', {
  answers: {
    erasePersonAgain: () => import('./edge/answers.ts'),
    flagsOfSubject: () => import('./edge/answers.ts'),
    isHeld: () => import('./edge/answers.ts'),
    mayProcess: () => import('./edge/answers.ts'),
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
  settings,
  tables: {
    erasureWorkTable,
    legalHoldTable,
    privacyRequestTable,
    subjectFlagTable,
    vaultTable,
  },
});
