/** The text of `--help`: for the whole command line, for a noun, for one command. */
import { type DescribedCommand, EXIT_MEANINGS, optionsOf } from './command.ts';

/** `bin` of package.json. */
export const BIN = 'compliance';

export function helpOfAll(commands: readonly DescribedCommand[], program: string): string {
  const rows = commands.map((command): [string, string] => [signatureOf(command), command.summary]);
  return [
    `Usage: ${program} <noun> <verb> … [--json] [--help]`,
    '',
    ...aligned(rows),
    '',
    'It works on the installation that the environment names (DATA_DIR, MONGODB_URL), whether the',
    'service runs or not; a running service sees a change within two seconds.',
    '',
    'Exit codes:',
    ...aligned(Object.entries(EXIT_MEANINGS)),
  ].join('\n');
}

export function helpOf(command: DescribedCommand, program: string): string {
  const options = optionsOf(command).map((option): [string, string] => [
    `--${option.name}${option.value ? ` ${option.value}` : ''}`,
    `${option.help}${option.required ? ' (required)' : ''}`,
  ]);
  const positionals = (command.positionals ?? []).map(({ name, help }): [string, string] => [
    name,
    help,
  ]);
  return [
    `Usage: ${program} ${signatureOf(command)}`,
    '',
    `${command.summary}.`,
    '',
    ...aligned([...positionals, ...options]),
    '',
    `Example: ${program} ${command.example}`,
  ].join('\n');
}

/** The words, then what has to be given, then what may be. */
export function signatureOf(command: DescribedCommand): string {
  const positionals = (command.positionals ?? []).map(
    ({ name, isRest }) => `${name}${isRest ? ' …' : ''}`,
  );
  const required = (command.options ?? [])
    .filter((option) => option.required === true)
    .map((option) => `--${option.name} ${option.value}`);
  return [command.words, ...positionals, ...required].join(' ');
}

/** Two columns; shared with the plain output of tables. */
export function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
