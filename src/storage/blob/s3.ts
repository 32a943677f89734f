/**
 * Blobs in a bucket with S3's interface, under the keys that the folder has as paths:
 * <prefix>sha256/ab/cdef….
 *
 * The bucket must keep versions: then a put never overwrites, a removal names the version that it
 * means, and if both run at the same time the put wins. With object lock a retained blob stays
 * against any action, this program's and its administrator's included (docs/decisions/0025).
 *
 * A blob that exists already is put anew, as its time counts for `remove`, unless it is retained
 * for long or another process put it in this very moment; the version before it is then removed.
 * Digests are verified on every read, as in the folder: the server's word is not trusted.
 */
import assert from 'node:assert/strict';
import type { BlobStore, PutBlob, PutOptions, StoredBlob } from '#core/blobs';
import type { EpochMs } from '#platform/clock';
import type { ObjectLock, S3Config } from '#platform/config';
import { SEAL_KEY_BYTES } from '#platform/seal';
import { type S3Ask, S3Client, type S3Tools } from './s3Client.ts';
import { s3Notes } from './s3Notes.ts';
import {
  extendRetention,
  headOf,
  objectsUnder,
  removeVersion,
  retentionHeaders,
  type StoredObject,
  versionsOf,
} from './s3Objects.ts';
import { begin, piecesOf, rangesOf, readWhole } from './s3Read.ts';
import { spool } from './s3Spool.ts';
import { upload } from './s3Upload.ts';
import { readElements } from './s3Xml.ts';
import { ADDRESS, assertAddress, verifiedPieces } from './verifyBlob.ts';

/** A blob retained for longer than this need not be put anew: it cannot be removed meanwhile. */
const RETAINED_LONG_MS = 7 * 24 * 3_600_000;
/** Servers report whole seconds. */
const SECOND_MS = 1_000;

export interface S3BlobOptions extends S3Tools {
  readonly s3: S3Config;
  readonly secretAccessKey: string;
  /** For streams on their way up. */
  readonly spoolDirectory: string;
}

interface Parts {
  readonly client: S3Client;
  readonly keyOf: (address: string) => string;
  readonly lock: ObjectLock;
  readonly options: S3BlobOptions;
}

/** Rejects where the bucket cannot be had, or is not one that evidence may be kept in. */
export async function openS3BlobStore(options: S3BlobOptions): Promise<BlobStore> {
  const { s3, secretAccessKey } = options;
  const { accessKeyId, region } = s3;
  const client = new S3Client(
    { accessKeyId, bucketUrl: bucketUrl(s3), region, secretAccessKey },
    options,
  );
  await checkBucket(client, s3);
  const root = `${s3.prefix}sha256/`;
  const keyOf = (address: string): string => {
    assertAddress(address);
    return `${root}${address.slice(0, 2)}/${address.slice(2)}`;
  };
  const parts: Parts = { client, keyOf, lock: s3.objectLock, options };
  return {
    put: (bytes, { sealKey = options.random.bytes(SEAL_KEY_BYTES), ...given } = {}) =>
      put(parts, bytes, { ...given, sealKey }),
    get: (address, seal) =>
      readWhole(client, { address, key: keyOf(address), seal }, (size) => new Uint8Array(size)),
    async getShared(address, allocate = (size) => new SharedArrayBuffer(size), seal = undefined) {
      const view = (size: number) => new Uint8Array(allocate(size), 0, size);
      return (await readWhole(client, { address, key: keyOf(address), seal }, view))?.buffer;
    },
    async open(address, put) {
      const first = await begin(client, keyOf(address));
      return first && verifiedPieces(piecesOf(client, keyOf(address), first), { address, put });
    },
    async openRanges(address) {
      const found = await headOf(client, keyOf(address));
      return found && rangesOf(client, keyOf(address), found.bytes);
    },
    has: async (address) => (await headOf(client, keyOf(address))) !== undefined,
    size: async (address) => (await headOf(client, keyOf(address)))?.bytes,
    list: () => stored(client, root),
    remove: (address, { putBefore }) => removeOld(parts, keyOf(address), putBefore),
    notes: s3Notes(client, s3.prefix),
  };
}

function bucketUrl({ bucket, endpoint, region }: S3Config): string {
  return endpoint === undefined
    ? `https://${bucket}.s3.${region}.amazonaws.com`
    : `${endpoint}/${bucket}`;
}

async function checkBucket(client: S3Client, { bucket, objectLock }: S3Config): Promise<void> {
  const isEnabled = async (query: string, element: string) => {
    const ask: S3Ask = { answers: [200, 404], method: 'GET', query: { [query]: '' } };
    const { content, status } = await client.sendForText(ask);
    if (status === 404 && query === 'versioning') {
      throw new BucketRefusal(
        `BLOB_STORE_URL: expected a bucket, got none of the name '${bucket}'`,
      );
    }
    return readElements(content, [element])?.[0]?.text === 'Enabled';
  };
  if (!(await isEnabled('versioning', 'Status'))) {
    throw new BucketRefusal(
      `BLOB_STORE_URL: expected a bucket that keeps versions, got '${bucket}'`,
    );
  }
  if (objectLock !== 'off' && !(await isEnabled('object-lock', 'ObjectLockEnabled'))) {
    throw new BucketRefusal(
      `BLOB_STORE_URL: expected a bucket with object lock, or S3_OBJECT_LOCK=off, got '${bucket}'`,
    );
  }
}

/** The start ends with it; an operator must change the bucket or the configuration. */
export class BucketRefusal extends Error {
  override readonly name = 'StartRefusal';
}

async function put(
  parts: Parts,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { retainUntil, ...given }: PutOptions & { readonly sealKey: Uint8Array },
): Promise<PutBlob> {
  const { client, lock, options } = parts;
  const spooled = await spool(bytes, { ...given, directory: options.spoolDirectory });
  try {
    const key = parts.keyOf(spooled.put.address);
    const now = options.clock.now();
    // A past time retains nothing, and no server takes it.
    const until =
      retainUntil !== undefined && retainUntil > now ? wholeSecond(retainUntil) : undefined;
    const found = await headOf(client, key);
    const mayStay =
      found && isWhole(found, spooled.put) && isRetained(found, now + RETAINED_LONG_MS);
    if (mayStay && (lock !== 'off' || (found.retainedUntil ?? 0) >= (until ?? 0))) {
      await ensureRetained(parts, key, until);
      return spooled.put;
    }
    const headers = retentionHeaders(lock, laterOf(until, found?.retainedUntil, now));
    const isWritten = await upload(client, { headers, isNew: !found, key, spool: spooled });
    await ensureRetained(parts, key, until);
    if (isWritten && found && !isRetained(found, now)) {
      await removeVersion(client, key, found.versionId);
    }
    return spooled.put;
  } finally {
    await spooled.close();
  }
}

/** If the same blob is retained already, its new version is retained at least as long. */
function laterOf(
  until: EpochMs | undefined,
  found: EpochMs | undefined,
  now: EpochMs,
): EpochMs | undefined {
  const both = [until, found].filter((one) => one !== undefined && one > now);
  return both.length === 0 ? undefined : (Math.max(...(both as EpochMs[])) as EpochMs);
}

const wholeSecond = (at: EpochMs): EpochMs => (Math.ceil(at / SECOND_MS) * SECOND_MS) as EpochMs;

const isRetained = (found: StoredObject, after: number): boolean =>
  found.isHeld || (found.retainedUntil ?? 0) > after;

/** Judged without reading it: an object that was cut or exchanged is put anew. */
function isWhole(found: StoredObject, { address, bytes }: PutBlob): boolean {
  const expected = Buffer.from(address, 'hex').toString('base64');
  return found.bytes === bytes && (found.sha256 ?? expected) === expected;
}

/** Verified, since a server may accept the headers of an upload and forget them. */
async function ensureRetained(
  { client, lock }: Parts,
  key: string,
  until: EpochMs | undefined,
): Promise<void> {
  if (until === undefined) return;
  const found = await headOf(client, key);
  assert(found, 'a blob that was just put is there');
  if ((found.retainedUntil ?? 0) >= until) return;
  assert(lock !== 'off', 'a note of its retention stands in every object that was put with one');
  await extendRetention(client, key, { lock, until, versionId: found.versionId });
}

/** The youngest version counts; with it every older one that may be removed is removed. */
async function removeOld(parts: Parts, key: string, putBefore: EpochMs): Promise<boolean> {
  const { client, options } = parts;
  const versions = await versionsOf(client, key);
  const objects = versions.filter(({ isMarker }) => !isMarker);
  const isYoung = objects.some(({ putAt }) => putAt + SECOND_MS - 1 >= putBefore);
  if (objects.length === 0 || isYoung) return false;
  for (const { versionId } of objects) {
    const found = await headOf(client, key, versionId);
    if (found && isRetained(found, options.clock.now())) return false;
  }
  for (const { versionId } of versions) {
    if (!(await removeVersion(client, key, versionId))) return false;
  }
  return true;
}

async function* stored(client: S3Client, root: string): AsyncGenerator<StoredBlob> {
  for await (const { bytes, key, putAt } of objectsUnder(client, root)) {
    const address = key.slice(root.length).replace('/', '');
    if (ADDRESS.test(address)) yield { address, bytes, putAt };
  }
}
