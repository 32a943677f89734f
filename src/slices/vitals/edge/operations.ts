/** The state of the installation over HTTP (interface.md 4.8; operations S18, S19). */
import { chainOf, type TenantId } from '#core/kernel';
import { isSourceSeen, operatesLists } from '#slices/ingestion';
import { openConditions } from '#slices/notifications';
import { screeningPartsOf } from '#slices/screening';
import {
  type ChainPorts,
  EVERYBODY,
  Heartbeat,
  type LookPorts,
  lookAtCluster,
  openTroubles,
  SHOWN_TROUBLES_MAX,
  type Trouble,
  troubleRow,
} from '#slices/vitals';
import manifest from '../../../../package.json' with { type: 'json' };
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { figuresOf, lookPortsOf } from './parts.ts';
import { presentAlerts, presentIndexes, presentNodes } from './presentation.ts';
import { ActiveAlerts, ClusterHealth } from './schemas.ts';

export interface VitalRouteOptions {
  readonly chain: () => ChainPorts;
  readonly isOperator: (tenantId: TenantId) => Promise<boolean>;
  readonly look: () => LookPorts;
  /** Milliseconds that Redis took to answer; undefined where it does not. */
  readonly pingRedis: () => Promise<number | undefined>;
  readonly isRedisGiven: () => boolean;
  readonly store: () => Pick<GatewayProcess['storage'], 'capabilities' | 'technology'>;
}

export const operations = (process: GatewayProcess): readonly Operation[] =>
  vitalOperations({
    chain: () => process.storage,
    isOperator: (tenantId) =>
      operatesLists({ mode: process.config.deploymentMode, tenants: process.tenants }, tenantId),
    isRedisGiven: () => !isOwnRedis(process.config),
    look: () => lookPortsOf(process),
    pingRedis: process.pingRedis,
    store: () => process.storage,
  });

/** A supervisor names the socket of the Redis that it has started, in the data directory. */
const isOwnRedis = ({ dataDir, redisUrl }: GatewayProcess['config']): boolean =>
  redisUrl === undefined || redisUrl.startsWith(`unix://${dataDir}/`);

/** This gateway beats from now on. */
export async function open(process: GatewayProcess): Promise<void> {
  const { clock, config, holder, log, metrics, storage } = process;
  const heartbeat = new Heartbeat({
    clock,
    figures: async () => {
      const { lists } = (await screeningPartsOf(process)).lists.current();
      return figuresOf(metrics, {
        engineThreads: config.engineThreads,
        lists: lists.map(({ index, version }) => ({
          bytes: index.bytes,
          entities: index.entityCount,
          list_digest: version.listDigest,
          list_version: version.listVersion,
          source: version.sourceId,
        })),
      });
    },
    nodeId: holder,
    onFailure: (error) => log.debug({ error }, 'this process could not say that it lives'),
    release: manifest.version,
    role: 'gateway',
    tables: storage.tables,
  });
  heartbeat.start();
  process.onClose(() => heartbeat.stop());
}

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  tag: 'Sanctions',
} as const;

export const vitalOperations = (options: VitalRouteOptions): Operation[] => [
  {
    ...READING,
    id: 'getClusterHealth',
    path: '/v1/sanctions/health/cluster',
    scope: 'screening:read',
    summary: 'Processes, indexes and queues of the installation, and whether it screens',
    description:
      '`green`: every gateway screens against every list in force, and nothing is late. ' +
      '`yellow`: screening works, but something stands in, is missing or is over a minute late. ' +
      '`red`: some gateway cannot screen with evidence. Names of hosts are shown to operators.',
    responses: { 200: { description: 'The state now', schema: ClusterHealth } },
    handle: (context) => health(options, context),
  },
  {
    ...READING,
    id: 'listActiveAlerts',
    path: '/v1/sanctions/alerts/active',
    scope: 'alerts:read',
    summary: 'What is wrong with the installation or your tenant, as long as it lasts',
    description:
      'States, not messages: each is opened once, counted while it lasts, and closed by itself; ' +
      'changes are entries and events of the bus. The gravest first. A broken chain is closed by ' +
      'its acknowledgement. What names processes and disks is shown to operators alone.',
    responses: {
      200: { description: 'Those that are open, the gravest five hundred', schema: ActiveAlerts },
    },
    handle: (context) => active(options, context),
  },
];

async function health(options: VitalRouteOptions, { principal, tenantId }: OperationContext) {
  const [looked, isOperator, redisMs] = await Promise.all([
    lookAtCluster(options.look()),
    options.isOperator(tenantId),
    options.pingRedis(),
  ]);
  const { capabilities, technology } = options.store();
  const { beats, storePingMs, subscribers, verdict } = looked;
  const isSeen = ({ source }: { readonly source: string }): boolean =>
    isSourceSeen(source, principal.environment === 'sandbox');
  const isLocal = beats.some(({ figures }) => figures?.isLimitLocal === true);
  const free = verdict.nodes.flatMap(({ beat }) => beat.figures?.diskFree ?? []);
  const seesHosts =
    isOperator && principal.roles.some((role) => role === 'dsi_admin' || role === 'admin');
  const body = {
    status: verdict.status,
    reasons: verdict.reasons,
    nodes: presentNodes(verdict.nodes, seesHosts),
    indexes: presentIndexes(looked).filter(isSeen),
    store: {
      kind: technology,
      ping_ms: storePingMs === undefined ? null : rounded(storePingMs),
      transactions: capabilities.supportsMultiDocumentTransactions,
    },
    redis: {
      mode:
        isLocal || redisMs === undefined
          ? 'local-stand-in'
          : options.isRedisGiven()
            ? 'given'
            : 'own',
      ping_ms: redisMs === undefined ? null : rounded(redisMs),
    },
    blobs: { free_bytes: free.length === 0 ? null : Math.min(...free) },
    outbox: {
      depth: Math.max(0, ...subscribers.map(({ waiting }) => waiting)),
      oldest_s: rounded(Math.max(0, ...subscribers.map(({ oldestS }) => oldestS))),
    },
    queues: subscribers.map(({ oldestS, setAside, subscriber, waiting }) => ({
      queue: subscriber,
      depth: waiting,
      oldest_s: rounded(oldestS),
      set_aside: setAside,
    })),
    chain: await chainAges(options, tenantId, looked.now),
  };
  return { body, status: 200 };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

async function chainAges({ chain }: VitalRouteOptions, tenantId: TenantId, now: number) {
  const { audit } = chain();
  const chainId = chainOf(tenantId);
  const { seq } = await audit.head(chainId);
  const last = seq === 0 ? undefined : await audit.findBySeq(chainId, seq);
  const checkpoint = await audit.latestCheckpoint(chainId);
  const ageOf = (at: number): number => rounded(Math.max(0, now - at) / 1_000);
  return {
    head_age_s: last === undefined ? null : ageOf(last.occurredAt),
    checkpoint_age_s: checkpoint === undefined ? null : ageOf(Date.parse(checkpoint.at)),
  };
}

async function active(options: VitalRouteOptions, { principal, tenantId }: OperationContext) {
  const { tables } = options.look();
  const isOperator = await options.isOperator(tenantId);
  const isSandbox = principal.environment === 'sandbox';
  const isShown = ({ code, subjectId, subjectKind }: Trouble): boolean => {
    if (subjectKind === 'list' && !isSourceSeen(subjectId, isSandbox)) return false;
    return isOperator || troubleRow(code).shownTo === 'all';
  };
  const ofAll = (await openTroubles(tables, EVERYBODY)).filter(isShown);
  const troubles = [...ofAll, ...(await openTroubles(tables, tenantId))];
  const conditions = await openConditions(tables, { kind: 'alert', tenantId });
  const data = presentAlerts(troubles, conditions).slice(0, SHOWN_TROUBLES_MAX);
  return { body: { data, next_cursor: null }, status: 200 };
}
