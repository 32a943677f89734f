/**
 * Executes a run in hand: fetch, import, end. The same for a worker and for the command line.
 *
 * Nothing of a run is in force before the one commit that publishes it, ends it and frees its
 * source. A process that dies before that commit leaves a run that another worker takes over
 * (runTakeOver.ts) and blobs that no record names. After that commit nothing is left to do.
 */
import { DomainError } from '#core/kernel';
import { WorkLost } from '#core/work';
import type { Clock } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import { failureReason } from './importEvidence.ts';
import { importList } from './importList.ts';
import type {
  Allowances,
  EndedRun,
  ImportListOptions,
  ImportPorts,
  ImportProgress,
  ImportResult,
} from './importPorts.ts';
import type { FetchedList, ListFetcher } from './listFetch.ts';
import type { ListRun } from './ports.ts';
import type { RcaOptions } from './rca.ts';
import type { ListReader, ReadList } from './reader.ts';
import type { RunHold } from './runLease.ts';
import { RunProgress } from './runProgress.ts';
import {
  type EndingRun,
  endedRun,
  finishRun,
  placeOf,
  type RunEnd,
  type RunPorts,
  runEndChanges,
} from './runs.ts';
import type { SignedSources } from './signedSources.ts';
import { newSource } from './sourceCatalogue.ts';

export interface ExecuteRunPorts extends RunPorts {
  readonly signed: Pick<SignedSources, 'check' | 'checkRun'>;
  readonly clock: Clock;
  readonly imports: ImportPorts;
  readonly fetcher: ListFetcher;
  /** Undefined for a source that no connector reads. */
  readonly readerOf: (sourceId: string) => ListReader | undefined;
  readonly bundleReader: ListReader;
  readonly rca?: RcaOptions;
}

export interface ExecuteRunOptions {
  /** A file at hand, instead of one that is fetched. */
  readonly file?: AsyncIterable<Uint8Array>;
  readonly allow?: Partial<Allowances>;
  readonly onProgress?: (progress: { readonly stage: string; readonly bytes: number }) => void;
  /** Told of the progress that this run makes, for a worker that stops in between. */
  readonly onBegin?: (progress: RunProgress) => void;
  /** Imports wait for each other where runs share a process: each may take all its memory. */
  readonly alone?: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

export type RunOutcome =
  | { readonly status: 'done'; readonly run: ListRun; readonly result: ImportResult }
  /** The publisher has nothing that is not in force already. */
  | { readonly status: 'not-modified'; readonly run: ListRun }
  /** The error goes into the run's record, and into the evidence. */
  | { readonly status: 'failed'; readonly error: unknown }
  /** Another holder's by now, who decides its end. */
  | { readonly status: 'lost'; readonly error: unknown };

/** The caller ends the hold. Rejects only where the store does not answer. */
export async function executeRun(
  ports: ExecuteRunPorts,
  hold: RunHold,
  options: ExecuteRunOptions = {},
): Promise<RunOutcome> {
  const progress = new RunProgress(hold, ports.clock, ports.tracer);
  options.onBegin?.(progress);
  const work: Work = { hold, options, ports, progress, run: hold.record };
  try {
    await hold.saveNow();
    return await execute(work);
  } catch (error) {
    if (isLost(hold, error)) return { error, status: 'lost' };
    return await endFailed(work, error);
  } finally {
    progress.leave();
  }
}

const isLost = (hold: RunHold, error: unknown): boolean =>
  hold.signal.aborted || error instanceof WorkLost;

interface Work {
  readonly ports: ExecuteRunPorts;
  readonly run: ListRun;
  readonly options: ExecuteRunOptions;
  readonly hold: RunHold;
  readonly progress: RunProgress;
}

async function execute(work: Work): Promise<RunOutcome> {
  const { options, ports, run } = work;
  const source = (await ports.lists.findSource(run.sourceId)) ?? newSource(run.sourceId);
  await ports.signed.check(source);
  await ports.signed.checkRun(run);
  const reader = ports.readerOf(run.sourceId);
  if (reader === undefined) {
    throw new DomainError('list-unknown', { detail: `no connector reads ${run.sourceId}` });
  }
  if (options.file !== undefined) return importFile(work, { read: options.file, reader });
  const fetched = await fetchFile(work, source);
  if (fetched.status === 'not-modified') return endUnmodified(work, source);
  try {
    if (isIngested(work, source, fetched)) {
      return await endUnmodified(work, source, fetched);
    }
    return await importAlone(work, {
      read: fetched.file.read(),
      reader: fetched.file.isBundle ? ports.bundleReader : reader,
      validators: (read) => validatorsOf(fetched, source, read),
    });
  } finally {
    await fetched.file.remove();
  }
}

function fetchFile(
  { hold, options, ports, progress, run }: Work,
  source: ListSource,
): Promise<FetchedList> {
  progress.enter('fetch');
  return ports.fetcher.fetch({
    kind: isFull(run) ? 'full' : 'delta',
    onBytes: (bytes) => {
      progress.bytes(bytes);
      options.onProgress?.({ bytes, stage: 'fetch' });
    },
    onLog: (level, text) => progress.log(level, text),
    signal: hold.signal,
    source,
  });
}

const isFull = ({ kind, retryOf }: ListRun): boolean => (retryOf ?? kind) === 'full';

/** A full run reads the same file again: the related parties are worked out anew. */
const isIngested = ({ run }: Work, source: ListSource, { file, isDelta }: Fetched): boolean =>
  !isFull(run) &&
  source.active !== undefined &&
  source.validators?.fileSha256 === file.sha256 &&
  // One that could be read in part is read again.
  isDelta !== true;

type Fetched = Extract<FetchedList, { status: 'fetched' }>;

/** For a delta that could be read only in part, the version is still to come. */
function versionOf(
  { isDelta, publisherVersion }: Fetched,
  source: ListSource,
  read: ReadList | undefined,
): string | undefined {
  const isWhole = isDelta !== true || read?.skipped.length === 0;
  return isWhole ? publisherVersion : source.validators?.publisherVersion;
}

function validatorsOf(
  fetched: Fetched,
  source: ListSource,
  read?: ReadList,
): NonNullable<RunEnd['validators']> {
  const { etag, file, lastModified } = fetched;
  const publisherVersion = versionOf(fetched, source, read);
  const place = placeOf(source);
  return {
    fileSha256: file.sha256,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(place !== undefined && { place }),
    ...(publisherVersion !== undefined && { publisherVersion }),
  };
}

async function endUnmodified(
  { ports, progress }: Work,
  source: ListSource,
  fetched?: Fetched,
): Promise<RunOutcome> {
  const { active } = source;
  progress.log('info', 'the publisher has nothing new');
  const run = await finishRun(ports, await progress.end(), {
    status: 'skipped',
    ...(active !== undefined && { listVersion: active.listVersion }),
    ...(fetched !== undefined && {
      fetchedBytes: fetched.file.bytes,
      validators: validatorsOf(fetched, source),
    }),
  });
  return { run, status: 'not-modified' };
}

type Read = Pick<ImportListOptions, 'read' | 'reader' | 'validators'>;

function importAlone(work: Work, of: Read): Promise<RunOutcome> {
  const { hold, options, progress } = work;
  if (options.alone === undefined) return importFile(work, of);
  progress.enter('wait');
  return options.alone(() => {
    hold.signal.throwIfAborted();
    return importFile(work, of);
  });
}

async function importFile(work: Work, of: Read): Promise<RunOutcome> {
  const { hold, options, ports, progress, run } = work;
  const { shrinkApprovedBy, shrinkReleased } = run;
  let ended: ListRun | undefined;
  const result = await importList({
    actor: run.triggeredBy,
    allow: {
      ...options.allow,
      ...(shrinkApprovedBy !== undefined && { shrinkApprovedBy }),
      ...(shrinkReleased !== undefined && { shrinkReleased }),
    },
    endRun: async (end): Promise<EndedRun> => {
      if (ended === undefined) progress.log('info', summaryOf(end.end));
      const after = endedWith(await progress.end(), end);
      ended = after.run;
      return after;
    },
    onLog: (level, text) => progress.log(level, text),
    onProgress: (step) => report(work, step),
    ports: ports.imports,
    rcaPaths: isFull(run) || options.file !== undefined ? 'rebuild' : 'keep',
    reader: of.reader,
    read: of.read,
    run,
    signal: hold.signal,
    sourceId: run.sourceId,
    ...(of.validators !== undefined && { validators: of.validators }),
    ...(ports.rca !== undefined && { rca: ports.rca }),
  });
  return { result, run: ended ?? run, status: 'done' };
}

function report({ options, progress }: Work, step: ImportProgress): void {
  progress.enter(step.stage);
  if (step.stage === 'read') progress.bytes(step.bytes);
  options.onProgress?.(step);
}

/** Called again where the source changed meanwhile; the run is unchanged. */
function endedWith(
  of: EndingRun,
  { at, end, source }: { at: ListRun['startedAt']; end: RunEnd; source: ListSource },
): EndedRun & { readonly run: ListRun } {
  const after = endedRun({ at, end, run: of.record, source });
  return { changes: runEndChanges(of, after.run), run: after.run, source: after.source };
}

function summaryOf({
  addedCount,
  listVersion,
  removedCount,
  status,
  updatedCount,
}: RunEnd): string {
  if (listVersion === undefined) return `ends as ${status}`;
  const counts = `added ${addedCount}, updated ${updatedCount}, removed ${removedCount}`;
  return `ends as ${status}: ${listVersion}, ${counts}`;
}

/** An import has ended its run itself; before it, the run is still open. */
async function endFailed(
  { hold, ports, progress, run }: Work,
  error: unknown,
): Promise<RunOutcome> {
  const { code, detail } = failureReason(error);
  try {
    await hold.end();
    const stored = await ports.runs.findRun(run.runId);
    if (stored?.status !== 'running') return { error, status: 'failed' };
    progress.log('error', `${code}: ${detail}`);
    await finishRun(ports, await progress.end(), {
      errorCode: code,
      errorMessage: detail,
      status: 'failed',
    });
    return { error, status: 'failed' };
  } catch (cause) {
    if (isLost(hold, cause)) return { error: cause, status: 'lost' };
    throw cause;
  }
}
