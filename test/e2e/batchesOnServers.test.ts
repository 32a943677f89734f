/**
 * A batch of the running product where it keeps nothing itself: records in MongoDB, blobs in S3
 * under object lock, a Redis of somebody else's. A worker dies of kill -9 in the middle, nobody
 * starts it again, and one that its supervisor knows nothing of takes over.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealRedis, realRedis } from '../redis/realRedis.ts';
import { hasS3, type S3TestServer, startS3 } from '../storage/blob/s3Server.ts';
import {
  hasMongo,
  MONGO_STORIES,
  type MongoTestServer,
  startMongo,
} from '../storage/mongo/server.ts';
import {
  expectProven,
  expectReviewed,
  expectWhole,
  prepare,
  submit,
  type Watched,
} from './batchSteps.ts';
import { cleanUp, isRedisHere, newFolder, startProduct } from './product.ts';

const SUBJECTS = 3_000;
/** The other way of writing is for the drill (`npm run drill -- stories`). */
const WAYS = process.env[MONGO_STORIES] === '1' ? ['require', 'off'] : ['require'];
/** Of a sealed file: its salt, and a tag for each frame. */
const SEAL_BYTES = 16;
const FRAME_BYTES = 1024 * 1024;
const KEPT_YEARS = 10;
/** All are asked, so that each says aloud what is missing. */
const isAllHere = [isRedisHere, hasMongo(), hasS3()].every(Boolean);

describe.skipIf(!isAllHere)('a batch on MongoDB and S3', () => {
  let mongo: MongoTestServer;
  let redis: RealRedis;
  let s3: S3TestServer;
  beforeAll(async () => {
    [mongo, redis, s3] = await Promise.all([startMongo(), realRedis(), startS3()]);
  });
  afterAll(async () => {
    await cleanUp();
    await Promise.all([mongo.stop(), redis.close(), s3.stop()]);
  });

  test.each(WAYS)(
    'is whole and proven though its worker dies on the way (transactions: %s)',
    async (transactions) => {
      const { bucket, env } = await place(transactions);
      const product = startProduct(join(newFolder(), 'data'), env);
      const first = await prepare(product);
      const { worker = 0 } = await product.children();
      product.process.kill('SIGSTOP');

      const batch = await submit(first, SUBJECTS);
      await batch.until(({ subjects_processed }) => subjects_processed > 0);
      process.kill(worker, 'SIGKILL');
      expect(await batch.see()).toMatchObject({ status: 'running' });
      const other = product.addWorker();
      await expectWhole(batch, SUBJECTS);
      expect((await product.children()).worker).toBeUndefined();
      product.process.kill('SIGCONT');

      await expectReviewed(batch);
      await expectProven(product, batch);
      await expectLocked(bucket, batch);
      const own = ['blobs', 'redis', 'store'].map((name) => join(product.dataDir, name));
      expect(own.filter((path) => existsSync(path))).toEqual([]);
      other.kill('SIGTERM');
      expect(await once(other, 'exit')).toEqual([0, null]);
      expect((await product.interrupt()).code).toBe(0);
    },
  );

  /** A database and a bucket of its own. */
  async function place(transactions: string) {
    const s3Config = await s3.bucket();
    const database = new URL(mongo.url);
    database.pathname = `/e2e_${randomBytes(6).toString('hex')}`;
    const env = {
      BLOB_STORE_URL: `s3://${s3Config.bucket}/evidence`,
      MONGODB_TRANSACTIONS: transactions,
      MONGODB_URL: database.href,
      REDIS_URL: `unix://${redis.socketPath}`,
      S3_ACCESS_KEY_ID: s3Config.accessKeyId,
      S3_ENDPOINT: s3.endpoint,
      S3_SECRET_ACCESS_KEY: 'test-secret',
    };
    return { bucket: s3Config.bucket, env };
  }

  /** A file lies under its digest, or sealed under that of the sealed bytes: then by its length. */
  async function keyOf(
    bucket: string,
    { bytes, sha256 }: { readonly bytes: Buffer; readonly sha256: string },
  ): Promise<string> {
    const { text } = await s3.ask('GET', `/${bucket}?list-type=2&prefix=evidence/sha256/`);
    const objects = [...text.matchAll(/<Key>([^<]+)<\/Key>.*?<Size>(\d+)<\/Size>/gs)];
    const plain = `evidence/sha256/${sha256.slice(0, 2)}/${sha256.slice(2)}`;
    const frames = Math.ceil(bytes.length / FRAME_BYTES);
    const sealed = String(bytes.length + SEAL_BYTES + frames * SEAL_BYTES);
    const found = objects.find(([, key, size]) => key === plain || size === sealed);
    return found?.[1] ?? '';
  }

  /** The reports cannot be taken away for ten years, whoever asks. */
  async function expectLocked(bucket: string, batch: Watched): Promise<void> {
    const keptUntil = new Date();
    keptUntil.setUTCFullYear(keptUntil.getUTCFullYear() + KEPT_YEARS);
    for (const format of ['csv', 'pdf', 'xlsx']) {
      const key = `/${bucket}/${await keyOf(bucket, await batch.report(format))}`;
      const head = await s3.ask('HEAD', key);
      expect(head.header('x-amz-object-lock-mode')).toBe('COMPLIANCE');
      const until = Date.parse(head.header('x-amz-object-lock-retain-until-date'));
      expect(until).toBeGreaterThan(keptUntil.getTime() - 86_400_000);
      const version = head.header('x-amz-version-id');
      expect((await s3.ask('DELETE', `${key}?versionId=${version}`)).status).toBe(403);
    }
  }
});
