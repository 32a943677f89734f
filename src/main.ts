/**
 * The supervisor, started by `npm start`: everything of an embedded installation from one command.
 *
 * In this order: configuration, the lock on the data directory, the port, Redis, the store with
 * what a first start makes, then gateway and workers, each restarted should it die. A stop goes the
 * other way round: the gateway drains while all else still runs, then the workers, then Redis.
 */
import { join } from 'node:path';
import type { CommitEvidence } from '#core/audit';
import { identityStore, KEY_ROLES } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { type Config, ConfigError, loadConfig } from '#platform/config';
import { WORKER_FLAGS } from '#platform/heapGrowth';
import { SHUTDOWN_GRACE_MS } from '#platform/limits';
import { localOrigin } from '#platform/localOrigin';
import { createLog, type Log } from '#platform/log';
import { listenForStop, type StopRequest } from '#platform/processLife';
import { refuseRestored } from '#platform/restoredFile';
import { checkTlsFiles } from '#platform/tlsFiles';
import { localRefusal, makeLink, sandboxPersons } from '#slices/console';
import { listStore } from '#slices/lists';
import { createAdministration } from '#slices/tenants';
import { importDemoList } from './app/demoList.ts';
import { openInstallation } from './app/installation.ts';
import { startOwnRedis } from './redis/index.ts';
import type { Installation } from './slices/processes.ts';
import { describeStart } from './supervisor/banner.ts';
import { createChild } from './supervisor/childProcess.ts';
import {
  type Credentials,
  ensureCredentials,
  type FirstRun,
  refreshFirstRun,
} from './supervisor/firstRun.ts';
import { lockInstallation, StartRefusal } from './supervisor/installationLock.ts';
import { claimPort } from './supervisor/port.ts';
import { type UndoStep, undoAll } from './supervisor/undo.ts';

const ACTOR = 'system:first-run';
const SANDBOX_NAME = 'Sandbox';
const READY_TIMEOUT_MS = 120_000;
/**
 * What lives is collected once it has grown by 40 %: what the start leaves behind, tens of
 * megabytes, goes early then. A larger young generation than V8's own is 35 MB more for two or
 * three per cent of the processor.
 */
const GATEWAY_FLAGS = ['--heap-growing-percent=40'];
/**
 * The gateway's is over its own grace; with Redis's 10 s the whole stop ends within 30 s or nearly.
 */
const CHILDREN = {
  gateway: {
    file: new URL('./app/gateway/main.ts', import.meta.url),
    flags: GATEWAY_FLAGS,
    stopMs: SHUTDOWN_GRACE_MS + 2_000,
  },
  worker: {
    file: new URL('./app/worker/main.ts', import.meta.url),
    flags: WORKER_FLAGS,
    stopMs: 5_000,
  },
} as const;

interface Life {
  readonly config: Config;
  readonly log: Log;
  readonly stop: StopRequest;
  /** Steps that are undone in reverse, after success and failure alike. */
  readonly undo: UndoStep[];
}

async function main(): Promise<void> {
  const stop = listenForStop();
  const config = loadConfig(process.env);
  refuseRestored(config.dataDir);
  checkTlsFiles(config.http.tls);
  const log = createLog({ level: config.logLevel, process: 'supervisor' });
  const undo: Life['undo'] = [];
  try {
    await live({ config, log, stop, undo });
  } finally {
    await undoAll(undo, (error) => log.error({ error }, 'a part could not be stopped'));
  }
}

async function live(life: Life): Promise<void> {
  const { config, stop, undo } = life;
  const lock = lockInstallation(config.dataDir);
  undo.push(() => lock.release());
  const port = await claimPort(config);
  const origin = localOrigin(config, port);
  const redis = await provideRedis(life);
  const { consoleUrl, firstRun } = await prepareStore(life, origin);
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    ...redis,
    PORT: String(port),
  });
  // The gateway last, so that it is the first to be stopped.
  const started = await Promise.all([
    startChild(life, 'worker', environment),
    startChild(life, 'gateway', environment),
  ]);
  // Asked to stop while it still started.
  if (started.includes(false)) return;
  console.log(describeStart({ consoleUrl, dataDir: config.dataDir, firstRun, origin }));
  const reason = await stop.asked;
  life.log.info({ reason }, 'stopping');
}

/** Adds a child and answers true once it is ready; false where a stop was asked for meanwhile. */
async function startChild(
  { log, stop, undo }: Life,
  name: keyof typeof CHILDREN,
  environment: () => NodeJS.ProcessEnv,
): Promise<boolean> {
  const { file, flags, stopMs } = CHILDREN[name];
  const child = createChild(
    { environment, file, flags, name, readyTimeoutMs: READY_TIMEOUT_MS },
    { clock: systemClock, log },
  );
  stop.urgent.addEventListener('abort', () => child.hurry());
  undo.push(() => child.stop(stopMs));
  const start = child.start();
  // After a stop its result is not needed, and its failure is no news.
  start.catch(() => undefined);
  const first = await Promise.race([start, stop.asked]);
  return typeof first !== 'string';
}

/** The variables that lead the children to Redis: the operator's own, or a child of ours. */
async function provideRedis({ config, log, undo }: Life): Promise<NodeJS.ProcessEnv> {
  if (config.redisUrl !== undefined) return { REDIS_URL: config.redisUrl };
  const redis = await startOwnRedis({
    directory: join(config.dataDir, 'redis'),
    log: (level, line) => log[level]({ reason: line }, 'redis-server'),
  });
  undo.push(() => redis.stop());
  const path = redis.address.socketPath.split('/').map(encodeURIComponent).join('/');
  return { OWN_REDIS: '1', REDIS_URL: `unix://${path}` };
}

interface Prepared {
  readonly firstRun: FirstRun | undefined;
  readonly consoleUrl: string | undefined;
}

/** Opens the store once, so that its making and a first start's data are there for all. */
async function prepareStore({ config, log }: Life, origin: string): Promise<Prepared> {
  const installation = await openInstallation({
    config,
    onWarning: (reason) => log.warn({ reason }, 'store'),
    processName: 'supervisor',
  });
  try {
    const { tables } = installation.storage;
    const firstRun = await ensureCredentials({
      dataDir: config.dataDir,
      hasTenants: async () => (await identityStore(tables).listTenants()).length > 0,
      makeCredentials: () => makeCredentials(installation),
      origin,
    });
    const isAnyInForce = (await listStore(tables).listSources()).some(
      ({ active }) => active !== undefined,
    );
    if (firstRun !== undefined && !isAnyInForce) await importDemoList(installation, ACTOR);
    return {
      consoleUrl: firstRun && (await linkOrNone(log, consoleLink(installation, firstRun, origin))),
      firstRun: firstRun && refreshFirstRun(config.dataDir, firstRun, origin),
    };
  } finally {
    await installation.close();
  }
}

/** A store that nothing can be signed in starts without a link, and says why in its own words. */
async function linkOrNone(
  log: Life['log'],
  link: Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await link;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    log.warn({ reason: error.code }, 'no link to the console');
    return undefined;
  }
}

/** A link to the console of the sandbox, for who sits at this terminal. */
async function consoleLink(
  installation: Installation,
  firstRun: FirstRun,
  origin: string,
): Promise<string | undefined> {
  if (localRefusal(installation.config) !== undefined) return undefined;
  const { audit, clock, random, storage } = installation;
  const commit: CommitEvidence = (...ask) => audit.commit(...ask);
  const ports = { clock, commit, identity: identityStore(storage.tables), random };
  const tenantId = firstRun.tenant_id as TenantId;
  const [person] = await sandboxPersons(ports, { actor: ACTOR, tenantId });
  if (person === undefined) return undefined;
  return (await makeLink(ports, { actor: ACTOR, origin, personId: person.id, tenantId })).url;
}

/** After a crash in the middle the tenant is there already, and only its key is made anew. */
async function makeCredentials(installation: Installation): Promise<Credentials> {
  const store = identityStore(installation.storage.tables);
  const { apiKeys, tenants } = createAdministration({ ...installation, store });
  const known = (await tenants.list()).find(
    ({ kind, name }) => kind === 'sandbox' && name === SANDBOX_NAME,
  );
  const tenant =
    known ?? (await tenants.create({ actor: ACTOR, kind: 'sandbox', name: SANDBOX_NAME }));
  const made = await apiKeys.create({
    actor: ACTOR,
    name: 'first run',
    roles: KEY_ROLES,
    tenantId: tenant.id,
  });
  return { apiKey: made.secret.text, tenantId: tenant.id };
}

try {
  await main();
  // All is closed; what may still tick are timers of connections that are no more.
  process.exit(0);
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof StartRefusal;
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(isExpected ? 2 : 1);
}
