/** The register of screenings: listed, checked against the chain, shown one by one. */
import { indexTools } from '../ingestion/asks.ts';
import { screeningEngine } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import { drawReport, eventThread, reportThread, rescreeningFigures } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import {
  chainBreakTable,
  chainWalkTable,
  registerProgressTable,
  replayTable,
  screeningBucketTable,
  screeningUsageTable,
} from './tables.ts';

const answers = () => import('./edge/answers.ts');

export const sanctions = slice('sanctions', {
  answers: { editingLock: answers, screeningById: answers },
  approvals: { audit_chain: () => import('./edge/approvals.ts') },
  asks: { rescreeningFigures },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  needs: { drawReport, eventThread, indexTools, reportThread, screeningEngine },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  tables: {
    chainBreakTable,
    chainWalkTable,
    registerProgressTable,
    replayTable,
    screeningBucketTable,
    screeningUsageTable,
  },
});
