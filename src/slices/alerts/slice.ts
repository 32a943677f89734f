/** Alerts of screenings and batches: raised, worked on, closed, streamed. */
import { slice } from '../slice.ts';
import {
  customersOfPayments,
  listChangeSubject,
  listedPartyPayments,
  ruleAlertSubject,
  ruleKeysOfCustomer,
} from './asks.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { alertLogHeadTable, alertLogTable, alertNoteTable, alertTable } from './tables.ts';

export const alerts = slice('alerts', {
  asks: {
    customersOfPayments,
    listChangeSubject,
    listedPartyPayments,
    ruleAlertSubject,
    ruleKeysOfCustomer,
  },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  events,
  holdings: () => import('./edge/holdings.ts'),
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { alertLogHeadTable, alertLogTable, alertNoteTable, alertTable },
});
