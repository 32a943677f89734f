/** Every kind of request is signed as the server's own implementation signs it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type EpochMs, systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { openS3BlobStore } from '../../../src/storage/blob/s3.ts';
import { PART_BYTES } from '../../../src/storage/blob/s3Upload.ts';
import { hasS3, startS3 } from './s3Server.ts';

test.skipIf(!hasS3())(
  'a server that checks signatures takes ours, and none with another secret',
  async () => {
    const server = await startS3();
    const spoolDirectory = await mkdtemp(join(tmpdir(), 's3-spool-'));
    try {
      const bucket = await server.bucket();
      const { accessKeyId, secretAccessKey } = await server.demandSignatures();
      const open = (secret: string) =>
        openS3BlobStore({
          clock: systemClock,
          random: systemRandom,
          s3: { ...bucket, accessKeyId },
          secretAccessKey: secret,
          sleep: async () => {},
          spoolDirectory,
        });
      const blobs = await open(secretAccessKey);
      const inAnHour = (Date.now() + 3_600_000) as EpochMs;
      const large = await blobs.put(new Uint8Array(PART_BYTES + 1), { retainUntil: inAnHour });
      expect(await blobs.get(large.address)).toHaveLength(large.bytes);
      expect(await (await blobs.openRanges(large.address))?.read(5, 9)).toHaveLength(9);
      const { address } = await blobs.put(new Uint8Array([1]));
      const listed: string[] = [];
      for await (const blob of blobs.list()) listed.push(blob.address);
      expect(listed.sort()).toEqual([address, large.address].sort());
      expect(await blobs.remove(address, { putBefore: inAnHour })).toBe(true);
      await expect(open('another')).rejects.toThrow(/403 SignatureDoesNotMatch/);
    } finally {
      await server.stop();
      await rm(spoolDirectory, { force: true, recursive: true });
    }
  },
  90_000,
);
