/**
 * The drill of a cluster's backup, in the order that docs/operations.md gives: keys (the
 * checkpoints stay, as what is later), MongoDB with its wrapped data keys apart, blobs. Somebody is
 * erased after it. What is restored signs nothing and starts nowhere before that erasure was
 * repeated.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealRedis, realRedis } from '../redis/realRedis.ts';
import { hasMongo, type MongoTestServer, startMongo } from '../storage/mongo/server.ts';
import { withDatabase } from '../storage/mongo/withDatabase.ts';
import { readiness } from './load.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

/** Whose rows are kept in their latest state only. */
const APART = 'data_key';

type Dump = ReadonlyMap<string, readonly Document[]>;

const dump = (url: string): Promise<Dump> =>
  withDatabase(url, async (db) => {
    const collections = await db.listCollections().toArray();
    const read = async ({ name }: { name: string }) =>
      [name, await db.collection(name).find().toArray()] as const;
    return new Map(await Promise.all(collections.map(read)));
  });

/** Documents alone: the product makes the indexes when it starts. */
const restore = (url: string, documents: Dump): Promise<void> =>
  withDatabase(url, async (db) => {
    await db.dropDatabase();
    for (const [name, rows] of documents) {
      if (rows.length > 0) await db.collection(name).insertMany([...rows]);
    }
  });

const checkpointsOf = (dataDir: string, { tenant_id }: FirstRun): string =>
  readFileSync(join(dataDir, 'checkpoints', `${tenant_id}.jsonl`), 'utf8');

async function exported(product: Product, tenant: string) {
  const file = join(newFolder(), 'evidence.jsonl');
  const made = await product.cli('audit', 'export', '--tenant', tenant, '--out', file);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  return { file, text: readFileSync(file, 'utf8') };
}

describe.skipIf(![isRedisHere, hasMongo()].every(Boolean))('a backup of a cluster', () => {
  let mongo: MongoTestServer;
  let redis: RealRedis;
  beforeAll(async () => {
    [mongo, redis] = await Promise.all([startMongo(), realRedis()]);
  });
  afterAll(async () => {
    await cleanUp();
    await Promise.all([mongo.stop(), redis.close()]);
  });

  test('does not bring back who was erased since', async () => {
    const url = new URL(mongo.url);
    url.pathname = `/t_${randomBytes(6).toString('hex')}`;
    const dataDir = join(newFolder(), 'data');
    const env = { MONGODB_URL: url.href, REDIS_URL: `unix://${redis.socketPath}` };
    const start = () => startProduct(dataDir, env);

    const product = start();
    const first = await product.ready();
    const erasable = await screen(first, 'Tarek Velmorani');
    const folder = newFolder();
    cpSync(join(dataDir, 'keys'), join(folder, 'keys'), { recursive: true });
    const dumped = await dump(url.href);
    cpSync(join(dataDir, 'blobs'), join(folder, 'blobs'), { recursive: true });

    const erasing = ['--screening', erasable?.body.screening_id ?? '', '--reason', 'request'];
    const erased = await product.cli('audit', 'erase', '--tenant', first.tenant_id, ...erasing);
    expect(erased).toMatchObject({ code: 0, stderr: '' });
    const newest = await exported(product, first.tenant_id);
    expect(newest.text).not.toContain('tarek velmorani');
    await product.interrupt(); // its worker signs a last checkpoint
    const seqs = [...checkpointsOf(dataDir, first).matchAll(/"seq":(\d+)/g)].map(([, seq]) => seq);
    expect(Number(seqs.at(-1))).toBeGreaterThan(erasable?.body.audit.seq ?? 0);
    const latest = (await dump(url.href)).get(APART) ?? [];

    await restore(url.href, new Map([...dumped, [APART, latest]]));
    rmSync(join(dataDir, 'blobs'), { recursive: true });
    cpSync(join(folder, 'blobs'), join(dataDir, 'blobs'), { recursive: true });
    cpSync(join(folder, 'keys'), join(dataDir, 'keys'), { force: false, recursive: true });

    const second = start();
    const behind = await restarted(second, first);
    expect(await readiness(behind)).toBe(503);
    const refused = await screen(behind, 'Somebody Else');
    expect(refused).toMatchObject({ body: { code: 'audit-chain-behind' }, status: 503 });
    await second.interrupt();

    const words = ['--tenant', first.tenant_id, '--reason', 'drill'];
    const resumed = await second.cli('audit', 'resume', ...words);
    expect(resumed.stdout).toContain(`audit erase-again --tenant ${first.tenant_id}`);
    await second.cli('audit', 'resume', '--tenant', 'platform', '--reason', 'drill');
    const third = start();
    await third.ended;
    expect(`${third.stdout}${third.stderr}`).toContain('audit erase-again');

    const again = ['--tenant', first.tenant_id, '--file', newest.file];
    const repeated = await third.cli('audit', 'erase-again', ...again);
    expect(repeated.stdout).toContain('1 erasures named, 1 done again');
    expect(existsSync(join(dataDir, 'restored.json'))).toBe(false);
    const fourth = start();
    const last = await restarted(fourth, first);
    expect((await screen(last, 'Somebody Else'))?.status).toBe(200);
    expect((await exported(fourth, first.tenant_id)).text).not.toContain('tarek velmorani');
    await fourth.interrupt();
  });

  /** Over a store of before no key is made: the one of then is known. */
  async function restarted(product: Product, was: FirstRun): Promise<FirstRun> {
    writeFileSync(join(product.dataDir, 'first-run.json'), JSON.stringify(was));
    await product.ready();
    const origin = /https?:\/\/[^\s/]+:\d+/.exec(product.stdout)?.[0] ?? '';
    return { ...was, base_url: `${origin}/v1`, origin };
  }
});
