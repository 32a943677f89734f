/**
 * The thread that reads entries of lists. It starts with the first entry that is asked for: a
 * gateway without hits never has it. It has blobs of its own, since their reads are its work.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import type { EntryThread, EntryThreadOf, VersionText } from '#slices/lists';
import type { EntryAnswer, EntryTask } from './entryReader.ts';

/** Reads wait for a disk or a bucket, so several are under way at once. */
const AT_ONCE = 16;

export async function entryThread(of: EntryThreadOf): Promise<EntryThread> {
  let threads: Piscina<EntryTask, EntryAnswer<unknown>> | undefined;
  const run = async <Found>(
    what: EntryTask['what'],
    version: VersionText,
    ids: readonly string[],
  ) => {
    threads ??= start(of);
    const answer = await threads.run({ ids, version: textOf(version), what });
    return foundIn(answer as EntryAnswer<Found>);
  };
  return {
    close: async () => threads?.destroy(),
    entities: (version, ids) => run('entities', version, ids),
    facts: (version, ids) => run('facts', version, ids),
    // What cannot be read is told to whoever asks for an entry.
    prepare: (version) => void (threads && run('entities', version, []).catch(() => undefined)),
  };
}

function start({ dataDir, s3 }: EntryThreadOf): Piscina<EntryTask, EntryAnswer<unknown>> {
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

/** Errors lose their class on the way between threads; codes of ours do not. */
function foundIn<Found>(answer: EntryAnswer<Found>): readonly (Found | undefined)[] {
  if ('found' in answer) return answer.found;
  const { code, message } = answer;
  if (code === undefined) throw new Error(`entries: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message });
}
