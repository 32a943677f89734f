/**
 * The threads that read entries of lists, each with blobs of its own, since their reads are its
 * work. One has the facts that answers of screenings wait for, and nothing else: whatever is asked
 * for on pages (whole entries, histories, old versions) is read in the other, which gives way, and
 * ends when it has rested. Neither starts before it is asked.
 *
 * Callers take turns for each. A thread that dies fails what it had in hand; Piscina starts a new
 * one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import { TurnLine } from '#platform/turnLine';
import type {
  EntryCaller,
  EntryLane,
  EntryThread,
  EntryThreadOf,
  HistoryPiece,
  ListVersion,
  VersionText,
} from '#slices/lists';
import type { EntryAnswer, EntryTask } from './entryReader.ts';
import { rethrowFromLine } from './lineRefusal.ts';

interface LaneRules {
  /** Reads wait for a disk or a bucket, so several are under way at once. */
  readonly places: number;
  readonly waitingMax: number;
  readonly idleMs: number;
  readonly niceness: number;
  readonly what: string;
}

const LANES: Readonly<Record<EntryLane, LaneRules>> = {
  answers: {
    idleMs: Number.POSITIVE_INFINITY,
    niceness: 0,
    places: 16,
    waitingMax: 2_000,
    what: 'facts of listed parties',
  },
  // Its tables are made again after a rest: 100 bytes a line, of any version.
  pages: { idleMs: 60_000, niceness: 5, places: 4, waitingMax: 256, what: 'entries of lists' },
};

const READER = new URL('./entryReader.ts', import.meta.url);

/** @param reader another thread entry, for tests of what waits for what */
export async function entryThread(of: EntryThreadOf, reader = READER): Promise<EntryThread> {
  const answers = new Lane(LANES.answers, (rules) => start(of, rules, reader));
  const pages = new Lane(LANES.pages, (rules) => start(of, rules, reader));
  return {
    categories: (version, by) => pages.run({ version: textOf(version), what: 'categories' }, by),
    close: async () => void (await Promise.all([answers.close(), pages.close()])),
    entities: (version, ids, by) =>
      pages.run({ ids, version: textOf(version), what: 'entities' }, by),
    facts: (version, ids, by) => {
      const lane = by.lane === 'answers' ? answers : pages;
      return lane.run({ ids, version: textOf(version), what: 'facts' }, by);
    },
    history: (ask, by) => {
      const versions = ask.versions.map((one) => ({ ...textOf(one), ...changesIn(one) }));
      return pages.run<HistoryPiece>({ ask: { ...ask, versions }, what: 'history' }, by);
    },
    lines: (version, ids, by) => pages.run({ ids, version: textOf(version), what: 'lines' }, by),
    // What cannot be read is told to the one who asks for an entry.
    prepare: (version) => answers.prepare({ ids: [], version: textOf(version), what: 'facts' }),
  };
}

type Threads = Piscina<EntryTask, EntryAnswer>;

class Lane {
  readonly #line: TurnLine;
  readonly #start: () => Threads;
  #threads: Threads | undefined;

  constructor(rules: LaneRules, start: (rules: LaneRules) => Threads) {
    this.#start = () => start(rules);
    this.#line = new TurnLine(rules);
  }

  run<Found>(task: EntryTask, by: EntryCaller): Promise<Found> {
    return this.#line
      .run(by, async () => {
        this.#threads ??= this.#start();
        return foundIn(await this.#threads.run(task)) as Found;
      })
      .catch(rethrowFromLine);
  }

  /** In nobody's turn, and only where the thread is there already. */
  prepare(task: EntryTask): void {
    this.#threads?.run(task).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#line.refuseAll(new Error('entries: closed'));
    await this.#threads?.destroy();
  }
}

function start(
  { dataDir, s3 }: EntryThreadOf,
  { idleMs, niceness, places }: LaneRules,
  reader: URL,
): Threads {
  return new Piscina({
    concurrentTasksPerWorker: places,
    filename: reader.href,
    idleTimeout: idleMs,
    maxThreads: 1,
    minThreads: 0,
    name: 'readEntries',
    niceIncrement: niceness,
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
