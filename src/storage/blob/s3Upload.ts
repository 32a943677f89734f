/**
 * Uploads a spooled blob to the bucket: in one request or, where it is larger than a part, in
 * parts, of which one is in memory at a time. Nothing can be seen under the key before all of it is
 * there. Each request carries the SHA-256 of its bytes, signed: the server refuses bytes that were
 * changed on the way.
 */
import assert from 'node:assert/strict';
import { checksumOf, type S3Ask, type S3Client, S3Failure } from './s3Client.ts';
import { elementsOf, headOf } from './s3Objects.ts';
import type { Spool } from './s3Spool.ts';
import { readElements } from './s3Xml.ts';

/** S3 takes no smaller one, but the last, than 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
const PARTS_MAX = 10_000;
const ALGORITHM = {
  'x-amz-checksum-algorithm': 'SHA256',
  'x-amz-sdk-checksum-algorithm': 'SHA256',
};

export interface Upload {
  readonly key: string;
  readonly spool: Spool;
  /** Headers of the object, for example its retention. */
  readonly headers: Readonly<Record<string, string>>;
  /** No other object of this key may exist; if one does, ours is not needed. */
  readonly isNew: boolean;
}

/** Answers whether it was written: false where another process has just put the same blob. */
export async function upload(client: S3Client, what: Upload): Promise<boolean> {
  const { bytes } = what.spool.put;
  return bytes <= PART_BYTES ? uploadAtOnce(client, what) : uploadInParts(client, what);
}

async function uploadAtOnce(client: S3Client, what: Upload): Promise<boolean> {
  const body = await what.spool.read(0, what.spool.put.bytes);
  const headers = { ...what.headers, ...checksumOf(body) };
  return ifNew(what, (condition) =>
    client.sendForText({
      answers: condition === undefined ? [200] : [200, 412, 501],
      body,
      headers: { ...headers, ...condition },
      key: what.key,
      method: 'PUT',
    }),
  );
}

/**
 * Puts on the condition that the key is free, where the server knows it. A server that does not
 * says so, and gets the request again without. The same bytes twice are two versions of one object,
 * which does no harm.
 */
async function ifNew(
  { isNew }: Upload,
  send: (condition: { 'if-none-match': '*' } | undefined) => Promise<{ readonly status: number }>,
): Promise<boolean> {
  if (isNew) {
    const { status } = await send({ 'if-none-match': '*' });
    if (status !== 501) return status === 200;
  }
  await send(undefined);
  return true;
}

async function uploadInParts(client: S3Client, what: Upload): Promise<boolean> {
  const { key } = what;
  const started = await client.sendForText({
    answers: [200],
    headers: { ...what.headers, ...ALGORITHM },
    key,
    method: 'POST',
    query: { uploads: '' },
  });
  const [{ text: uploadId } = { text: '' }] = elementsOf(started.content, ['UploadId']);
  assert(uploadId !== '', 'an upload that was begun has an id');
  try {
    const parts = await sendParts(client, what, uploadId);
    return await complete(client, what, { parts, uploadId });
  } catch (error) {
    await abandon(client, key, uploadId);
    throw error;
  }
}

async function sendParts(client: S3Client, what: Upload, uploadId: string): Promise<string[]> {
  const { bytes } = what.spool.put;
  const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / PARTS_MAX));
  const parts: string[] = [];
  for (let start = 0; start < bytes; start += partBytes) {
    const body = await what.spool.read(start, Math.min(partBytes, bytes - start));
    const number = String(parts.length + 1);
    const checksum = checksumOf(body);
    const { header } = await client.sendForText({
      answers: [200],
      body,
      headers: checksum,
      key: what.key,
      method: 'PUT',
      query: { partNumber: number, uploadId },
    });
    parts.push(
      `<Part><ChecksumSHA256>${checksum['x-amz-checksum-sha256']}</ChecksumSHA256>` +
        `<ETag>${header('etag') ?? ''}</ETag><PartNumber>${number}</PartNumber></Part>`,
    );
  }
  return parts;
}

/**
 * S3 answers 200 before it is done, and then says in the body what became of it. An attempt whose
 * answer was lost may have done it: the upload is then unknown, and the object there.
 */
async function complete(
  client: S3Client,
  what: Upload,
  { parts, uploadId }: { readonly parts: readonly string[]; readonly uploadId: string },
): Promise<boolean> {
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="${namespace}">${parts.join('')}</CompleteMultipartUpload>`,
  );
  const ask = { body, key: what.key, query: { uploadId } };
  return ifNew(what, (condition) =>
    client.retried(async () => {
      const answer = await client.sendOnce({
        ...ask,
        answers: condition === undefined ? [200, 404] : [200, 404, 412, 501],
        headers: { ...condition },
        method: 'POST',
      });
      if (answer.status === 404) return foundAfterAll(client, what);
      if (answer.status !== 200) return answer;
      const elements = readElements(answer.content, ['Code', 'ETag']);
      if (elements?.some(({ name }) => name === 'ETag')) return answer;
      const message = `completing an upload: ${elements?.[0]?.text ?? 'a cut answer'}`;
      throw new S3Failure(message, { isWeather: true });
    }),
  );
}

async function foundAfterAll(client: S3Client, what: Upload): Promise<{ readonly status: 200 }> {
  const found = await headOf(client, what.key);
  if (found?.bytes === what.spool.put.bytes) return { status: 200 };
  throw new S3Failure('completing an upload: HTTP 404', { isWeather: false, status: 404 });
}

/**
 * Aborts the upload. Its parts cost money until the bucket's own rule removes them, so this is best
 * effort.
 */
async function abandon(client: S3Client, key: string, uploadId: string): Promise<void> {
  const answers = [200, 204, 404];
  const ask: S3Ask = { answers, key, method: 'DELETE', query: { uploadId } };
  await client.sendOnce(ask).catch(() => undefined);
}
