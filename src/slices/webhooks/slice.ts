/** What happened, told to the customers' own systems: signed, retried, and proved. */
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { forcedReplayTable, replayTable } from './replayTables.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import {
  arrivalTable,
  configurationTable,
  deliveryTable,
  endpointTable,
  messageTable,
} from './tables.ts';
import { bucketTallyTable, tallyPlaceTable } from './tallyTables.ts';

export const webhooks = slice('webhooks', {
  auditActions,
  answers: { webhookDelivered: () => import('./edge/answers.ts') },
  commands: () => import('./edge/commands.ts'),
  events,
  jobs: () => import('./edge/jobs.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  settings,
  tables: {
    arrival: arrivalTable,
    configuration: configurationTable,
    delivery: deliveryTable,
    endpoint: endpointTable,
    forcedReplay: forcedReplayTable,
    message: messageTable,
    replay: replayTable,
    tally: bucketTallyTable,
    tallyPlace: tallyPlaceTable,
  },
});
