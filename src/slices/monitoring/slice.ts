/** Transactions as banks send them: four formats read into one record, and a log of records. */
import { mayProcess } from '#core/privacy';
import { screeningEngine } from '../screening/asks.ts';
import { slice } from '../slice.ts';
import { evaluateTransactions, messageThread, ruleAlert, textThread } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import {
  customerFactTable,
  exchangeRatesTable,
  transactionFilePartTable,
  transactionFileTable,
  transactionLogHeadTable,
  transactionLogTable,
  transactionMatchTable,
  transactionMessageTable,
  transactionStateTable,
} from './tables.ts';

export const monitoring = slice('monitoring', {
  answers: {
    customersOfPayments: () => import('./edge/answers.ts'),
    eraseLogParts: () => import('./edge/answers.ts'),
    listedPartyPayments: () => import('./edge/answers.ts'),
  },
  asks: { evaluateTransactions, mayProcess, ruleAlert },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { messageThread, screeningEngine, textThread },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: {
    customerFactTable,
    exchangeRatesTable,
    transactionFilePartTable,
    transactionFileTable,
    transactionLogHeadTable,
    transactionLogTable,
    transactionMatchTable,
    transactionMessageTable,
    transactionStateTable,
  },
});
