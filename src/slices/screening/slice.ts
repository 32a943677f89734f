/** One name or subject against the lists in force, answered at once with its evidence. */

import { mayProcess } from '#core/privacy';
import { slice } from '../slice.ts';
import {
  exclusions,
  hitExplainer,
  monitorSubject,
  policyInForce,
  screeningEngine,
} from './asks.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { settings } from './settings.ts';
import { registeredHitTable, registeredScreeningTable } from './tables.ts';

export const screening = slice('screening', {
  commands: () => import('./edge/commands.ts'),
  asks: { exclusions, mayProcess, monitorSubject, policyInForce },
  events,
  holdings: () => import('./edge/holdings.ts'),
  limits,
  needs: { hitExplainer, screeningEngine },
  operations: () => import('./edge/operations.ts'),
  problems,
  publicEvents: () => import('./edge/publicEvents.ts'),
  roles,
  settings,
  tables: { registeredHitTable, registeredScreeningTable },
});
