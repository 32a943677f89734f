/** What people must know of: told once, by mail and hook, and kept to be read. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { conditionTable, noticeMessageTable, noticeTable, windowTable } from './tables.ts';

export const notifications = slice('notifications', {
  answers: { sendCustomerMail: () => import('./edge/answers.ts') },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  jobs: () => import('./edge/jobs.ts'),
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  tables: { conditionTable, noticeMessageTable, noticeTable, windowTable },
});
