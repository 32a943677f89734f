/** What documents are and say: inspected, scanned for malware, and read in cages. */
import { slice } from '../slice.ts';
import { compareNames } from './asks.ts';
import { limits } from './limits.ts';
import { problems } from './problems.ts';

export const recognition = slice('recognition', {
  commands: () => import('./edge/commands.ts'),
  limits,
  needs: { compareNames },
  problems,
});
