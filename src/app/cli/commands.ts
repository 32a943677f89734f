/** The commands of all slices, and their checks for `doctor`. */
import type { Command } from '../../cli/command.ts';
import { completionCommand } from '../../cli/completion.ts';
import { doctorCommands } from '../../cli/doctor.ts';
import type { CliProcess, SliceCheck, SliceCommand } from '../../slices/processes.ts';
import type { Slice } from '../../slices/slice.ts';
import { SLICES } from '../slices.ts';
import { backupCommands } from './backupCommands.ts';

/** In the help these nouns come first, in the order in which an administrator needs them. */
const NOUNS_FIRST = [
  'tenant',
  'key',
  'list',
  'person',
  'approval',
  'audit',
  'screen',
  'batch',
  'keys',
  'event',
];

export interface LoadedCommands {
  readonly checks: readonly SliceCheck[];
  /** In the order of the help. */
  readonly commands: readonly Command<CliProcess>[];
}

export async function loadCommands(): Promise<LoadedCommands> {
  const slices: readonly Slice[] = SLICES;
  const parts = await Promise.all(slices.flatMap(({ commands }) => commands?.() ?? []));
  const commands = [
    ...inOrder(parts.flatMap(({ commands }) => commands)),
    ...backupCommands,
    ...doctorCommands,
  ];
  return {
    checks: parts.flatMap(({ checks }) => checks ?? []),
    commands: [...commands, completionCommand(commands)],
  };
}

/** By nouns; within a noun, and for nouns that are not named above, as slices have them. */
function inOrder(commands: readonly SliceCommand[]): readonly SliceCommand[] {
  const nounOf = ({ words }: SliceCommand): string => words.split(' ')[0] ?? '';
  const nouns = new Set([...NOUNS_FIRST, ...commands.map(nounOf)]);
  return [...nouns].flatMap((noun) => commands.filter((command) => nounOf(command) === noun));
}
