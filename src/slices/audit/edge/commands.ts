/** Nouns `audit`, `keys` and `event` of the command line. */
import type { SliceCommand } from '../../processes.ts';
import { eventCommands } from './eventCommands.ts';
import { auditCommands } from './evidenceCommands.ts';
import { keysCommands } from './keyCommands.ts';

export { checks } from './checks.ts';

export const commands: readonly SliceCommand[] = [
  ...auditCommands,
  ...keysCommands,
  ...eventCommands,
];
