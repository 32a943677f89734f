/**
 * Small documents by name in the bucket, beside the blobs. Each put is a version; the one before it
 * is removed then, where it is not locked, so that a note that moves every minute does not pile up.
 */
import { checksumOf, type S3Client } from './s3Client.ts';
import { headOf, objectsUnder, removeVersion } from './s3Objects.ts';

export function s3Notes(client: S3Client, prefix: string) {
  const root = `${prefix}notes/`;
  return {
    async put(name: string, text: string): Promise<void> {
      const key = root + name;
      const before = await headOf(client, key);
      const body = Buffer.from(text, 'utf8');
      const headers = { ...checksumOf(body) };
      await client.sendForText({ answers: [200], body, headers, key, method: 'PUT' });
      if (before !== undefined) await removeVersion(client, key, before.versionId);
    },
    async get(name: string): Promise<string | undefined> {
      const ask = { answers: [200, 404], key: root + name, method: 'GET' } as const;
      const { content, status } = await client.sendForText(ask);
      return status === 404 ? undefined : content;
    },
    async *names(): AsyncGenerator<string> {
      for await (const { key } of objectsUnder(client, root)) yield key.slice(root.length);
    },
  };
}
