/** Noun `list` of the command line, as far as runs and files of lists go. */
import type { SliceCommand } from '../../processes.ts';
import { listCommands } from './listCommands.ts';
import { runCommands } from './runCommands.ts';
import { signFileCommands } from './signFileCommand.ts';

export { checks } from './checks.ts';

export const commands: readonly SliceCommand[] = [
  ...listCommands,
  ...runCommands,
  ...signFileCommands,
];
