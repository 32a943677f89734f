/** Noun `batch` of the command line. */
import type { SliceCommand } from '../../processes.ts';
import { batchCheckCommands } from './checkCommand.ts';
import { batchEraseCommands } from './eraseCommand.ts';
import { batchFileCommands } from './fileCommands.ts';
import { batchHitCommands } from './hitCommand.ts';
import { batchOrderCommands } from './orderCommands.ts';

export { checks } from './stateChecks.ts';

export const commands: readonly SliceCommand[] = [
  ...batchCheckCommands,
  ...batchOrderCommands,
  ...batchHitCommands,
  ...batchFileCommands,
  ...batchEraseCommands,
];
