/**
 * Builds anew what this release cannot load of the lists in force: at the start of a worker, which
 * may be the first of a new release, and whenever a list was published, which a process of another
 * release may have done.
 */
import type { Subscriber } from '#core/reactions';
import type { Log } from '#platform/log';
import { IndexRebuild, type RebuildPorts } from '#slices/ingestion';
import type { ListVersion } from '#slices/lists';
import type { WorkerProcess } from '../../processes.ts';
import { runPartsOf } from './runParts.ts';

const EVERY_MS = 60_000;
/** A gateway that started with such an index waits for this. */
const RETRY_MS = 5_000;

export async function subscribers(process: WorkerProcess): Promise<readonly Subscriber[]> {
  const { imports, isLaterFormat, lists } = await runPartsOf(process);
  return [indexSubscriber({ ...imports, isLaterFormat, lists }, process.log)];
}

export function indexSubscriber(
  ports: Omit<RebuildPorts, 'onBeyondRepair' | 'onRebuilt'>,
  log: Log,
): Subscriber {
  const fieldsOf = ({ listVersion, sourceId }: ListVersion) => ({
    list_version: listVersion,
    source_id: sourceId,
  });
  const indexes = new IndexRebuild({
    ...ports,
    onBeyondRepair: (version, error) =>
      log.error(
        { ...fieldsOf(version), error, reason: error.message },
        'an index cannot be loaded, nor built from its bundle: import the list again',
      ),
    onRebuilt: (version) =>
      log.warn(fieldsOf(version), 'an index that could not be loaded was built from its bundle'),
  });
  return {
    from: 'now',
    name: 'indexes',
    sweep: {
      after: ['service.sanctions.lists.updated'],
      everyMs: EVERY_MS,
      retryMs: RETRY_MS,
      run: async () => void (await indexes.run()),
    },
  };
}
