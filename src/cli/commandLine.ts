/**
 * From words to an exit code: finds the command, checks its input, runs it, and turns a failure
 * into one sentence on standard error. It ends no process and reads no environment.
 */
import { DomainError, fullDisk, type ProblemTable } from '#core/kernel';
import {
  type Command,
  type DescribedCommand,
  EXIT,
  type ExitCode,
  readGiven,
  UsageError,
} from './command.ts';
import { nearestOf } from './didYouMean.ts';
import { FileFailure } from './files.ts';
import { BIN, helpOf, helpOfAll } from './help.ts';
import { createOutput, type Output, type Streams } from './output.ts';
import type { CliContext } from './ports.ts';

/** Everything of the context but the output, which depends on `--json`. */
export interface Surroundings<Opened> extends Omit<CliContext<Opened>, 'output'> {
  /** In the order of the help. */
  readonly commands: readonly Command<Opened>[];
  /** How this command line was called, for its help; absent: by its own name. */
  readonly program?: string;
  /** The product's. */
  readonly version: string;
  /** Their rows say how a command ends that threw one. */
  readonly problems: ProblemTable;
}

export async function runCommandLine<Opened>(
  words: readonly string[],
  streams: Streams,
  { commands, program = BIN, version, ...surroundings }: Surroundings<Opened>,
): Promise<ExitCode> {
  const output = createOutput(streams, { isJson: words.includes('--json') });
  if (words[0] === '--version') {
    output.result({ node: process.version, version }, `${version} (Node ${process.version})`);
    return EXIT.done;
  }
  try {
    const found = findCommand(commands, words);
    if ('helpOn' in found) {
      streams.out.write(`${helpOfAll(found.helpOn, program)}\n`);
      return EXIT.done;
    }
    const given = readGiven(found.command, found.rest);
    if (given.isSet('help')) {
      streams.out.write(`${helpOf(found.command, program)}\n`);
      return EXIT.done;
    }
    return await found.command.run({ ...surroundings, output }, given);
  } catch (error) {
    return present(error, output, { problems: surroundings.problems, program });
  }
}

type Found<Opened> =
  | { readonly helpOn: readonly Command<Opened>[] }
  | { readonly command: Command<Opened>; readonly rest: string[] };

function findCommand<Opened>(
  commands: readonly Command<Opened>[],
  words: readonly string[],
): Found<Opened> {
  const isHelpWanted = words.some((word) => word === '--help' || word === '-h');
  const typed = words.filter((word) => !/^(--help|-h|--json)$/.test(word));
  const command = commands
    .filter(({ words: name }) => isPrefix(name.split(' '), words))
    .sort((a, b) => b.words.length - a.words.length)[0];
  if (command !== undefined) {
    const rest = words.slice(command.words.split(' ').length);
    return { command, rest: rest.map((word) => (word === '-h' ? '--help' : word)) };
  }
  const ofNoun = commands.filter(({ words: name }) => isPrefix(typed, name.split(' ')));
  if (ofNoun.length > 0 && (isHelpWanted || typed.length === 0)) return { helpOn: ofNoun };
  const verbs = ofNoun.map(({ words: name }) => `'${name}'`).join(', ');
  throw new UsageError(verbs === '' ? unknownOf(commands, typed) : `expected one of ${verbs}`);
}

/** Says which commands are near to what was typed: `tenant lst` is `tenant list`. */
function unknownOf(commands: readonly DescribedCommand[], typed: readonly string[]): string {
  const names = commands.map(({ words: name }) => name);
  const longest = Math.max(...names.map((name) => name.split(' ').length));
  const given = typed.filter((word) => !word.startsWith('-')).slice(0, longest);
  const tries = given.map((_, index) => given.slice(0, given.length - index).join(' '));
  const near = tries.map((one) => nearestOf(one, names)).find((found) => found.length > 0);
  const unknown = `unknown command '${typed.slice(0, longest).join(' ')}'`;
  if (near === undefined) return unknown;
  return `${unknown}; did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`;
}

const isPrefix = (prefix: readonly string[], words: readonly string[]): boolean =>
  prefix.every((word, index) => word === words[index]);

function present(
  error: unknown,
  output: Output,
  { problems, program }: { readonly problems: ProblemTable; readonly program: string },
): ExitCode {
  if (error instanceof UsageError) {
    output.error(`${error.message}; see ${program} --help`);
    return EXIT.usage;
  }
  if (error instanceof FileFailure) {
    output.error(error.message);
    return EXIT.file;
  }
  if (error instanceof DomainError) {
    const parts = error.violations.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    output.error([`${error.code}: ${error.message}`, ...parts].join('; '));
    return EXIT[problems[error.code].exit ?? 'refused'];
  }
  if (error instanceof Error && ['ConfigError', 'StartRefusal'].includes(error.name)) {
    output.error(error.message);
    return EXIT.unavailable;
  }
  if (error instanceof Error && error.name === 'KeyError') {
    output.error(error.message);
    return EXIT.refused;
  }
  const full = fullDisk(error);
  if (full) {
    output.error(`${full.code}: the disk is full`);
    return EXIT.unavailable;
  }
  output.error(
    `internal error: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
  );
  return EXIT.internal;
}
