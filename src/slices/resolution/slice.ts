/** Which entries of several lists are one, and what a person took apart. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { resolutionTable } from './tables.ts';

export const resolution = slice('resolution', {
  answers: { carryOver: () => import('./edge/answers.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  jobs: () => import('./edge/jobs.ts'),
  tables: { resolution: resolutionTable },
});
