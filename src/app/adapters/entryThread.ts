/**
 * The thread that reads entries of lists. It starts with the first entry that is asked for: a
 * gateway without hits never has it. It has blobs of its own, since their reads are its work.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import type {
  EntryHistory,
  EntryThread,
  EntryThreadOf,
  ListVersion,
  VersionText,
} from '#slices/lists';
import type { EntryAnswer, EntryTask } from './entryReader.ts';

/** Reads wait for a disk or a bucket, so several are under way at once. */
const AT_ONCE = 16;

export async function entryThread(of: EntryThreadOf): Promise<EntryThread> {
  let threads: Threads | undefined;
  const run = async (task: EntryTask): Promise<unknown> => {
    threads ??= start(of);
    return foundIn(await threads.run(task));
  };
  const read = <Found>(what: 'entities' | 'facts', version: VersionText, ids: readonly string[]) =>
    run({ ids, version: textOf(version), what }) as Promise<readonly (Found | undefined)[]>;
  return {
    close: async () => threads?.destroy(),
    entities: (version, ids) => read('entities', version, ids),
    facts: (version, ids) => read('facts', version, ids),
    history: ({ id, isWhole, versions }) => {
      const texts = versions.map((version) => ({ ...textOf(version), ...changesIn(version) }));
      const ask = { id, isWhole, versions: texts };
      return run({ ask, what: 'history' }) as Promise<EntryHistory>;
    },
    // What cannot be read is told to the one who asks for an entry.
    prepare: (version) => void (threads && read('entities', version, []).catch(() => undefined)),
  };
}

type Threads = Piscina<EntryTask, EntryAnswer>;

function start({ dataDir, s3 }: EntryThreadOf): Threads {
  return new Piscina({
    concurrentTasksPerWorker: AT_ONCE,
    filename: new URL('./entryReader.ts', import.meta.url).href,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxThreads: 1,
    minThreads: 0,
    name: 'readEntries',
    workerData: { dataDir, ...(s3 !== undefined && { s3 }) },
  });
}

/** A record has more, and all of it would be copied. */
const textOf = ({
  bundleBase,
  bundleBlob,
  contentDigest,
  entityCount,
  linesBlob,
  listDigest,
}: VersionText): VersionText => ({
  ...(bundleBase !== undefined && { bundleBase }),
  bundleBlob,
  contentDigest,
  entityCount,
  ...(linesBlob !== undefined && { linesBlob }),
  listDigest,
});

const changesIn = ({ changesBlob }: Pick<ListVersion, 'changesBlob'>) =>
  changesBlob === undefined ? {} : { changesBlob };

/** Errors lose their class on the way between threads; codes of ours do not. */
function foundIn(answer: EntryAnswer): unknown {
  if ('found' in answer) return answer.found;
  const { code, message } = answer;
  if (code === undefined) throw new Error(`entries: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message });
}
