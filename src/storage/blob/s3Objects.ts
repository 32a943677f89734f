/**
 * Objects of a versioned bucket, in the terms of the blob store: what exists, since when, until
 * when it must stay, and removal. Every write makes a version of its own, so a put can lose
 * nothing, and a removal names the version that it means.
 */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { ObjectLock } from '#platform/config';
import { checksumOf, type S3Client, S3Failure, unavailable } from './s3Client.ts';
import { readElements, type XmlElement } from './s3Xml.ts';

const RETAINED_HEADER = 'x-amz-object-lock-retain-until-date';
/** S3 gives no more in one answer. */
const PAGE_KEYS = 1_000;
/** For a bucket without a lock: this program's own note, which `remove` respects. */
const NOTE_HEADER = 'x-amz-meta-retain-until';

export interface StoredObject {
  readonly bytes: number;
  readonly versionId: string;
  /**
   * SHA-256 of all its bytes, base64. An object that was put in parts, or that a copy made, has
   * none.
   */
  readonly sha256?: string;
  readonly retainedUntil?: EpochMs;
  /** A legal hold, which no time ends. */
  readonly isHeld: boolean;
}

export interface StoredVersion {
  readonly versionId: string;
  /** Seconds of the server's clock on many servers. */
  readonly putAt: EpochMs;
  /** Marks the object as removed; has no content. */
  readonly isMarker: boolean;
}

export async function headOf(
  client: S3Client,
  key: string,
  versionId?: string,
): Promise<StoredObject | undefined> {
  const { header, status } = await client.sendForText({
    answers: [200, 404],
    headers: { 'x-amz-checksum-mode': 'ENABLED' },
    key,
    method: 'HEAD',
    ...(versionId !== undefined && { query: { versionId } }),
  });
  if (status === 404) return undefined;
  const isWhole = header('x-amz-checksum-type') !== 'COMPOSITE';
  const sha256 = isWhole ? header('x-amz-checksum-sha256') : undefined;
  const until = Date.parse(header(RETAINED_HEADER) ?? header(NOTE_HEADER) ?? '');
  return {
    bytes: Number(header('content-length')),
    isHeld: header('x-amz-object-lock-legal-hold') === 'ON',
    versionId: header('x-amz-version-id') ?? '',
    ...(sha256 !== undefined && !sha256.includes('-') && { sha256 }),
    ...(Number.isFinite(until) && { retainedUntil: until as EpochMs }),
  };
}

/** Headers of an upload that retain its object from the moment it exists. */
export function retentionHeaders(
  lock: ObjectLock,
  until: EpochMs | undefined,
): Readonly<Record<string, string>> {
  if (until === undefined) return {};
  if (lock === 'off') return { [NOTE_HEADER]: toTimestamp(until) };
  return { 'x-amz-object-lock-mode': lock.toUpperCase(), [RETAINED_HEADER]: toTimestamp(until) };
}

/** Later than it was; a server with object lock takes nothing earlier. */
export async function extendRetention(
  client: S3Client,
  key: string,
  to: { readonly lock: ObjectLock; readonly until: EpochMs; readonly versionId: string },
): Promise<void> {
  const body = Buffer.from(
    `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>${to.lock.toUpperCase()}` +
      `</Mode><RetainUntilDate>${toTimestamp(to.until)}</RetainUntilDate></Retention>`,
  );
  await client.sendForText({
    answers: [200],
    body,
    headers: checksumOf(body),
    key,
    method: 'PUT',
    query: { retention: '', versionId: to.versionId },
  });
}

/** Latest first, at most a thousand: no object has more. */
export async function versionsOf(client: S3Client, key: string): Promise<StoredVersion[]> {
  const { content } = await client.sendForText({
    answers: [200],
    method: 'GET',
    query: { 'max-keys': `${PAGE_KEYS}`, prefix: key, versions: '' },
  });
  return elementsOf(content, ['Version', 'DeleteMarker']).flatMap(({ fields, name }) =>
    fields.Key === key
      ? [
          {
            isMarker: name === 'DeleteMarker',
            putAt: Date.parse(fields.LastModified ?? '') as EpochMs,
            versionId: fields.VersionId ?? '',
          },
        ]
      : [],
  );
}

/** False: it is locked. A version that is gone already counts as removed. */
export async function removeVersion(
  client: S3Client,
  key: string,
  versionId: string,
): Promise<boolean> {
  const { status } = await client.sendForText({
    answers: [200, 204, 403, 404],
    key,
    method: 'DELETE',
    query: { versionId },
  });
  if (status !== 403) return true;
  const found = await headOf(client, key, versionId);
  if (found?.retainedUntil !== undefined || found?.isHeld === true) return false;
  throw unavailable(
    new S3Failure('DELETE of an object: HTTP 403, though it is not locked', {
      isWeather: false,
      status: 403,
    }),
  );
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly putAt: EpochMs;
}

/** Every object under `prefix`, a page at a time. */
export async function* objectsUnder(
  client: S3Client,
  prefix: string,
  pageKeys = PAGE_KEYS,
): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const { content } = await client.sendForText({
      answers: [200],
      method: 'GET',
      query: {
        'list-type': '2',
        'max-keys': `${pageKeys}`,
        prefix,
        ...(token && { 'continuation-token': token }),
      },
    });
    token = undefined;
    for (const { fields, name, text } of elementsOf(content, [
      'Contents',
      'NextContinuationToken',
    ])) {
      if (name === 'NextContinuationToken') token = text;
      if (name !== 'Contents') continue;
      const putAt = Date.parse(fields.LastModified ?? '') as EpochMs;
      yield { bytes: Number(fields.Size), key: fields.Key ?? '', putAt };
    }
  } while (token !== undefined);
}

export function elementsOf(content: string, names: readonly string[]): XmlElement[] {
  const elements = readElements(content, names);
  if (elements) return elements;
  throw unavailable(new S3Failure('an answer that is no whole XML', { isWeather: false }));
}
