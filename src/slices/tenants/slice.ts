/** Tenants, their API keys and their people: nouns of the administrator's command line. */
import { slice } from '../slice.ts';

export const tenants = slice('tenants', {
  commands: () => import('./edge/commands.ts'),
  jobs: () => import('./edge/jobs.ts'),
});
