/** Engine, lists in force and the screening service, of a gateway and of one command. */
import type { AuditLog, AuditStore, KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Adapter, Question, Tables } from '#core/kernel';
import { type MayProcess, mayProcess } from '#core/privacy';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import type { Random } from '#platform/random';
import type { Tracer } from '#platform/tracing/tracer';
import {
  createFactsOf,
  createLinesOf,
  type EntryThreadOf,
  entryThread,
  factsOfProcess,
  linesOfProcess,
  listStore,
  signedVersions,
} from '#slices/lists';
import { resolvedListStore, signedResolutionStore } from '#slices/resolution';
import {
  type EngineIndex,
  type ExclusionsInForce,
  exclusions,
  type MonitorSubject,
  monitorSubject,
  type ScreeningEngine,
  screeningEngine,
} from './asks.ts';
import { explainPorts } from './explainHits.ts';
import { LoadedLists } from './listsInForce.ts';
import { createScreening, type ScreeningOptions, type ScreeningService } from './screen.ts';
import { ScreeningCache } from './screeningCache.ts';
import { createScreeningFigures } from './screeningFigures.ts';
import { screeningUsageOf } from './screeningUsage.ts';

/** A list that was published is in force here within this time (decisions 7.2: 2 s). */
const LISTS_POLL_MS = 1_000;
/** No honest query takes this long; the worst one must not hold a thread for ever. */
const SCREENING_DEADLINE_MS = 2_000;
/** Queries that wait for a thread; beyond it the caller is told to come again. */
const ENGINE_QUEUE_MAX = 2_000;

export interface ScreeningParts {
  readonly engine: ScreeningEngine;
  readonly lists: LoadedLists<EngineIndex>;
  readonly screening: ScreeningService;
}

/** What a process of any kind has for it. */
export interface ScreeningMeans {
  readonly audit: AuditLog;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly config: EntryThreadOf & { readonly engineThreads: number };
  readonly keyRing: KeyRing;
  readonly random: Random;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  readonly tracer: Tracer;
  ask(port: typeof exclusions): ExclusionsInForce;
  ask(port: typeof mayProcess): MayProcess;
  ask(port: typeof monitorSubject): MonitorSubject;
  need<Asked extends Question>(adapter: Adapter<Asked>): Asked;
  once<Part>(make: (process: this) => Part): Part;
  onClose(end: () => Promise<void>): void;
}

/** What a gateway has beside it. */
export interface ScreeningGateway extends ScreeningMeans {
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One for the process. The lists are loaded once it resolves. */
export const screeningPartsOf = (process: ScreeningGateway): Promise<ScreeningParts> =>
  process.once(openScreening);

async function openScreening(process: ScreeningGateway): Promise<ScreeningParts> {
  const { clock, config, log, metrics, tracer } = process;
  const { lists, ...parts } = await openParts(process, {
    explain: explainPorts(process, linesOfProcess(process)),
    factsOf: factsOfProcess(process),
    figures: createScreeningFigures(metrics, clock, tracer),
    log,
    threads: config.engineThreads,
    usage: screeningUsageOf(process),
  });
  lists.startPolling(LISTS_POLL_MS);
  return { lists, ...parts };
}

/** What differs between a gateway and a command. */
interface Means
  extends Pick<ScreeningOptions<EngineIndex>, 'explain' | 'factsOf' | 'figures' | 'usage'> {
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly threads: number;
}

async function openParts(process: ScreeningMeans, means: Means): Promise<ScreeningParts> {
  const { audit, clock, random, tracer } = process;
  const { log, threads, ...ports } = means;
  const engine = await process.need(screeningEngine)({ queueMax: ENGINE_QUEUE_MAX, threads });
  const lists = listsInForce(process, engine, log);
  process.onClose(async () => {
    await lists.close();
    await engine.close();
  });
  await lists.refresh();
  return {
    engine,
    lists,
    screening: createScreening({
      ...ports,
      audit,
      cache: new ScreeningCache(),
      clock,
      deadlineMs: SCREENING_DEADLINE_MS,
      engine,
      exclusions: process.ask(exclusions),
      lists,
      mayProcess: process.ask(mayProcess),
      monitorSubject: process.ask(monitorSubject),
      random,
      tracer,
    }),
  };
}

/** Those of one command: lists are loaded once, nothing is counted, and it ends with them. */
export async function screeningPartsOfCommand(
  process: ScreeningMeans,
  onError: (text: string) => void,
): Promise<ScreeningParts> {
  const { keyRing, storage } = process;
  const versions = signedVersions({ audit: storage.audit, keyRing });
  const thread = await process.need(entryThread)(process.config);
  process.onClose(() => thread.close());
  const ports = {
    check: versions.checkPublished.bind(versions),
    lists: listStore(storage.tables),
    onUnreadable: (version: string) => onError(`${version}: it cannot be read`),
    thread,
  };
  return openParts(process, {
    explain: explainPorts(process, createLinesOf(ports)),
    factsOf: createFactsOf(ports),
    figures: { screened: () => undefined, stage: (_, work) => work() },
    log: { error: (_, text) => onError(text), info: () => undefined },
    threads: 0,
  });
}

function listsInForce(
  { blobs, keyRing, storage }: ScreeningMeans,
  engine: ScreeningEngine,
  log: Means['log'],
): LoadedLists<EngineIndex> {
  const ports = { audit: storage.audit, keyRing };
  const lists = resolvedListStore(storage.tables);
  return new LoadedLists<EngineIndex>({
    audit: storage.audit,
    blobs,
    lists: { ...lists, ...signedResolutionStore(lists, ports) },
    signed: signedVersions(ports),
    allocate: (bytes) => engine.allocate(bytes),
    load: (base, overlay) => engine.loadInSteps(base, overlay),
    onFailed: (version, error) =>
      log.error({ error, source_id: version?.sourceId }, 'a list could not be loaded'),
    onSwapped: ({ entityCount, listVersion, sourceId }) =>
      log.info(
        { count: entityCount, list_version: listVersion, source_id: sourceId },
        'list in force',
      ),
  });
}
