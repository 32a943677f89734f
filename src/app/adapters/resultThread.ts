/**
 * The thread that reads results of batches for a gateway: unpacking, hashing, opening and parsing a
 * chunk takes milliseconds to a second. It gives way to the threads that screen, and ends when it
 * has rested. Tenants take turns for it, a chunk each.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import { TurnLine } from '#platform/turnLine';
import type { ChunkRead, ChunkTask, ResultThread, ResultThreadOf } from '#slices/batches';
import { rethrowFromLine } from './lineRefusal.ts';
import type { ResultAnswer } from './resultReader.ts';

/** Chunks in hand: one is worked on while the next one's blob comes. Each may be tens of MB. */
const AT_ONCE = 2;
const WAITING_MAX = 256;
const IDLE_MS = 60_000;
const NICE_INCREMENT = 5;
const READER = new URL('./resultReader.ts', import.meta.url);

/** @param reader another thread entry, for tests of what waits for what */
export async function resultThread(of: ResultThreadOf, reader = READER): Promise<ResultThread> {
  const line = new TurnLine({
    places: AT_ONCE,
    waitingMax: WAITING_MAX,
    what: 'results of batches',
  });
  let threads: Piscina<ChunkTask, ResultAnswer> | undefined;
  const read = async (task: ChunkTask): Promise<ChunkRead> => {
    threads ??= start(of, reader);
    return readIn(await threads.run(task));
  };
  return {
    close: async () => {
      line.refuseAll(new Error('results: closed'));
      await threads?.destroy();
    },
    read: (task, by) => line.run(by, () => read(task)).catch(rethrowFromLine),
  };
}

function start(
  { dataDir, keyRing, s3 }: ResultThreadOf,
  reader: URL,
): Piscina<ChunkTask, ResultAnswer> {
  return new Piscina({
    concurrentTasksPerWorker: AT_ONCE,
    filename: reader.href,
    idleTimeout: IDLE_MS,
    maxThreads: 1,
    minThreads: 0,
    name: 'readResults',
    niceIncrement: NICE_INCREMENT,
    workerData: { dataDir, keyRing, ...(s3 !== undefined && { s3 }) },
  });
}

/** Errors lose their class on the way between threads; codes of ours do not. */
function readIn(answer: ResultAnswer): ChunkRead {
  if ('read' in answer) return answer.read;
  const { code, message } = answer;
  if (code === undefined) throw new Error(`results: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message });
}
