/**
 * The administrator's command line: `compliance <noun> <verb> …`, or `npm run --silent cli -- …`.
 *
 * It shares the store with a running service and needs no Redis. What a command does not need is
 * not loaded: `audit verify` runs without configuration, store or network.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock } from '#platform/clock';
import { ClockOff, clockOffset, refuseOffset } from '#platform/clockOffset';
import { type Config, loadConfig } from '#platform/config';
import { growHeapsSlowly } from '#platform/heapGrowth';
import manifest from '../../../package.json' with { type: 'json' };
import { asCheck, createChecks } from '../../cli/checks.ts';
import { runCommandLine } from '../../cli/commandLine.ts';
import type { CliContext } from '../../cli/ports.ts';
import type { CliProcess, SliceCheck } from '../../slices/processes.ts';
import { JOINED } from '../joined.ts';
import { PROBLEMS } from '../sliceRows.ts';
import { loadCommands } from './commands.ts';
import { findRedis, type OpenCli, openCli } from './openCli.ts';

const REDIS_TIMEOUT_MS = 3_000;

let opened: Promise<OpenCli> | undefined;

async function open(
  how: { readonly mayRotateKeys: boolean } = { mayRotateKeys: false },
): Promise<CliProcess> {
  opened ??= openCli({ ...how, config: loadConfig(process.env) });
  return (await opened).process;
}

/** As `findRedis`, or one that could be started. */
async function probeRedis(config: Config): Promise<string> {
  const { openRedis, redisTime } = await import('../../redis/index.ts');
  const address = await findRedis(config);
  if (address === undefined) {
    const { stdout } = await promisify(execFile)('redis-server', ['--version']);
    return `the service will start its own: ${stdout.trim()}`;
  }
  const redis = openRedis({ address, name: 'doctor', onError: () => undefined, use: 'background' });
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_TIMEOUT_MS) });
    const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1];
    const offset = await clockOffset(systemClock, () => redisTime(redis));
    return refuseOffset(`${version} answers`, offset, 'Redis');
  } catch (cause) {
    if (cause instanceof ClockOff) throw cause;
    throw new Error('nothing answers at REDIS_URL', { cause });
  } finally {
    redis.disconnect();
  }
}

const looking = ({ look, name }: SliceCheck) => ({ look: async () => look(await open()), name });

const checksOf = (more: readonly SliceCheck[]): CliContext['checks'] =>
  createChecks({
    clock: systemClock,
    more: more.map(looking),
    nodeVersion: process.versions.node,
    open,
    pause: (ms) => delay(ms),
    probeRedis,
    readConfig: () => loadConfig(process.env),
  });

/** In a container a user may be a number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR') {
      return `uid-${process.getuid?.()}`;
    }
    throw error;
  }
}

// An import of a large list is a guest on the machine that answers requests.
growHeapsSlowly();
const { checks, commands } = await loadCommands();
const streams = { err: process.stderr, out: process.stdout };
process.exitCode = await runCommandLine(process.argv.slice(2), streams, {
  actor: `cli:${userName()}`,
  checks: checksOf(checks),
  clock: systemClock,
  commands,
  need: JOINED.need,
  open,
  problems: PROBLEMS,
  ...(process.env.npm_lifecycle_event === 'cli' && { program: 'npm run --silent cli --' }),
  stateChecks: checks.filter(({ isOfState }) => isOfState).map((one) => asCheck(looking(one))),
  readConfig: () => loadConfig(process.env),
  version: manifest.version,
});
// The command has already reported why it failed to open.
await opened?.then(
  ({ close }) => close(),
  () => undefined,
);
