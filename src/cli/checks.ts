/**
 * The checks of `doctor`, in the order in which a start would fail. A check answers with its
 * finding and, where that is not good, with what to do; it never throws.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { HeadGuard, KeyRing } from '#core/audit';
import type { TenantDirectory } from '#core/identity';
import { BUS_SUBSCRIBER, type OutboxStore } from '#core/reactions';
import type { Clock } from '#platform/clock';
import { clockOffset, refuseOffset } from '#platform/clockOffset';
import type { Config } from '#platform/config';
import type { Signer } from '#platform/crypto';
import { checkTlsFiles } from '#platform/tlsFiles';
import { checkHeads, type HeadStore } from './headCheck.ts';
import type { Check } from './ports.ts';
import { CheckWarning } from './warning.ts';

const NODE_MIN = [22, 18] as const;
const DISK_BYTES_MIN = 1024 ** 3;
/** The day that this was written: a clock before it is wrong, and signs wrong times. */
const CLOCK_MIN = Date.UTC(2025, 0, 1);
const SKEW_MS_MAX = 60_000;
/** A subscriber so far behind may be one that no release has: it holds the outbox. */
const FORGOTTEN_S = 24 * 3_600;

export interface Probes {
  readonly nodeVersion: string;
  readonly clock: Clock;
  readConfig(): Config;
  open(): Promise<{
    readonly headGuard: Pick<HeadGuard, 'behind'>;
    readonly keyRing: KeyRing;
    readonly signer: Pick<Signer, 'keyId'>;
    readonly storage: HeadStore & {
      readonly outbox: Pick<OutboxStore, 'figures'>;
      time(): Promise<number | undefined>;
    };
    readonly tenants: Pick<TenantDirectory, 'list'>;
  }>;
  /** What answers, in a few words; throws where nothing does. */
  probeRedis(config: Config): Promise<string>;
  /** Between two looks at what should move. */
  pause(ms: number): Promise<unknown>;
  /** The checks of slices, in this order. */
  readonly more: readonly Look[];
}

/** Answers the finding; throws what to do where that is not good, or a CheckWarning. */
export interface Look {
  readonly name: string;
  look(): Promise<string>;
}

export function createChecks(probes: Probes): (() => Promise<Check>)[] {
  const withConfig =
    (look: (config: Config) => Promise<string> | string) => async (): Promise<string> =>
      look(probes.readConfig());
  const checks: [string, () => Promise<string> | string][] = [
    ['node', () => checkNode(probes.nodeVersion)],
    [
      'environment',
      withConfig(({ http }) => {
        checkTlsFiles(http.tls);
        return 'every variable is in its range';
      }),
    ],
    ['data directory', withConfig(({ dataDir }) => checkDisk(dataDir))],
    ['clock', withConfig(({ dataDir }) => checkClock(probes.clock, dataDir))],
    ['port', withConfig(checkPort)],
    ['redis', withConfig((config) => probes.probeRedis(config))],
    ['store', () => checkStore(probes)],
    ['keys', () => checkKeys(probes)],
    ['evidence', () => checkEvidence(probes)],
    ['heads', async () => checkHeads((await probes.open()).storage, probes.pause)],
    ...probes.more.map((one): [string, () => Promise<string>] => [one.name, () => one.look()]),
    ['reactions', () => checkReactions(probes)],
  ];
  return checks.map(([name, look]) => asCheck({ look: async () => look(), name }));
}

/** A check that never throws. */
export function asCheck({ look, name }: Look): () => Promise<Check> {
  return async () => {
    try {
      return { detail: await look(), isGood: true, name };
    } catch (error) {
      if (error instanceof CheckWarning) {
        return { detail: error.message, isGood: true, isWarning: true, name };
      }
      return {
        detail: error instanceof Error ? error.message : String(error),
        isGood: false,
        name,
      };
    }
  };
}

function checkNode(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = NODE_MIN;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return version;
  throw new Error(`expected ${NODE_MIN.join('.')} or later, got ${version}; start it by npm`);
}

/** Checks the disk of the directory, or of the one in which it will be made. */
function checkDisk(dataDir: string): string {
  let place = resolve(dataDir);
  while (!existsSync(place)) place = dirname(place);
  accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free at ${place}`;
  if (free < DISK_BYTES_MIN) throw new Error(`${text}; expected at least 1 GiB`);
  const isShared = existsSync(dataDir) && (statSync(dataDir).mode & 0o077) !== 0;
  if (isShared) throw new Error(`${dataDir} is open to other users: chmod 700 it`);
  return text;
}

/** Compares the clock with the newest file of the store: a clock behind it has gone backwards. */
function checkClock(clock: Clock, dataDir: string): string {
  const now = clock.now();
  if (now < CLOCK_MIN) throw new Error(`it is ${now} ms since 1970 here; set the clock`);
  const file = join(dataDir, 'store');
  const newest = existsSync(file) ? statSync(file).mtimeMs : 0;
  if (newest > now + SKEW_MS_MAX)
    throw new Error('the store was written in the future; set the clock');
  return 'plausible';
}

async function checkPort({ host, port }: Config): Promise<string> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ exclusive: true, host, port }, listening.resolve);
  try {
    await listening.promise;
    return `${host}:${port} is free`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Most likely ourselves: a doctor is asked while the service runs, too.
    if (code === 'EADDRINUSE') return checkGateway(`http://${host}:${port}/healthz`);
    throw error;
  } finally {
    server.close();
  }
}

async function checkGateway(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  if (response?.ok === true) return `${url} answers: the service runs`;
  throw new Error('another program listens there; set PORT to a free one');
}

async function checkStore({ clock, open }: Probes): Promise<string> {
  const { storage, tenants } = await open();
  const finding = `${(await tenants.list()).length} tenants`;
  return refuseOffset(finding, await clockOffset(clock, () => storage.time()), 'the store');
}

async function checkKeys({ open }: Probes): Promise<string> {
  const { keyRing, signer } = await open();
  if (keyRing.keys.some(({ kid }) => kid === signer.keyId)) return `signs with ${signer.keyId}`;
  throw new Error(`the key ring lacks ${signer.keyId}, which signs`);
}

/** A store that is older than its checkpoints is an old backup: nothing is signed behind it. */
async function checkEvidence({ open }: Probes): Promise<string> {
  const unsignable = await (await open()).headGuard.behind();
  if (unsignable.length === 0) return 'the store continues its checkpoints';
  const named = (chains: typeof unsignable): string =>
    chains.map(({ chainId, reason }) => `${chainId}: ${reason}`).join('; ');
  const altered = unsignable.filter(({ isAltered }) => isAltered);
  if (altered.length > 0) {
    throw new Error(`${named(altered)}; put it back as it was: docs/runbooks/EvidenceBehind.md`);
  }
  throw new Error(
    `the store is older than its checkpoints (${named(unsignable)}); restore a newer backup, or ` +
      'go on with `audit resume --tenant ID` for each',
  );
}

/** Waiting events are no fault where the service does not run; events set aside need a person. */
async function checkReactions({ clock, open }: Probes): Promise<string> {
  const figures = await (await open()).storage.outbox.figures();
  const aside = figures.filter(({ setAside }) => setAside > 0);
  if (aside.length > 0) {
    const counts = aside.map(({ setAside, subscriber }) => `${setAside} events of ${subscriber}`);
    throw new Error(`${counts.join(', ')} failed and are set aside; \`event list\` shows them`);
  }
  return figures
    .map(({ oldestAt, subscriber, waiting }) => {
      if (oldestAt === undefined) return `${subscriber} has none waiting`;
      const waitedS = secondsSince(clock, oldestAt);
      const said = `${subscriber} has ${waiting} waiting, for ${waitedS} s`;
      if (waitedS < FORGOTTEN_S || subscriber === BUS_SUBSCRIBER) return said;
      return `${said} (if no release has it any more: \`event unsubscribe ${subscriber}\`)`;
    })
    .join(', ');
}

const secondsSince = (clock: Clock, at: number): number =>
  Math.max(0, Math.round((clock.now() - at) / 1_000));
