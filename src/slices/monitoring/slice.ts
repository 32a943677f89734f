/** Transactions as banks send them: four formats read into one record, and a log of records. */
import { slice } from '../slice.ts';
import { evaluateTransactions, messageThread } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import {
  transactionLogHeadTable,
  transactionLogTable,
  transactionMessageTable,
  transactionStateTable,
} from './tables.ts';

export const monitoring = slice('monitoring', {
  asks: { evaluateTransactions },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  limits,
  needs: { messageThread },
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  settings,
  tables: {
    transactionLogHeadTable,
    transactionLogTable,
    transactionMessageTable,
    transactionStateTable,
  },
});
