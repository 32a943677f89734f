/** Tax reporting: who is reported under FATCA and CRS, and why. */
import { slice } from '../slice.ts';
import { answerThread } from './asks.ts';
import { auditActions } from './auditActions.ts';
import { declarationNumberTable, declarationTable, generationTable } from './declarationTables.ts';
import { events } from './events.ts';
import { channelTable, filingTable, notificationTable } from './filingTables.ts';
import { taxFormTable } from './formTable.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import {
  accountBookTable,
  accountImportPartTable,
  accountImportTable,
  accountPlaceTable,
  accountSegmentTable,
  ffiListTable,
  reportingFiTable,
  taxClassificationTable,
} from './tables.ts';

export const tax = slice('tax', {
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  needs: { answerThread },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  tables: {
    accountBookTable,
    accountImportPartTable,
    accountImportTable,
    accountPlaceTable,
    accountSegmentTable,
    channelTable,
    declarationNumberTable,
    declarationTable,
    ffiListTable,
    filingTable,
    generationTable,
    notificationTable,
    reportingFiTable,
    taxClassificationTable,
    taxFormTable,
  },
});
