/**
 * One run of a list: read, normalise, compare with the version in force, work out the related
 * parties, digest, sign the bundle, build the engine's snapshot, verify both by reading them again,
 * and publish by one atomic commit (interface.md 4.9).
 *
 * Whatever fails before that commit has changed nothing: blobs are named by their content, and one
 * that no version names is only dead weight. The failure itself is audited (SANCTIONS_LIST_FAILED)
 * and noted as the source's last status.
 */
import { createHash } from 'node:crypto';
import type { Commit } from '#domain/audit';
import { type Clock, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { type Random, uuidV7 } from '#platform/random';
import { type ChainId, DomainError, PLATFORM_CHAIN, type SourceId } from '../kernel/index.ts';
import { readBundle, writeBundle } from './bundle.ts';
import { failure, failureReason, publication, type Run, skip } from './importEvidence.ts';
import { type IndexableEntity, toIndexEntity } from './indexEntity.ts';
import { type Allowances, refuseReleaseDate, refuseShrunk } from './plausible.ts';
import type { BlobStore, ListSource, ListStore, ListVersion } from './ports.ts';
import { type ListCounts, type PreparedList, prepareList } from './prepareList.ts';
import type { RcaOptions } from './rca.ts';
import { type ListReader, readWholeList } from './reader.ts';
import { newSource } from './sourceCatalogue.ts';
import { isLoadable, readInForce, UNREADABLE_NOTE } from './versionInForce.ts';
import { nextLabel } from './versions.ts';

export interface ImportPorts {
  readonly lists: Pick<ListStore, 'findSource' | 'listVersions'>;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'getShared'>;
  /** AuditLog.commit: durable when it resolves, `state-conflict` where another run was first. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  /** The engine's; entities come sorted by id. */
  readonly buildSnapshot: (entities: Iterable<IndexableEntity>) => SharedArrayBuffer | Uint8Array;
  /** The engine's view of a stored snapshot, to compare counts; throws where it is damaged. */
  readonly inspectSnapshot: (snapshot: SharedArrayBuffer) => {
    readonly entityCount: number;
    readonly nameCount: number;
  };
}

export type ImportStage = 'read' | 'compare' | 'bundle' | 'index' | 'verify' | 'publish';

export interface ImportProgress {
  readonly stage: ImportStage;
  /** Of the file, while it is read. */
  readonly bytes: number;
}

export interface ImportListOptions {
  readonly sourceId: string;
  /** The file; read once, in order. */
  readonly read: AsyncIterable<Uint8Array>;
  readonly reader: ListReader;
  readonly ports: ImportPorts;
  /** Who, for the evidence: `cli:<user>`, `user:<issuer>|<subject>`, `cron`. */
  readonly actor: string;
  /** What the caller knows to be right although it is refused by default (plausible.ts). */
  readonly allow?: Partial<Allowances>;
  readonly rca?: RcaOptions;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportResult {
  readonly status: 'success' | 'skipped';
  readonly runId: string;
  /** The version in force after the run. */
  readonly version: ListVersion;
  readonly counts: ListCounts;
  /** What could not be normalised and was kept as published, by kind. */
  readonly notes: Readonly<Record<string, number>>;
  /** SHA-256 hex of the file's bytes. */
  readonly fileSha256: string;
  readonly durationsMs: Readonly<Partial<Record<ImportStage, number>>>;
}

/**
 * Publishes the file as the source's new version, or skips it where its content is in force already
 * and can be loaded. Throws DomainError `list-unknown`, `list-foreign`, `list-damaged`,
 * `list-stale` or what the commit rejects with; then nothing has changed and the failure is in the
 * platform's chain.
 */
export async function importList(options: ImportListOptions): Promise<ImportResult> {
  const { ports } = options;
  const source =
    (await ports.lists.findSource(options.sourceId as SourceId)) ?? newSource(options.sourceId);
  const startedAt = ports.clock.now();
  const runId = uuidV7(startedAt, ports.random);
  const run: Run = { runId, sourceId: source.sourceId, actor: options.actor, startedAt };
  try {
    return await runImport(options, source, run);
  } catch (error) {
    await auditFailure(ports, run, error);
    throw error;
  }
}

/** Where even this cannot be written, the caller learns both. */
async function auditFailure(ports: ImportPorts, run: Run, error: unknown): Promise<void> {
  try {
    const { sourceId } = run;
    const source = (await ports.lists.findSource(sourceId)) ?? newSource(sourceId);
    await ports
      .commit(PLATFORM_CHAIN, failure(ports, run, { error, source }))
      .catch((cause: unknown) => {
        if (!(cause instanceof DomainError) || cause.code !== 'state-conflict') throw cause;
        // Another run's end came in between: its status is the newer one, the evidence is owed.
        return ports.commit(PLATFORM_CHAIN, failure(ports, run, { error }));
      });
  } catch (cause) {
    const { code, detail } = failureReason(error);
    throw new DomainError('store-unavailable', {
      detail: `the run failed (${code}: ${detail}) and could not be audited`,
      cause: new AggregateError([error, cause]),
    });
  }
}

async function runImport(
  options: ImportListOptions,
  source: ListSource,
  run: Run,
): Promise<ImportResult> {
  const { ports } = options;
  const stages = new Stages(options);
  const digest = createHash('sha256');
  stages.enter('read');
  const parsed = await readWholeList(options.reader, hashed(options.read, digest), {
    sourceId: source.sourceId,
    onBytes: (bytes) => stages.progress(bytes),
  });
  if (parsed.kind === 'delta') {
    throw new DomainError('list-foreign', { detail: 'expected a full list, got a delta' });
  }
  const allow = { older: false, shrink: false, ...options.allow };
  refuseReleaseDate(parsed.releaseDate, source, { allow, now: run.startedAt });
  stages.enter('compare');
  const { before, isReadable } = await readInForce(source.active, ports.blobs);
  const notes = isReadable ? parsed.notes : { ...parsed.notes, [UNREADABLE_NOTE]: 1 };
  const list = prepareList({ ...parsed, notes }, before, options.rca);
  const fileSha256 = digest.digest('hex');
  const done = { runId: run.runId, counts: list.counts, notes: list.notes, fileSha256 };
  const { active } = source;
  const isSame =
    active?.listDigest === list.listDigest && active.contentDigest === list.contentDigest;
  // The same file again mends a version that cannot be read or loaded any more.
  if (isSame && isReadable && (await isLoadable(active, ports))) {
    await ports.commit(PLATFORM_CHAIN, skip(ports, run, { source, version: active, fileSha256 }));
    return { ...done, status: 'skipped', version: active, durationsMs: stages.durations() };
  }
  refuseShrunk(list.counts, source, allow);
  const version = await store(list, { source, run, stages, ports });
  stages.enter('publish');
  const facts = { source, version, counts: list.counts, notes: list.notes, fileSha256 };
  await publish(ports, publication(ports, run, facts));
  return { ...done, status: 'success', version, durationsMs: stages.durations() };
}

/** Compare-and-set on the source: of two runs at once, one publishes and the other is stale. */
async function publish(ports: ImportPorts, commit: Commit): Promise<void> {
  try {
    await ports.commit(PLATFORM_CHAIN, commit);
  } catch (cause) {
    if (!(cause instanceof DomainError) || cause.code !== 'state-conflict') throw cause;
    throw new DomainError('list-stale', { detail: 'another run published first', cause });
  }
}

/** Writes bundle and snapshot, and takes them for good only after reading them again. */
async function store(
  list: PreparedList,
  context: { source: ListSource; run: Run; stages: Stages; ports: ImportPorts },
): Promise<ListVersion> {
  const { source, run, stages, ports } = context;
  const { sourceId } = source;
  const published = await ports.lists.listVersions({ sourceId, limit: 1_000 });
  const listVersion = nextLabel(
    list.releaseDate,
    published.map((version) => version.listVersion),
  );
  stages.enter('bundle');
  const fetched_at = toTimestamp(run.startedAt);
  const header = { list_version: listVersion, source: sourceId, kind: 'full' as const, fetched_at };
  const bundle = await ports.blobs.put(writeBundle(header, list.lines, ports.signer));
  stages.enter('index');
  const snapshot = ports.buildSnapshot(indexEntities(list));
  const stored = await ports.blobs.put(
    snapshot instanceof Uint8Array ? snapshot : new Uint8Array(snapshot),
  );
  stages.enter('verify');
  const nameCount = await verify(list, { ports, bundle: bundle.address, snapshot: stored.address });
  return {
    sourceId,
    listVersion,
    listDigest: list.listDigest,
    contentDigest: list.contentDigest,
    entityCount: list.entities.length,
    nameCount,
    publishedAt: ports.clock.now(),
    releaseDate: list.releaseDate,
    bundleBlob: bundle.address,
    snapshotBlob: stored.address,
  };
}

/** One at a time: the engine keeps what it needs of each. */
function* indexEntities(list: PreparedList): Generator<IndexableEntity> {
  for (const entity of list.entities) yield toIndexEntity(entity);
}

async function verify(
  list: PreparedList,
  { ports, bundle, snapshot }: { ports: ImportPorts; bundle: string; snapshot: string },
): Promise<number> {
  const expected = list.entities.length;
  const bytes = await ports.blobs.get(bundle);
  const keyOf = (keyId: string) =>
    keyId === ports.signer.keyId ? ports.signer.publicKey : undefined;
  const inBundle = bytes ? readBundle(bytes, keyOf, () => {}).entityCount : 0;
  const shared = await ports.blobs.getShared(snapshot);
  const inIndex = shared ? ports.inspectSnapshot(shared) : { entityCount: 0, nameCount: 0 };
  if (inBundle === expected && inIndex.entityCount === expected) return inIndex.nameCount;
  throw new DomainError('list-damaged', {
    detail: `expected ${expected} entities, read ${inBundle} again, index ${inIndex.entityCount}`,
  });
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  digest: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
}

/** What the run is doing, and how long each part took. */
class Stages {
  readonly #options: ImportListOptions;
  readonly #durations: Partial<Record<ImportStage, number>> = {};
  #stage: ImportStage | undefined;
  #since = 0;
  #bytes = 0;

  constructor(options: ImportListOptions) {
    this.#options = options;
  }

  enter(stage: ImportStage): void {
    this.#settle();
    this.#stage = stage;
    this.progress(this.#bytes);
  }

  progress(bytes: number): void {
    this.#bytes = bytes;
    if (this.#stage) this.#options.onProgress?.({ stage: this.#stage, bytes });
  }

  durations(): Readonly<Partial<Record<ImportStage, number>>> {
    this.#settle();
    return { ...this.#durations };
  }

  #settle(): void {
    const now = this.#options.ports.clock.monotonicMs();
    if (this.#stage) this.#durations[this.#stage] = Math.round(now - this.#since);
    this.#since = now;
  }
}
