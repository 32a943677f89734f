/**
 * Published bundles (interface.md 4.9): the last ten of a source, a pre-signed link to one, and the
 * page behind the link, which needs no other credential.
 *
 * The bundle is signed and named by its digest: its address is its ETag, and ranges of it always
 * fit together. A forged link is a 404, as an unknown path is. An expired one is 403
 * `link-expired`, since only its holder can have it. The audit entry of a download is written when
 * its link is issued, because the caller is known then.
 */
import { type Commit, entry } from '#core/audit';
import { type BlobStore, ORPHAN_AGE_MS } from '#core/blobs';
import { type ChainId, DomainError, PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Random } from '#platform/random';
import {
  type ListStore,
  type ListVersion,
  putWholeBundle,
  SNAPSHOTS_LISTED_MAX,
  type SnapshotLink,
  type SnapshotLinks,
} from '#slices/lists';
import { askerOf } from '../../../api/asker.ts';
import { blobReply, type ServedBlob } from '../../../api/blobReply.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { presentSnapshot, SnapshotLinkResult, SnapshotsResult } from './sourceSchemas.ts';
import { knownSource, READING } from './sources.ts';

export interface SnapshotRouteOptions {
  readonly lists: Pick<ListStore, 'findSource' | 'listVersions'>;
  readonly blobs: Pick<BlobStore, 'open' | 'put' | 'size'>;
  /** Signs the whole bundle of a version that is kept as a delta. */
  readonly signer: Signer;
  readonly links: SnapshotLinks;
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly origin: () => string;
  readonly clock: Clock;
  readonly random: Random;
}

export function snapshotOperations(options: SnapshotRouteOptions): Operation[] {
  return [listSnapshots(options), linkSnapshot(options, new WholeBundles(options))];
}

function listSnapshots(options: SnapshotRouteOptions): Operation {
  return {
    ...READING,
    id: 'listSnapshots',
    problems: ['source-unknown'],
    path: '/v1/sanctions/etl/snapshots/{sourceId}',
    summary: 'The retained snapshots of a source',
    responses: { 200: { description: 'Latest first', schema: SnapshotsResult } },
    async handle(context) {
      const sourceId = knownSource(context.params.sourceId ?? '', context);
      const active = (await options.lists.findSource(sourceId))?.active;
      const versions = await retained(options, sourceId);
      const data = versions.map((version) => presentSnapshot(version, active));
      return { body: { data, next_cursor: null }, status: 200 };
    },
  };
}

const retained = (
  options: SnapshotRouteOptions,
  sourceId: SourceId,
): Promise<readonly ListVersion[]> =>
  options.lists.listVersions({ limit: SNAPSHOTS_LISTED_MAX, sourceId });

function linkSnapshot(options: SnapshotRouteOptions, whole: WholeBundles): Operation {
  return {
    id: 'linkSnapshot',
    method: 'POST',
    path: '/v1/sanctions/etl/snapshots/{sourceId}/{runId}/download',
    tag: 'Sanctions',
    summary: 'A link to a signed bundle, good for five minutes',
    roles: roles.run,
    scope: 'lists:read',
    problems: ['run-unknown', 'source-unknown'],
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'The link', schema: SnapshotLinkResult } },
    async handle(context) {
      const sourceId = knownSource(context.params.sourceId ?? '', context);
      const runId = context.params.runId ?? '';
      const version = (await retained(options, sourceId)).find((one) => one.runId === runId);
      const bundle = version && (await whole.of(version));
      if (version === undefined || bundle === undefined) throw new DomainError('run-unknown');
      const { tenantId } = context;
      const { address: blob, bytes } = bundle;
      const { expiresAt, token } = options.links.issue({ blob, runId, sourceId, tenantId });
      const body = JSON.stringify({
        url: `${options.origin()}/downloads/${token}`,
        expires_at: toTimestamp(expiresAt),
        list_version: version.listVersion,
        sha256: blob,
        bytes,
      });
      await options.commit(PLATFORM_CHAIN, downloaded(options, context, { blob, body, version }));
      return { body, status: 200 };
    },
  };
}

/**
 * No version names it, so it is removed a day after it was put (core/blobs), long after its
 * links.
 */
const WHOLE_KEPT_MS = ORPHAN_AGE_MS / 2;

/** Whole bundles of versions that are kept as deltas: put together on demand. */
class WholeBundles {
  readonly #options: SnapshotRouteOptions;
  /** By the address of the delta. */
  readonly #made = new Map<string, { readonly at: EpochMs; readonly whole: Promise<Whole> }>();

  constructor(options: SnapshotRouteOptions) {
    this.#options = options;
  }

  /** Undefined where the version's bundle is gone. */
  async of(version: ListVersion): Promise<Whole | undefined> {
    const { blobs } = this.#options;
    const { bundleBase, bundleBlob } = version;
    const bytes = await blobs.size(bundleBlob);
    if (bytes === undefined) return undefined;
    if (bundleBase === undefined) return { address: bundleBlob, bytes };
    // If two requests come at once, the second one waits for the first one's bundle.
    const { at, whole } = this.#made.get(bundleBlob) ?? this.#make(version);
    const made = await whole;
    const isThere = this.#options.clock.now() - at < WHOLE_KEPT_MS;
    if (isThere && (await blobs.size(made.address)) === made.bytes) return made;
    return this.#make(version).whole;
  }

  #make(version: ListVersion): { readonly at: EpochMs; readonly whole: Promise<Whole> } {
    const { bundleBlob } = version;
    const made = { at: this.#options.clock.now(), whole: putWholeBundle(version, this.#options) };
    this.#made.set(bundleBlob, made);
    made.whole.catch(() => this.#made.delete(bundleBlob)); // the waiting callers get the error
    return made;
  }
}

interface Whole {
  readonly address: string;
  readonly bytes: number;
}

function downloaded(
  options: SnapshotRouteOptions,
  context: OperationContext,
  of: { readonly blob: string; readonly body: string; readonly version: ListVersion },
): Commit {
  const { blob, body, version } = of;
  const { idempotency, tenantId } = context;
  const event = entry(options, {
    action: 'SANCTIONS_SNAPSHOT_DOWNLOADED',
    ...askerOf(context),
    members: {
      bundle: blob,
      list_version: version.listVersion,
      run_id: version.runId ?? null,
      tenant: tenantId,
    },
    severity: 'NOTICE',
    target: version.sourceId,
  });
  return {
    bus: [],
    changes: [],
    events: [event],
    ...(idempotency !== undefined && {
      idempotency: () => storedAnswer(idempotency, { body, status: 200 }, options.clock),
    }),
  };
}

/** The bundle behind a link: whole, or from a byte on where a download broke off. */
export function snapshotPage(options: Pick<SnapshotRouteOptions, 'blobs' | 'links'>): PublicPage {
  return {
    path: '/downloads/{token}',
    async reply({ params, request }) {
      const link = options.links.open(params.token ?? '');
      return blobReply(options.blobs, request, servedBundle(link));
    },
  };
}

const servedBundle = ({ blob, runId, sourceId }: SnapshotLink): ServedBlob => ({
  address: blob,
  contentType: 'application/jsonl',
  fileName: `${sourceId}-${runId}.jsonl`,
});
