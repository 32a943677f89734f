/** The gateway: everything that answers requests, with its routes. */
import type { Redis } from 'ioredis';
import {
  createApiKeyDirectory,
  createOidcVerifier,
  createTenantDirectory,
  limitSettings,
  type TenantDirectory,
} from '#core/identity';
import { registerReactionFigures } from '#core/reactions';
import type { Config } from '#platform/config';
import { type Signer, sha256 } from '#platform/crypto';
import type { Log } from '#platform/log';
import { createMetrics, type Metrics } from '#platform/metrics';
import { NO_CASES } from '#slices/batches';
import { createSnapshotLinks } from '#slices/lists';
import { screeningSettings } from '#slices/screening';
import deprecations from '../../../config/deprecations.json' with { type: 'json' };
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import manifest from '../../../package.json' with { type: 'json' };
import { type CursorCodec, createCursorCodec } from '../../api/cursor.ts';
import type { DeprecationTable } from '../../api/deprecation.ts';
import { createAuthenticator } from '../../api/middleware/authenticate.ts';
import { createIdempotencyGate } from '../../api/middleware/idempotency.ts';
import { createRateLimit } from '../../api/middleware/rateLimit.ts';
import { describeApi } from '../../api/openapi.ts';
import type { Operation } from '../../api/operation.ts';
import { publicPages } from '../../api/pages.ts';
import type { Authenticator } from '../../api/ports.ts';
import { createGateway, type Gateway } from '../../api/server.ts';
import { createRateLimiter } from '../../redis/index.ts';
import { auditOperations } from '../../slices/audit/edge/operations.ts';
import { batchServiceOperations } from '../../slices/batches/edge/operations.ts';
import { createListOperators } from '../../slices/ingestion/edge/listOperators.ts';
import {
  type ListServiceOptions,
  listServiceOperations,
  listServicePages,
} from '../../slices/ingestion/edge/operations.ts';
import { listOperations } from '../../slices/screening/edge/lists.ts';
import { screeningOperations } from '../../slices/screening/edge/operations.ts';
import type { Installation } from '../installation.ts';
import { openScreening, type ScreeningParts } from '../screening.ts';
import { PROBLEMS } from '../sliceRows.ts';
import { readinessOf } from './readiness.ts';

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
    /** Says a word to the workers. */
    readonly wakeWorkers?: (batchId: string) => void;
  },
): Promise<GatewayParts> {
  const { clock, config, keyRing, random, settings, storage } = installation;
  const { log } = options;
  const metrics = metricsOf(installation);
  const tenants = createTenantDirectory({
    clock,
    settings,
    store: storage.identity,
  });
  const parts = await openScreening(installation, { log });
  const cursors = createCursorCodec(derivedSecret(installation.signer, 'cursor-hmac-v1'));
  const listService = listServiceOf(installation, { cursors, origin: options.origin, tenants });
  const operations = operationsOf(installation, {
    ...options,
    cursors,
    listService,
    parts,
    tenants,
  });
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
        problems: PROBLEMS,
        // Ranges name tenants' chains, and this page is for everybody.
        publicKeys: async () => ({ keys: keyRing.keys.map(({ held: _, ...jwk }) => jwk) }),
      }),
    ],
    problems: PROBLEMS,
    random,
    trustProxy: config.http.trustProxy,
    rateLimiter: createRateLimit({
      defaults: settings.defaults.of(limitSettings),
      limiter: createRateLimiter({
        clock,
        onCounterChanged: (counter, error) =>
          log.warn({ error, reason: counter }, 'rate limits are counted elsewhere now'),
        redis: options.redis,
      }),
      tenants,
    }),
    readiness: () =>
      readinessOf({
        evidenceDirectory: config.mongodb === undefined ? config.dataDir : undefined,
        lists: parts.lists,
        storage,
      }),
  });
  return { ...parts, gateway };
}

function metricsOf({ clock, storage }: Installation): Metrics {
  const metrics = createMetrics({ processFigures: true });
  registerReactionFigures(metrics, { clock, outbox: storage.outbox });
  return metrics;
}

function operationsOf(
  installation: Installation,
  of: {
    readonly cursors: CursorCodec;
    readonly listService: ListServiceOptions;
    readonly origin: () => string;
    readonly parts: ScreeningParts;
    readonly tenants: TenantDirectory;
    readonly wakeWorkers?: (batchId: string) => void;
  },
): readonly Operation[] {
  const { clock, config, storage } = installation;
  const { cursors, listService, origin, parts, tenants } = of;
  return [
    ...screeningOperations({
      audit: storage.audit,
      clock,
      screening: parts.screening,
      settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(screeningSettings),
    }),
    ...listOperations({ lists: parts.lists }),
    ...listServiceOperations(listService),
    ...batchServiceOperations({
      ...listService,
      audit: storage.audit,
      blobs: installation.blobs,
      baseUrlOf: (environment) => `${config.origins[environment] ?? origin()}/v1`,
      batches: storage.batches,
      cases: NO_CASES,
      countries,
      settingsOf: (tenantId) => tenants.settings(tenantId),
      ...(of.wakeWorkers !== undefined && { wake: of.wakeWorkers }),
    }),
    ...auditOperations({ audit: storage.audit, cursors }),
  ];
}

function descriptionOf(operations: readonly Operation[], origins: Config['origins']) {
  const { deprecations: table } = deprecations as DeprecationTable;
  return describeApi({
    deprecated: new Set(table.map(({ operation }) => operation)),
    operations,
    origins,
    problems: PROBLEMS,
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

/**
 * Keys of HMACs: the same on every gateway of an installation, and stored nowhere. Ed25519 is
 * deterministic, so a signature that is never published serves as the secret.
 */
const derivedSecret = (signer: Signer, purpose: string): Uint8Array =>
  sha256(signer.sign(Buffer.from(`${purpose}\0`)));
