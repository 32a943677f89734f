/** Engine, lists in force and the screening service of a gateway. */
import { mayProcess } from '#core/privacy';
import { factsOfProcess, signedVersions } from '#slices/lists';
import { resolvedListStore, signedResolutionStore } from '#slices/resolution';
import {
  createScreening,
  createScreeningFigures,
  LoadedLists,
  type ScreeningService,
} from '#slices/screening';
import type { GatewayProcess } from '../../processes.ts';
import {
  type EngineIndex,
  exclusions,
  hitExplainer,
  type ScreeningEngine,
  screeningEngine,
} from '../asks.ts';
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
  const { audit, clock, config, metrics, random, tracer } = process;
  const engine = await process.need(screeningEngine)({
    queueMax: ENGINE_QUEUE_MAX,
    threads: config.engineThreads,
  });
  const lists = listsInForce(process, engine);
  process.onClose(async () => {
    await lists.close();
    await engine.close();
  });
  await lists.refresh();
  lists.startPolling(LISTS_POLL_MS);
  const deadlineMs = SCREENING_DEADLINE_MS;
  return {
    engine,
    lists,
    screening: createScreening({
      audit,
      clock,
      deadlineMs,
      engine,
      exclusions: process.ask(exclusions),
      explain: explainPorts(process, async () => process.need(hitExplainer)()),
      factsOf: factsOfProcess(process),
      figures: createScreeningFigures(metrics, clock, tracer),
      lists,
      mayProcess: process.ask(mayProcess),
      random,
      tracer,
    }),
  };
}

function listsInForce(
  { blobs, keyRing, log, storage }: GatewayProcess,
  engine: ScreeningEngine,
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
