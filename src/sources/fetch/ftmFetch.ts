/**
 * FtM data from a publisher with an index of its releases (ftmRelease.ts). Fetches the changes
 * since the version in force where that is known, otherwise the whole file, which must match the
 * index. A publisher without an index is asked for its file, if it changed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DomainError } from '#core/kernel';
import type { FetchListAsk } from '#slices/ingestion';
import {
  type FtmDelta,
  type FtmRelease,
  ftmIndexUrl,
  readFtmDeltas,
  readFtmIndex,
} from './ftmRelease.ts';
import { type HttpAnswer, type HttpGet, shown } from './httpGet.ts';
import { FetchFailure } from './retry.ts';
import { type SpooledFile, spool } from './spool.ts';

/** The index of the largest collection has some 2 MB. */
const INDEX_BYTES_MAX = 32 * 1024 * 1024;
/** Releases of some weeks; after a longer time the whole file is as soon there. */
const DELTAS_MAX = 200;
/** Bytes of all deltas together, unless the whole file is longer: then as many as that has. */
const DELTAS_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of one line of a delta. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Tries of a delta; then the whole file is fetched. */
const DELTA_TRIES = 2;
const LINE_FEED = 0x0a;
const OPERATIONS: ReadonlySet<unknown> = new Set(['ADD', 'DEL', 'MOD']);
/** Statuses of a missing index. If access is denied, the request for the file will report that. */
const NO_INDEX = new Set([401, 403, 404, 410]);
const GONE = new Set([404, 410]);

export type GetFile = (
  url: URL,
  options?: Pick<HttpGet, 'bytesMax' | 'onChunk'> & { readonly isConditional?: boolean },
) => Promise<HttpAnswer>;

export interface FtmTools {
  readonly get: GetFile;
  readonly spoolDirectory: string;
}

export type FtmAnswer = HttpAnswer & {
  readonly isDelta?: true;
  readonly publisherVersion?: string;
};

/** Rejects as httpGet does. One attempt: after a failure all of it is to be done again. */
export async function fetchFtm(ask: FetchListAsk, url: URL, tools: FtmTools): Promise<FtmAnswer> {
  const release = await findRelease(ask, url, tools);
  if (release === undefined) return tools.get(url, { isConditional: true });
  const { active, validators } = ask.source;
  const known = active && validators?.publisherVersion;
  if (known === undefined) return fetchWhole(ask, release, tools);
  if (ask.kind === 'delta') {
    if (release.version <= known) return { status: 'not-modified' };
    return (await changesSince(ask, { known, release, tools })) ?? fetchWhole(ask, release, tools);
  }
  if (release.version >= known) return fetchWhole(ask, release, tools);
  // A cache that is behind: what the later release added would be taken off the list.
  throw again(url, `its index tells of ${release.version}, in force is ${known}`);
}

interface Since {
  readonly known: string;
  readonly release: FtmRelease;
  readonly tools: FtmTools;
}

/** Undefined where they are not to be had: the whole file says the same. */
async function changesSince(ask: FetchListAsk, since: Since): Promise<FtmAnswer | undefined> {
  try {
    const deltas = await findDeltas(ask, since);
    return deltas && (await fetchDeltas(ask, deltas, since));
  } catch (error) {
    const isGone = error instanceof FetchFailure && GONE.has(error.statusCode ?? 0);
    const isDamaged = error instanceof DomainError && error.code === 'list-damaged';
    if (!isGone && !isDamaged) throw error;
    ask.onLog?.('warn', `${error.message}: the whole file is fetched`);
    return undefined;
  }
}

async function findRelease(
  ask: FetchListAsk,
  entities: URL,
  tools: FtmTools,
): Promise<FtmRelease | undefined> {
  const url = ftmIndexUrl(entities);
  if (url === undefined) return undefined;
  try {
    const index = readFtmIndex(await textOf(url, tools), url);
    if (!('why' in index)) return index;
    ask.onLog?.('warn', `${shown(url)} tells of no release: ${index.why}`);
  } catch (error) {
    const status = error instanceof FetchFailure ? error.statusCode : undefined;
    if (status === undefined || !NO_INDEX.has(status)) throw error;
    ask.onLog?.('info', `${shown(url)}: HTTP ${status}, so the file alone is asked for`);
  }
  return undefined;
}

async function findDeltas(
  ask: FetchListAsk,
  { known, release, tools }: Since,
): Promise<readonly FtmDelta[] | undefined> {
  const url = release.deltasUrl;
  if (url === undefined) return undefined;
  const between = { from: known, to: release.version };
  const deltas = readFtmDeltas(await textOf(url, tools), url, between);
  if (deltas !== undefined && deltas.length <= DELTAS_MAX) return deltas;
  const reach = deltas === undefined ? 'do not reach back' : `are ${deltas.length} since`;
  ask.onLog?.('info', `the deltas ${reach} to ${known}: the whole file is fetched`);
  return undefined;
}

async function fetchDeltas(
  ask: FetchListAsk,
  deltas: readonly FtmDelta[],
  { release, tools }: Since,
): Promise<FtmAnswer> {
  const files: SpooledFile[] = [];
  let bytesLeft = Math.max(release.file.bytes, DELTAS_BYTES_MAX);
  try {
    for (const { url, version } of deltas) {
      const file = await fetchDelta(ask, { bytesMax: bytesLeft, tools, url });
      files.push(file);
      bytesLeft -= file.bytes;
      ask.onLog?.('info', `delta ${version}: ${file.bytes} bytes`);
    }
    const publisherVersion = deltas.at(-1)?.version;
    if (publisherVersion === undefined) return { status: 'not-modified' };
    const file = await spool(joined(files), { directory: tools.spoolDirectory });
    return { file, isDelta: true, publisherVersion, status: 'fetched' };
  } finally {
    for (const file of files) await file.remove();
  }
}

/** Each is judged for itself: among others a page of a broken server is a few lines to skip. */
async function fetchDelta(
  ask: FetchListAsk,
  of: { readonly url: URL; readonly bytesMax: number; readonly tools: FtmTools },
): Promise<SpooledFile> {
  const { bytesMax, tools, url } = of;
  for (let count = 1; ; count++) {
    const { file } = fetched(await tools.get(url, { bytesMax }));
    try {
      await refuseNoDelta(file);
      return file;
    } catch (error) {
      await file.remove();
      if (!(error instanceof DomainError) || count === DELTA_TRIES) throw error;
      ask.onLog?.('warn', `${shown(url)}: ${error.message}: asked for again`);
    }
  }
}

/** Throws DomainError `list-damaged`. Lines in the middle are the reader's to judge. */
async function refuseNoDelta(file: SpooledFile): Promise<void> {
  let first: string | undefined;
  let open: Buffer[] = [];
  let openBytes = 0;
  for await (const chunk of file.read()) {
    const bytes = Buffer.from(chunk);
    const end = bytes.indexOf(LINE_FEED) + 1;
    if (end > 0) first ??= Buffer.concat([...open, bytes.subarray(0, end)]).toString();
    const rest = bytes.lastIndexOf(LINE_FEED) + 1;
    if (rest > 0) [open, openBytes] = [[], 0];
    open.push(bytes.subarray(rest));
    openBytes += bytes.length - rest;
    if (openBytes > LINE_BYTES_MAX) throw noDelta('a line that is too long');
  }
  const last = Buffer.concat(open).toString();
  // A release that changed nothing has no delta.
  if (file.bytes === 0) throw noDelta('an empty file');
  if (!isOperation(first ?? last)) throw noDelta('no operation in its first line');
  if (last !== '' && !isOperation(last)) throw noDelta('cut within its last line');
}

/** One after another, each ended by a line feed: some of the publisher's files have none. */
async function* joined(files: readonly SpooledFile[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    let isEnded = true;
    for await (const chunk of file.read()) {
      isEnded = chunk.at(-1) === LINE_FEED;
      yield chunk;
    }
    if (!isEnded) yield Buffer.of(LINE_FEED);
  }
}

async function fetchWhole(
  ask: FetchListAsk,
  { file: told, version }: FtmRelease,
  tools: FtmTools,
): Promise<FtmAnswer> {
  ask.onLog?.('info', `release ${version}: ${told.bytes} bytes at ${shown(told.url)}`);
  const sha1 = createHash('sha1');
  const onChunk = (chunk: Uint8Array) => void sha1.update(chunk);
  const answer = fetched(await tools.get(told.url, { onChunk }));
  const { file } = answer;
  if (file.bytes === told.bytes && sha1.digest('hex') === told.sha1) {
    return { ...answer, publisherVersion: version };
  }
  await file.remove();
  // A release came in between, perhaps.
  throw again(told.url, 'not the file whose size and SHA-1 the index tells');
}

async function textOf(url: URL, { get }: FtmTools): Promise<string> {
  const { file } = fetched(await getIndex(url, get));
  try {
    return await readFile(file.path, 'utf8');
  } finally {
    await file.remove();
  }
}

/** A fault of the index has a message of its own, since the list is another file. */
function getIndex(url: URL, get: GetFile): Promise<HttpAnswer> {
  return get(url, { bytesMax: INDEX_BYTES_MAX }).catch((cause: unknown) => {
    if (!(cause instanceof DomainError) || cause.code !== 'list-damaged') throw cause;
    throw new DomainError('list-damaged', { cause, detail: `${shown(url)}: ${cause.message}` });
  });
}

/** No request here is conditional, so a 304 has failed already (httpGet.ts). */
function fetched(answer: HttpAnswer): Extract<HttpAnswer, { status: 'fetched' }> {
  assert(answer.status === 'fetched', 'asked for without conditions');
  return answer;
}

function isOperation(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && 'entity' in value;
    return isObject && 'op' in value && OPERATIONS.has(value.op);
  } catch {
    return false;
  }
}

const noDelta = (what: string) =>
  new DomainError('list-damaged', { detail: `expected a delta, got ${what}` });

const again = (url: URL, what: string): FetchFailure =>
  new FetchFailure(`${shown(url)}: ${what}`, { isWorthRetrying: true });
