/** Nouns `tenant`, `key`, `person` and `approval` of the command line. */
import type { SliceCommand } from '../../processes.ts';
import { approvalCommands } from './approvalCommand.ts';
import { keyCommands } from './keyCommands.ts';
import { personCommands } from './personCommands.ts';
import { tenantCommands } from './tenantCommands.ts';

export { checks } from './checks.ts';

export const commands: readonly SliceCommand[] = [
  ...tenantCommands,
  ...keyCommands,
  ...personCommands,
  ...approvalCommands,
];
