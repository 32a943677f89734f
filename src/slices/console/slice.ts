/** The console: the pages that people work with in a browser, and how they sign in there. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { limits } from './limits.ts';
import { consoleLinkTable, consoleLoginTable } from './tables.ts';

export const console = slice('console', {
  auditActions,
  commands: () => import('./edge/commands.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  tables: { consoleLinkTable, consoleLoginTable },
});
