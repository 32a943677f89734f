/** Registries of companies: looked up live, in an extract, or in what was answered lately. */
import { mayProcess } from '#core/privacy';
import { slice } from '../slice.ts';
import { auditActions } from './auditActions.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';
import { roles } from './roles.ts';
import { registryExtractTable, registryLookupTable } from './tables.ts';

export const registries = slice('registries', {
  asks: { mayProcess },
  auditActions,
  commands: () => import('./edge/commands.ts'),
  holdings: () => import('./edge/holdings.ts'),
  limits,
  operations: () => import('./edge/operations.ts'),
  problems,
  roles,
  tables: { registryExtractTable, registryLookupTable },
});
