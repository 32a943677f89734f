/** Engine, lists in force and the screening service, of a gateway and of one command. */
import { mayProcess } from '#core/privacy';
import type { Log } from '#platform/log';
import {
  createFactsOf,
  createLinesOf,
  entryThread,
  factsOfProcess,
  linesOfProcess,
  listStore,
  signedVersions,
} from '#slices/lists';
import { resolvedListStore, signedResolutionStore } from '#slices/resolution';
import {
  createScreening,
  createScreeningFigures,
  LoadedLists,
  type ScreeningOptions,
  type ScreeningService,
} from '#slices/screening';
import type { CliProcess, GatewayProcess, SliceProcess } from '../../processes.ts';
import { type EngineIndex, exclusions, type ScreeningEngine, screeningEngine } from '../asks.ts';
import { explainPorts } from '../explainHits.ts';

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

/** One for the process. The lists are loaded once it resolves. */
export const screeningPartsOf = (process: GatewayProcess): Promise<ScreeningParts> =>
  process.once(openScreening);

async function openScreening(process: GatewayProcess): Promise<ScreeningParts> {
  const { clock, config, log, metrics, tracer } = process;
  const { lists, ...parts } = await openParts(process, {
    explain: explainPorts(process, linesOfProcess(process)),
    factsOf: factsOfProcess(process),
    figures: createScreeningFigures(metrics, clock, tracer),
    log,
    threads: config.engineThreads,
  });
  lists.startPolling(LISTS_POLL_MS);
  return { lists, ...parts };
}

/** What differs between a gateway and a command. */
interface Means extends Pick<ScreeningOptions<EngineIndex>, 'explain' | 'factsOf' | 'figures'> {
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly threads: number;
}

async function openParts(process: SliceProcess, means: Means): Promise<ScreeningParts> {
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
      clock,
      deadlineMs: SCREENING_DEADLINE_MS,
      engine,
      exclusions: process.ask(exclusions),
      lists,
      mayProcess: process.ask(mayProcess),
      random,
      tracer,
    }),
  };
}

/** The service of one command: lists are loaded once, nothing is counted, and it ends with it. */
export async function serviceOfCommand(
  process: CliProcess,
  onError: (text: string) => void,
): Promise<ScreeningService> {
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
  const { screening } = await openParts(process, {
    explain: explainPorts(process, createLinesOf(ports)),
    factsOf: createFactsOf(ports),
    figures: { screened: () => undefined, stage: (_, work) => work() },
    log: { error: (_, text) => onError(text), info: () => undefined },
    threads: 0,
  });
  return screening;
}

function listsInForce(
  { blobs, keyRing, storage }: SliceProcess,
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
