/** Engine, lists in force and the screening service. */
import { createEngine, type Engine, type LoadedIndex } from '#engine';
import type { Log } from '#platform/log';
import { createScreening, LoadedLists, type ScreeningService } from '#slices/screening';
import type { Installation } from './installation.ts';

/** A list that was published is in force here within this time (decisions 7.2: 2 s). */
const LISTS_POLL_MS = 1_000;
/** No honest query takes this long; the worst one must not hold a thread for ever. */
const SCREENING_DEADLINE_MS = 2_000;
/** Queries that wait for a thread; beyond it the caller is told to come again. */
const ENGINE_QUEUE_MAX = 2_000;

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
