/** Onboarding: links by which customers fill in the form of their case. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { sessionTable } from './tables.ts';

export const onboarding = slice('onboarding', {
  answers: { freshLink: () => import('./edge/answers.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  settings,
  tables: { sessionTable },
});
