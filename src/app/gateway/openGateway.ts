/** The gateway: everything that answers requests, with the operations of all slices. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { answerTags } from '#core/audit';
import { createApiKeyDirectory, createOidcVerifier, limitSettings } from '#core/identity';
import type { Clock } from '#platform/clock';
import { type Signer, sha256 } from '#platform/crypto';
import type { Log } from '#platform/log';
import { createMetrics, type Metrics } from '#platform/metrics';
import deprecations from '../../../config/deprecations.json' with { type: 'json' };
import manifest from '../../../package.json' with { type: 'json' };
import { createCursorCodec } from '../../api/cursor.ts';
import type { DeprecationTable } from '../../api/deprecation.ts';
import { guidePages } from '../../api/guidePages.ts';
import { createAuthenticator, createRequireHost } from '../../api/middleware/authenticate.ts';
import { createIdempotencyGate } from '../../api/middleware/idempotency.ts';
import { createRateLimit } from '../../api/middleware/rateLimit.ts';
import { type ApiDescriptionOptions, describeApi } from '../../api/openapi.ts';
import { publicPages } from '../../api/pages.ts';
import type { Authenticator, Door, PublicPage, RateLimiter, Readiness } from '../../api/ports.ts';
import { type Answered, createGateway, type Gateway } from '../../api/server.ts';
import { createLocalBuckets, createRateLimiter } from '../../redis/index.ts';
import type { GatewayProcess, Installation, OperationsPart } from '../../slices/processes.ts';
import { compareClocks } from '../clocks.ts';
import { registerFigures } from '../figures.ts';
import { type OpenProcess, openProcess } from '../process.ts';
import { PROBLEMS } from '../sliceRows.ts';
import { SLICES } from '../slices.ts';
import { approvablesOf } from './approvables.ts';
import { callsOf, loadOperations, operationsOf } from './operations.ts';
import { readinessOf } from './readiness.ts';

export interface GatewayParts {
  readonly gateway: Gateway;
  readonly process: GatewayProcess;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly log: Log;
  /** Those that the installation was opened with; absent: some of its own. */
  readonly metrics?: Metrics;
  /** Opened with `use: 'request'`. */
  readonly redis: Redis;
  /** Known only once it listens, where the port is 0. */
  readonly origin: () => string;
  /** Sends the workers a wake-up. */
  readonly wake?: GatewayProcess['wake'];
  /** Tests: what an operation answers and does not describe is an error. */
  readonly checkReplies?: boolean;
}

/** Everything that answers requests, ready but not listening (STYLE: build is not listen). */
export async function openGateway(
  installation: Installation,
  options: GatewayOptions,
): Promise<GatewayParts> {
  const secretOf = (purpose: string) => derivedSecret(installation.signer, purpose);
  const findApprovable = approvablesOf(SLICES);
  const ending = new AbortController();
  const listeners: ((answered: Answered) => void)[] = [];
  const opened: OpenProcess<GatewayProcess> = openProcess(installation, {
    approvableOf: (resource) => findApprovable(resource, opened.process),
    cursors: createCursorCodec(secretOf('cursor-hmac-v1')),
    ending: ending.signal,
    log: options.log,
    metrics: options.metrics ?? createMetrics({ processFigures: true }),
    onAnswered: (listener) => void listeners.push(listener),
    origin: options.origin,
    pingRedis: () => pingOf(options.redis, installation.clock),
    secretOf,
    wake: options.wake ?? (() => undefined),
  });
  const { close, process } = opened;
  registerFigures(process.metrics, process);
  compareClocks({ ...process, redis: options.redis });
  const parts = await loadOperations();
  await Promise.all(parts.map(({ open }) => open?.(process)));
  const calls = callsOf(parts, await process.publicEvents());
  const onAnswered = (answered: Answered): void => {
    for (const listener of listeners) listener(answered);
  };
  const gateway = gatewayOf(process, parts, { ...options, calls, onAnswered });
  const drain = (): void => {
    ending.abort();
    gateway.drain();
  };
  return { close, gateway: { ...gateway, drain }, process };
}

function gatewayOf(
  process: GatewayProcess,
  parts: readonly OperationsPart[],
  {
    calls,
    checkReplies = false,
    onAnswered,
    redis,
  }: GatewayOptions &
    Pick<ApiDescriptionOptions, 'calls'> & { readonly onAnswered: (answered: Answered) => void },
): Gateway {
  const { clock, log, origin, random, storage, tracer } = process;
  const operations = operationsOf(parts, process);
  return createGateway({
    authenticator: authenticatorOf(process, parts),
    checkReplies,
    clock,
    deprecations,
    doors: doorsOf(process, parts),
    idempotency: createIdempotencyGate({
      answers: answerTags(process.secrets),
      clock,
      store: storage.audit,
      tracer,
    }),
    log,
    metrics: process.metrics,
    notices: () => noticesOf(process),
    onAnswered,
    operations,
    origin,
    pages: pagesOf(process, parts, { operations, ...(calls && { calls }) }),
    problems: PROBLEMS,
    random,
    rateLimiter: rateLimiterOf(process, redis),
    readiness: readinessFor(process, parts),
    tracer,
    trustProxy: process.config.http.trustProxy,
  });
}

/** As long as an answer of health may wait for it. */
const PING_MS_MAX = 1_000;

async function pingOf(redis: Redis, clock: Clock): Promise<number | undefined> {
  const before = clock.monotonicMs();
  const isAnswered = await Promise.race([
    redis.ping().then(
      () => true,
      () => false, // undefined says so
    ),
    delay(PING_MS_MAX, false, { ref: false }),
  ]);
  return isAnswered ? clock.monotonicMs() - before : undefined;
}

/** Other tenants are served all the while, so the gateway stays in service. */
function noticesOf({ audit }: GatewayProcess): readonly string[] {
  const missed = audit.missedHeads();
  if (missed === 0) return [];
  const chains = missed === 1 ? 'of one chain' : `of ${missed} chains`;
  return [`the head ${chains} could not be had: another process keeps it`];
}

function pagesOf(
  process: GatewayProcess,
  parts: readonly OperationsPart[],
  described: Pick<ApiDescriptionOptions, 'calls' | 'operations'>,
): readonly PublicPage[] {
  const { config, keyRing } = process;
  const { deprecations: table } = deprecations as DeprecationTable;
  return [
    ...parts.flatMap(({ pages }) => pages?.(process) ?? []),
    ...guidePages(),
    ...publicPages({
      description: describeApi({
        deprecated: new Set(table.map(({ operation }) => operation)),
        ...described,
        origins: config.origins,
        problems: PROBLEMS,
        version: manifest.version,
      }),
      problems: PROBLEMS,
      // Ranges name tenants' chains, and this page is public.
      publicKeys: async () => ({ keys: keyRing.keys.map(({ held: _, ...jwk }) => jwk) }),
    }),
  ];
}

export const registerRateLimitFigure = (metrics: Metrics) =>
  metrics.gauge({
    help: '1 while this process counts rate limits alone, since Redis does not answer',
    name: 'rate_limits_local',
  });

function rateLimiterOf(process: GatewayProcess, redis: Redis): RateLimiter {
  const { clock, log, metrics, settings, tenants } = process;
  const standIn = registerRateLimitFigure(metrics);
  return createRateLimit({
    defaults: settings.defaults.of(limitSettings),
    here: createLocalBuckets(clock),
    limiter: createRateLimiter({
      clock,
      onCounterChanged: (counter, error) => {
        standIn.set(counter === 'local' ? 1 : 0);
        log.warn({ error, reason: counter }, 'rate limits are counted elsewhere now');
      },
      redis,
    }),
    tenants,
  });
}

function readinessFor(process: GatewayProcess, parts: readonly OperationsPart[]): Readiness {
  const { config, headGuard, storage } = process;
  return () =>
    readinessOf({
      headGuard,
      evidenceDirectory: config.mongodb === undefined ? config.dataDir : undefined,
      slices: parts.map(
        ({ readiness }) =>
          async () =>
            readiness?.(process),
      ),
      storage,
    });
}

function authenticatorOf(process: GatewayProcess, parts: readonly OperationsPart[]): Authenticator {
  const { clock, config, identity, log, tenants } = process;
  const { oidc } = config;
  return createAuthenticator({
    apiKeys: createApiKeyDirectory({
      clock,
      onTouchFailed: (error) => log.warn({ error }, 'last use of a key was not noted'),
      store: identity,
    }),
    origins: config.origins,
    sessions: parts.find(({ sessions }) => sessions !== undefined)?.sessions?.(process),
    tenants,
    trustProxy: config.http.trustProxy,
    ...(oidc !== undefined && { oidc: createOidcVerifier({ ...oidc, clock, fetch }) }),
  });
}

/** Doors, whose callers come to an address, too: the same hosts are theirs as those of the API. */
function doorsOf(process: GatewayProcess, parts: readonly OperationsPart[]): readonly Door[] {
  const { config, tenants } = process;
  const { trustProxy } = config.http;
  const requireHost = createRequireHost({ origins: config.origins, tenants, trustProxy });
  return parts
    .flatMap(({ doors }) => doors?.(process) ?? [])
    .map((door) => ({
      ...door,
      async authenticate(request) {
        const caller = await door.authenticate(request);
        await requireHost(request, caller);
        return caller;
      },
    }));
}

/**
 * Keys of HMACs: the same on every gateway of an installation, and stored nowhere. Ed25519 is
 * deterministic, so a signature that is never published serves as the secret.
 */
const derivedSecret = (signer: Signer, purpose: string): Uint8Array =>
  sha256(signer.sign(Buffer.from(`${purpose}\0`)));
