/** The evidence of a tenant: its trail over HTTP, its exports and keys on the command line. */
import { isHeld } from '#core/privacy';
import { slice } from '../slice.ts';
import { eraseLogParts, eraseParts, erasePersonAgain } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';

export const audit = slice('audit', {
  asks: { eraseLogParts, eraseParts, erasePersonAgain, isHeld },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  jobs: () => import('./edge/jobs.ts'),
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
});
