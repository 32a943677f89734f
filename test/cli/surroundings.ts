/** The command line with the commands of all slices, over an installation that a test brings. */
import { systemClock } from '#platform/clock';
import manifest from '../../package.json' with { type: 'json' };
import { loadCommands } from '../../src/app/cli/commands.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';
import type { Surroundings } from '../../src/cli/commandLine.ts';
import type { CliProcess } from '../../src/slices/processes.ts';

export const { commands: COMMANDS } = await loadCommands();

/** Opens nothing and has no adapter, but for what is given. */
export const surroundings = (
  given: Partial<Surroundings<CliProcess>> = {},
): Surroundings<CliProcess> => ({
  actor: 'cli:tester',
  checks: [],
  clock: systemClock,
  commands: COMMANDS,
  need: () => {
    throw new Error('an adapter was needed');
  },
  open: () => Promise.reject(new Error('the store was opened')),
  problems: PROBLEMS,
  version: manifest.version,
  stateChecks: [],
  readConfig: () => {
    throw new Error('the configuration was read');
  },
  ...given,
});

/** An installation of which a command sees these members alone. */
export const opened = (members: object) => async (): Promise<CliProcess> =>
  members as unknown as CliProcess;
