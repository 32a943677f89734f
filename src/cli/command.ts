/**
 * The grammar of the command line: a command is words (`person key add`), named options and
 * positionals, and describes itself. Unknown input is refused; nothing is guessed.
 */
import { parseArgs } from 'node:util';
import type { CliContext } from './ports.ts';

/** Documented in docs/cli.md; scripts rely on them. */
export const EXIT = {
  done: 0,
  /** A check ran and found something bad: `audit verify`, `doctor`. */
  bad: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A tenant, key, person or source that is not there. */
  notFound: 3,
  /** Refused: a value, a state or a list file that cannot be. */
  refused: 4,
  /** The environment is wrong, or the store cannot be reached. */
  unavailable: 5,
  /** A file cannot be read or written. */
  file: 6,
  internal: 70,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'checked and found bad',
  2: 'wrong command line',
  3: 'not found',
  4: 'refused: a value, a state or a list file that cannot be',
  5: 'wrong environment, or store unavailable',
  6: 'a file cannot be read or written',
  70: 'internal error',
};

export interface CommandOption {
  readonly name: string;
  /** Shown for its value; absent: a switch. */
  readonly value?: string;
  readonly required?: boolean;
  readonly repeatable?: boolean;
  readonly help: string;
}

export interface Positional {
  readonly name: string;
  readonly help: string;
  /** One or more, at the end. */
  readonly isRest?: boolean;
}

/** `Opened` is the installation that it may open; without one it opens none, or does not care. */
export interface Command<Opened = unknown> {
  /** The words to type: `tenant create`. */
  readonly words: string;
  readonly summary: string;
  readonly positionals?: readonly Positional[];
  readonly options?: readonly CommandOption[];
  readonly example: string;
  run(context: CliContext<Opened>, given: Given): Promise<ExitCode>;
}

/** The typed input, checked against the command: a required value is there. */
export interface Given {
  value(name: string): string;
  optional(name: string): string | undefined;
  all(name: string): readonly string[];
  isSet(name: string): boolean;
  readonly positionals: readonly string[];
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMON: readonly CommandOption[] = [
  { name: 'json', help: 'print the result as one line of JSON' },
  { name: 'help', help: 'say what this command does' },
];

/** The parts of a command for help and grammar: all but how it runs. */
export type DescribedCommand = Omit<Command, 'run'>;

export const optionsOf = (command: DescribedCommand): readonly CommandOption[] => [
  ...(command.options ?? []),
  ...COMMON,
];

/** Throws UsageError: one sentence that names what is wrong. */
export function readGiven(command: DescribedCommand, words: readonly string[]): Given {
  const options = optionsOf(command);
  const { tokens } = parseArgs({
    allowPositionals: true,
    args: [...words],
    options: Object.fromEntries(
      options.map((option) => [
        option.name,
        { type: option.value ? 'string' : 'boolean' } as const,
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const found = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = options.find((one) => `--${one.name}` === token.rawName);
    if (option === undefined) throw new UsageError(`unknown option ${token.rawName}`);
    found.set(option.name, [...(found.get(option.name) ?? []), readValue(option, token.value)]);
  }
  for (const option of options) refuseCount(option, found.get(option.name)?.length ?? 0, found);
  if (!found.has('help')) refusePositionals(command, positionals);
  return givenOf(found, positionals);
}

function readValue(option: CommandOption, value: string | undefined): string {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`--${option.name} takes no value`);
    return '';
  }
  // `--out --json` would swallow the next option as a file's name.
  if (value === undefined || value === '' || /^--[a-z]/.test(value)) {
    throw new UsageError(`--${option.name} needs a value: ${option.value}`);
  }
  return value;
}

function refuseCount(option: CommandOption, count: number, found: Map<string, string[]>): void {
  if (count > 1 && option.repeatable !== true) {
    throw new UsageError(`--${option.name} was given ${count} times`);
  }
  if (count === 0 && option.required === true && !found.has('help')) {
    throw new UsageError(`--${option.name} ${option.value} is missing`);
  }
}

function refusePositionals(command: DescribedCommand, given: readonly string[]): void {
  const expected = command.positionals ?? [];
  const isOpenEnded = expected.at(-1)?.isRest === true;
  const missing = expected[given.length];
  if (missing !== undefined) throw new UsageError(`${missing.name} is missing: ${missing.help}`);
  if (given.length > expected.length && !isOpenEnded) {
    throw new UsageError(`unexpected word '${given[expected.length]}'`);
  }
}

function givenOf(found: ReadonlyMap<string, string[]>, positionals: readonly string[]): Given {
  return {
    all: (name) => found.get(name) ?? [],
    isSet: (name) => found.has(name),
    optional: (name) => found.get(name)?.[0],
    positionals,
    value: (name) => {
      const value = found.get(name)?.[0];
      if (value === undefined) throw new UsageError(`--${name} is missing`);
      return value;
    },
  };
}
