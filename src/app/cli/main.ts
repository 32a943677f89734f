/**
 * The administrator's command line: `npm run --silent cli -- <noun> <verb> …`.
 *
 * It shares the store with a running service and needs no Redis. What a command does not need is
 * not loaded: `audit verify` runs without configuration, store or network.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '#platform/clock';
import { type Config, loadConfig } from '#platform/config';
import { growHeapsSlowly } from '#platform/heapGrowth';
import { localOrigin } from '#platform/localOrigin';
import { createChecks } from '../../cli/checks.ts';
import { runCommandLine } from '../../cli/commandLine.ts';
import type { CliInstallation } from '../../cli/ports.ts';
import type { RedisAddress } from '../../redis/index.ts';
import { PROBLEMS } from '../sliceRows.ts';

const REDIS_TIMEOUT_MS = 3_000;

interface Opened {
  readonly parts: CliInstallation;
  close(): Promise<void>;
}

let opened: Promise<Opened> | undefined;

function openShared(how: OpenHow = { mayRotateKeys: false }): Promise<Opened> {
  opened ??= openOnce(how);
  return opened;
}

/** The operator's Redis, or the running service's. */
async function findRedis(config: Config): Promise<RedisAddress | undefined> {
  const { findOwnRedis, parseRedisUrl } = await import('../../redis/index.ts');
  return config.redisUrl === undefined
    ? findOwnRedis(join(config.dataDir, 'redis'))
    : parseRedisUrl(config.redisUrl);
}

/** Workers look for themselves as well; what goes wrong here is nobody's concern. */
async function wakeWorkers(config: Config, batchId: string): Promise<void> {
  const [{ redisOptions }, { createWaker }] = await Promise.all([
    import('../../redis/index.ts'),
    import('../../redis/wakeUpQueue.ts'),
  ]);
  const address = await findRedis(config).catch(() => undefined); // `doctor` tells what is wrong
  if (address === undefined) return;
  const connection = redisOptions(address, 'queue', 'cli');
  const waker = createWaker({ connection, onFailure: () => undefined });
  waker.wake(batchId);
  await waker.close();
}

/** As `findRedis`, or one that could be started. */
async function probeRedis(config: Config): Promise<string> {
  const { openRedis } = await import('../../redis/index.ts');
  const address = await findRedis(config);
  if (address === undefined) {
    const { stdout } = await promisify(execFile)('redis-server', ['--version']);
    return `the service will start its own: ${stdout.trim()}`;
  }
  const redis = openRedis({ address, name: 'doctor', onError: () => undefined, use: 'background' });
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_TIMEOUT_MS) });
    const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1];
    return `${version} answers`;
  } catch (cause) {
    throw new Error('nothing answers at REDIS_URL', { cause });
  } finally {
    redis.disconnect();
  }
}

type OpenHow = { readonly mayRotateKeys: boolean };

async function openOnce(how: OpenHow): Promise<Opened> {
  const config = loadConfig(process.env);
  const [{ openInstallation }, { openRuns }, { makePrivateFolder }] = await Promise.all([
    import('../installation.ts'),
    import('../listRuns.ts'),
    import('../../supervisor/installationLock.ts'),
  ]);
  const [{ createAdministration }, { createBatchDesk }, { runList }] = await Promise.all([
    import('#slices/tenants'),
    import('../../slices/batches/edge/batchDesk.ts'),
    import('../../slices/ingestion/edge/runList.ts'),
  ]);
  const [{ eraseEvidence }, { createTenantDirectory }, { separateEntries }] = await Promise.all([
    import('#core/audit'),
    import('#core/identity'),
    import('#slices/resolution'),
  ]);
  makePrivateFolder(config.dataDir);
  const installation = await openInstallation({
    config,
    onWarning: (text) => process.stderr.write(`${text}\n`),
    mayRotateKeys: how.mayRotateKeys,
    processName: 'cli',
  });
  return {
    close: () => installation.close(),
    parts: {
      ...createAdministration({ ...installation, store: installation.storage.identity }),
      audit: installation.storage.audit,
      batchDesk: createBatchDesk({
        ...installation,
        ...installation.storage,
        baseUrlOf: (environment) =>
          `${config.origins[environment] ?? localOrigin(config, config.port)}/v1`,
        commit: (chainId, commit) => installation.audit.commit(chainId, commit),
        tenants: createTenantDirectory({
          clock: installation.clock,
          settings: installation.settings,
          store: installation.storage.identity,
        }),
        wakeWorkers: (batchId) => wakeWorkers(config, batchId),
      }),
      batches: installation.storage.batches,
      blobs: installation.blobs,
      eraseEvidence: (request) =>
        eraseEvidence({ ...installation, store: installation.storage.audit }, request),
      keyRing: installation.keyRing,
      lists: installation.storage.lists,
      runList: async (ask) => {
        const ports = openRuns(installation);
        try {
          return await runList({ ...ports, holder: installation.holder }, ask);
        } finally {
          await ports.close();
        }
      },
      outbox: installation.storage.outbox,
      runs: installation.storage.runs,
      separateEntries: async (ask) => {
        const { close, imports, lists } = openRuns(installation);
        try {
          return await separateEntries({ ...imports, lists }, ask);
        } finally {
          await close();
        }
      },
      signer: installation.signer,
    },
  };
}

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
const checks = createChecks({
  clock: systemClock,
  nodeVersion: process.versions.node,
  open: async () => (await openShared()).parts,
  probeRedis,
  readConfig: () => loadConfig(process.env),
});
const streams = { err: process.stderr, out: process.stdout };
process.exitCode = await runCommandLine(process.argv.slice(2), streams, {
  actor: `cli:${userName()}`,
  checks,
  clock: systemClock,
  open: async (how) => (await openShared(how)).parts,
  problems: PROBLEMS,
  renderAttestation: async (attestation) =>
    (await import('../../reports/index.ts')).renderAttestation(attestation),
});
// What failed to open was told by the command already.
await opened?.then(
  ({ close }) => close(),
  () => undefined,
);
