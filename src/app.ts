/**
 * The composition root: the only place, beside the main.ts files, that sees every folder. Ports are
 * joined to adapters here, by constructors.
 *
 * `openInstallation` is what every process needs (store, blobs, signer, audit log); the gateway
 * adds engine, lists and routes (`openGateway`).
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { NO_CASES } from '#domain/aml';
import { type AuditLog, createAuditLog, ensureKeyRing, type KeyRing } from '#domain/audit';
import {
  createApiKeyDirectory,
  createOidcVerifier,
  createTenantDirectory,
  parseSettingsDefaults,
  type TenantDirectory,
  type TenantSettings,
} from '#domain/identity';
import {
  type BlobStore,
  createSnapshotLinks,
  type ExecuteRunPorts,
  type ImportPorts,
  type RunStore,
} from '#domain/lists';
import { createScreening, LoadedLists, type ScreeningService } from '#domain/screening';
import {
  buildOverlay,
  buildSnapshotAside,
  createEngine,
  type Engine,
  inspectIndex,
  type LoadedIndex,
} from '#engine';
import { type Clock, systemClock } from '#platform/clock';
import type { Config } from '#platform/config';
import { type Signer, sha256 } from '#platform/crypto';
import type { Log } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { type Random, systemRandom, uuidV7 } from '#platform/random';
import { ensureSigner } from '#platform/signingKey';
import batchDefaults from '../config/batches.json' with { type: 'json' };
import deprecations from '../config/deprecations.json' with { type: 'json' };
import limitDefaults from '../config/limits.json' with { type: 'json' };
import screeningDefaults from '../config/screening.json' with { type: 'json' };
import countries from '../config/tables/countries.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };
import { type CursorCodec, createCursorCodec } from './api/cursor.ts';
import type { DeprecationTable } from './api/deprecation.ts';
import { createListOperators } from './api/listOperators.ts';
import { createAuthenticator } from './api/middleware/authenticate.ts';
import { createIdempotencyGate } from './api/middleware/idempotency.ts';
import { createRateLimit } from './api/middleware/rateLimit.ts';
import { describeApi } from './api/openapi.ts';
import type { Operation } from './api/operation.ts';
import { publicPages } from './api/pages.ts';
import type { Authenticator } from './api/ports.ts';
import { auditOperations } from './api/routes/audit.ts';
import { batchServiceOperations } from './api/routes/batchService.ts';
import {
  type ListServiceOptions,
  listServiceOperations,
  listServicePages,
} from './api/routes/listService.ts';
import { listOperations } from './api/routes/lists.ts';
import { screeningOperations } from './api/routes/screening.ts';
import { createGateway, type Gateway } from './api/server.ts';
import { createRateLimiter } from './redis/index.ts';
import { bundleReader, createListReaders, openListFetcher } from './sources/index.ts';
import { openFolderBlobStore, openStorage, type Storage } from './storage/index.ts';

/** A list that was published is in force here within this time (decisions 7.2: 2 s). */
const LISTS_POLL_MS = 1_000;
/** No honest query takes this long; the worst one must not hold a thread for ever. */
const SCREENING_DEADLINE_MS = 2_000;
/** Queries that wait for a thread; beyond it the caller is told to come again. */
const ENGINE_QUEUE_MAX = 2_000;

export interface Installation {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly signer: Signer;
  /** Public keys of the evidence, with the ranges that each held. */
  readonly keyRing: KeyRing;
  readonly audit: AuditLog;
  readonly settingsDefaults: TenantSettings;
  /** Unique to this process and start: `<host>/<process>/<pid>/<instance>`. */
  readonly holder: string;
  /** Lets the heads of chains go, then closes the store. */
  close(): Promise<void>;
}

/** What every process of an installation opens. `processName` names it to the others. */
export async function openInstallation(options: {
  readonly config: Config;
  readonly processName: string;
  readonly onWarning: (text: string) => void;
  /** The store is lost to this process: nothing but its end helps. */
  readonly onFatal?: (error: Error) => void;
  /** `keys rotate` alone: see keyRingFile.ts. */
  readonly mayRotateKeys?: boolean;
}): Promise<Installation> {
  const { config } = options;
  const clock = systemClock;
  const random = systemRandom;
  const signer = ensureSigner({
    defaultFile: join(config.dataDir, 'keys', 'audit-ed25519.pem'),
    ...(config.auditSigningKeyFile !== undefined && { file: config.auditSigningKeyFile }),
  });
  const storage = await openStorage({
    clock,
    dataDir: config.dataDir,
    onWarning: options.onWarning,
    ...(options.onFatal !== undefined && { onFatal: options.onFatal }),
    ...(config.mongodb !== undefined && {
      mongodbUrl: config.mongodb.url,
      transactions: config.mongodb.transactions,
    }),
  });
  const blobs = await openFolderBlobStore({ directory: join(config.dataDir, 'blobs') });
  const keyRing = await ensureKeyRing({
    file: join(config.dataDir, 'keys', 'public-keys.json'),
    heads: async () =>
      (await storage.audit.listChains('all')).map(({ chainId, head }) => ({
        chainId,
        seq: head.seq,
      })),
    mayRotate: options.mayRotateKeys ?? false,
    publicKey: signer.publicKey,
  });
  const instance = uuidV7(clock.now(), random);
  const holder = `${hostname()}/${options.processName}/${process.pid}/${instance}`;
  const audit = createAuditLog({ clock, holder, random, signer, store: storage.audit });
  return {
    audit,
    blobs,
    clock,
    close: async () => {
      await audit.close();
      await storage.close();
    },
    config,
    holder,
    keyRing,
    random,
    settingsDefaults: parseSettingsDefaults(limitDefaults, screeningDefaults, batchDefaults),
    signer,
    storage,
  };
}

/** What `importList` needs, from an installation. */
export function importPorts(installation: Installation): ImportPorts {
  return {
    blobs: installation.blobs,
    buildOverlay,
    buildSnapshot: buildSnapshotAside,
    clock: installation.clock,
    commit: (chainId, commit) => installation.audit.commit(chainId, commit),
    inspectSnapshot: inspectIndex,
    lists: installation.storage.lists,
    random: installation.random,
    signer: installation.signer,
    spoolDirectory: join(installation.config.dataDir, 'spool'),
  };
}

/** What does runs: stores, the way to publishers, their readers. Close it after the last run. */
export type RunParts = ExecuteRunPorts & {
  readonly lists: Storage['lists'];
  readonly runs: RunStore;
  close(): Promise<void>;
};

export function openRuns(installation: Installation): RunParts {
  const { clock, config, random, storage } = installation;
  const imports = importPorts(installation);
  const fetcher = openListFetcher({ clock, config, random });
  const readers = createListReaders(countries);
  return {
    bundleReader,
    clock,
    close: () => fetcher.close(),
    commit: imports.commit,
    fetcher,
    imports,
    lists: storage.lists,
    random,
    readerOf: (sourceId) => readers.get(sourceId),
    runs: storage.runs,
  };
}

export interface ScreeningParts {
  readonly engine: Engine;
  readonly lists: LoadedLists<LoadedIndex>;
  readonly screening: ScreeningService;
  close(): Promise<void>;
}

/** Engine, lists in force and the screening service: loaded once this resolves. */
export async function openScreening(
  installation: Installation,
  options: { readonly log: Log },
): Promise<ScreeningParts> {
  const { audit, blobs, clock, config, random, storage } = installation;
  const { log } = options;
  const engine = createEngine({ queueMax: ENGINE_QUEUE_MAX, threads: config.engineThreads });
  const lists = new LoadedLists<LoadedIndex>({
    blobs,
    lists: storage.lists,
    allocate: (bytes) => engine.allocate(bytes),
    load: (base, overlay) => engine.loadInSteps(base, overlay),
    onFailed: (version, error) =>
      log.error({ error, source_id: version?.sourceId }, 'a list could not be loaded'),
    onSwapped: (version) =>
      log.info(
        {
          count: version.entityCount,
          list_version: version.listVersion,
          source_id: version.sourceId,
        },
        'list in force',
      ),
  });
  await lists.refresh();
  lists.startPolling(LISTS_POLL_MS);
  return {
    close: async () => {
      await lists.close();
      await engine.close();
    },
    engine,
    lists,
    screening: createScreening({
      audit,
      clock,
      deadlineMs: SCREENING_DEADLINE_MS,
      engine,
      lists,
      random,
    }),
  };
}

export interface GatewayParts extends ScreeningParts {
  readonly gateway: Gateway;
}

/** Everything that answers requests, ready but not listening (STYLE: build is not listen). */
export async function openGateway(
  installation: Installation,
  options: {
    readonly log: Log;
    /** Opened with `use: 'request'`. */
    readonly redis: Redis;
    /** Known only once it listens, where the port is 0. */
    readonly origin: () => string;
  },
): Promise<GatewayParts> {
  const { clock, config, keyRing, random, settingsDefaults, storage } = installation;
  const { log } = options;
  const metrics = createMetrics({ processFigures: true });
  const tenants = createTenantDirectory({
    clock,
    defaults: settingsDefaults,
    store: storage.identity,
  });
  const parts = await openScreening(installation, { log });
  const cursors = createCursorCodec(derivedSecret(installation.signer, 'cursor-hmac-v1'));
  const listService = listServiceOf(installation, { cursors, origin: options.origin, tenants });
  const operations = [
    ...screeningOperations({
      audit: storage.audit,
      clock,
      screening: parts.screening,
      settingsOf: async (tenantId) => (await tenants.settings(tenantId)).screening,
    }),
    ...listOperations({ lists: parts.lists }),
    ...listServiceOperations(listService),
    ...batchServiceOperations({
      ...listService,
      blobs: installation.blobs,
      baseUrlOf: (environment) => `${config.origins[environment] ?? options.origin()}/v1`,
      batches: storage.batches,
      cases: NO_CASES,
      countries,
      settingsOf: (tenantId) => tenants.settings(tenantId),
    }),
    ...auditOperations({ audit: storage.audit, cursors }),
  ];
  const gateway = createGateway({
    authenticator: authenticatorOf(installation, { log, tenants }),
    clock,
    deprecations,
    idempotency: createIdempotencyGate({ clock, store: storage.audit }),
    log,
    metrics,
    operations,
    origin: options.origin,
    pages: [
      ...listServicePages(listService),
      ...publicPages({
        description: descriptionOf(operations, config.origins),
        // Ranges name tenants' chains, and this page is for everybody.
        publicKeys: async () => ({ keys: keyRing.keys.map(({ held: _, ...jwk }) => jwk) }),
      }),
    ],
    random,
    rateLimiter: createRateLimit({
      defaults: settingsDefaults.limits,
      limiter: createRateLimiter({
        clock,
        onCounterChanged: (counter, error) =>
          log.warn({ error, reason: counter }, 'rate limits are counted elsewhere now'),
        redis: options.redis,
      }),
      tenants,
    }),
    readiness: () => readinessOf(storage, parts),
  });
  return { ...parts, gateway };
}

function descriptionOf(operations: readonly Operation[], origins: Config['origins']) {
  const { deprecations: table } = deprecations as DeprecationTable;
  return describeApi({
    deprecated: new Set(table.map(({ operation }) => operation)),
    operations,
    origins,
    version: manifest.version,
  });
}

/** Sources, runs and snapshots: what the operations of 4.9 need. */
function listServiceOf(
  { audit, blobs, clock, config, random, signer, storage }: Installation,
  of: {
    readonly cursors: CursorCodec;
    readonly origin: () => string;
    readonly tenants: TenantDirectory;
  },
): ListServiceOptions {
  return {
    blobs,
    clock,
    commit: (chainId, commit) => audit.commit(chainId, commit),
    cursors: of.cursors,
    isAirGapped: config.deploymentMode === 'air-gapped',
    links: createSnapshotLinks({ clock, key: derivedSecret(signer, 'snapshot-link-v1') }),
    listPersons: (tenantId) => storage.identity.listPersons(tenantId),
    lists: storage.lists,
    operators: createListOperators({ mode: config.deploymentMode, tenants: of.tenants }),
    origin: of.origin,
    random,
    runs: storage.runs,
    signer,
  };
}

function authenticatorOf(
  { clock, config, storage }: Installation,
  options: { readonly log: Log; readonly tenants: TenantDirectory },
): Authenticator {
  const { oidc } = config;
  return createAuthenticator({
    apiKeys: createApiKeyDirectory({
      clock,
      onTouchFailed: (error) => options.log.warn({ error }, 'last use of a key was not noted'),
      store: storage.identity,
    }),
    origins: config.origins,
    tenants: options.tenants,
    trustProxy: config.http.trustProxy,
    ...(oidc !== undefined && { oidc: createOidcVerifier({ ...oidc, clock, fetch }) }),
  });
}

/** Ready once it can screen with evidence: lists in memory, and a store that answers. */
async function readinessOf(storage: Storage, parts: ScreeningParts): Promise<string | undefined> {
  const { lists, unloaded } = parts.lists.current();
  if (unloaded.length > 0) return `published and not loaded: ${unloaded.join(', ')}`;
  if (lists.length === 0) return 'no list is loaded';
  return storage.ping().then(
    () => undefined,
    () => 'the store does not answer',
  );
}

/**
 * Keys of HMACs: the same on every gateway of an installation, and stored nowhere. Ed25519 is
 * deterministic, so a signature that is never published serves as the secret.
 */
const derivedSecret = (signer: Signer, purpose: string): Uint8Array =>
  sha256(signer.sign(Buffer.from(`${purpose}\0`)));
