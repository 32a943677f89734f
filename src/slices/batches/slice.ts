/** Cohorts screened by workers, from the upload to the proof of one subject. */
import { mayProcess } from '#core/privacy';
import { exclusions } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import {
  caseWords,
  chunkEngine,
  renderAttestation,
  resultThread,
  screeningById,
  storedCases,
  webhookDelivered,
  writeReports,
} from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { batchTable, chunkTable, issueTable, reviewTable } from './tables.ts';

export const batches = slice('batches', {
  answers: { eraseParts: () => import('./edge/answers.ts') },
  asks: { caseWords, exclusions, mayProcess, screeningById, storedCases, webhookDelivered },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { chunkEngine, renderAttestation, resultThread, writeReports },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { batch: batchTable, chunk: chunkTable, issue: issueTable, review: reviewTable },
});
