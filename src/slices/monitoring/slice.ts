/** Transactions as banks send them, in four formats, read into one record. */
import { slice } from '../slice.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';

export const monitoring = slice('monitoring', {
  commands: () => import('./edge/commands.ts'),
  limits,
  problems,
});
