/**
 * `audit verify --state` of a running installation whose database somebody writes past the service:
 * each kind of forgery is named and ends it with 1; what is as it was signed ends it with 0.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AlterDocuments, alterMongo, alterSqlite } from '../storage/alterDocuments.ts';
import { hasMongo, type MongoTestServer, startMongo } from '../storage/mongo/server.ts';
import { prepare, submit } from './batchSteps.ts';
import { cleanUp, isRedisHere, newFolder, type Product, startProduct } from './product.ts';

interface Finding {
  readonly detail: string;
  readonly name: string;
  readonly ok: boolean;
}

interface Forgery {
  readonly what: string;
  readonly table: string;
  readonly from: string;
  readonly to: string;
  /** The check that finds it, and what that says. */
  readonly check: string;
  readonly detail: string;
}

/** Those of a round are made together: no two are found by the same check. */
const ROUNDS: readonly (readonly Forgery[])[] = [
  [
    {
      check: 'state',
      detail: 'tenant:',
      from: '"kind":"sandbox"',
      table: 'tenant',
      to: '"kind":"live"',
      what: 'a tenant of another kind',
    },
    {
      check: 'indexes',
      detail: 'DEMO',
      from: '"active":',
      table: 'list_source',
      to: '"former":',
      what: 'a list that is in force no more',
    },
    {
      check: 'batches',
      detail: 'include_pep',
      from: '"includePep":true',
      table: 'batch',
      to: '"includePep":false',
      what: 'a batch with other thresholds',
    },
    {
      check: 'policies',
      detail: 'version 1',
      from: '"direct":0.92',
      table: 'policy',
      to: '"direct":0.99',
      what: 'a policy with another threshold',
    },
  ],
  [
    {
      check: 'state',
      detail: 'api_key:',
      from: '"roles":[',
      table: 'api_key',
      to: '"roles":["dsi_admin",',
      what: 'a key with a role more',
    },
    {
      check: 'sources',
      detail: 'DEMO',
      from: '"enabled":false',
      table: 'list_source',
      to: '"enabled":true',
      what: 'a source that is switched on',
    },
    {
      check: 'indexes',
      detail: 'DEMO',
      from: '"snapshotBlob":"',
      table: 'list_version',
      to: '"snapshotBlob":"0',
      what: 'a version of another index',
    },
    {
      check: 'batches',
      detail: 'its chunks are not what was signed',
      from: '"merkleRoot":"',
      table: 'batch_chunk',
      to: '"merkleRoot":"0',
      what: 'a chunk with other results',
    },
    {
      check: 'alerts',
      detail: 'alert',
      from: '"status":"open"',
      table: 'alert',
      to: '"status":"closed_false_positive"',
      what: 'an alert that is closed',
    },
  ],
  [
    {
      check: 'batches',
      detail: 'hit',
      from: '"true_positive"',
      table: 'batch_review',
      to: '"false_positive"',
      what: 'a hit that somebody else decided otherwise',
    },
    {
      check: 'webhooks',
      detail: 'webhook endpoint',
      from: 'http://127.0.0.1:40404/',
      table: 'webhook_endpoint',
      to: 'http://127.0.0.1:40405/',
      what: 'an endpoint that is aimed elsewhere',
    },
    {
      check: 'records',
      detail: 'table list_version',
      from: '{"',
      table: 'list_version',
      to: '{',
      what: 'a record that cannot be read',
    },
  ],
];

function suite(start: () => { alter: AlterDocuments; product: Product }): void {
  let alter: AlterDocuments;
  let product: Product;
  beforeAll(async () => {
    ({ alter, product } = start());
    const first = await prepare(product);
    const batch = await submit(first, 20);
    await batch.until(({ status }) => status === 'completed');
    const [hit] = (await batch.hits('limit=1')).data;
    const decided = await batch.ask(`/hits/${hit?.hit_id}`, {
      body: JSON.stringify({ decision: 'true_positive', notes: 'it is him' }),
      headers: { 'Content-Type': 'application/json' },
      method: 'PATCH',
    });
    expect(decided.status).toBe(200);
    const endpoint = ['--tenant', first.tenant_id, '--url', 'http://127.0.0.1:40404/in'];
    expect(await product.cli('webhook', 'add', ...endpoint)).toMatchObject({ code: 0, stderr: '' });
    await vi.waitUntil(
      async () => (await alter('alert', '"status":"open"', '"status":"open"')) > 0,
      {
        interval: 200,
        timeout: 120_000,
      },
    );
  }, 240_000);
  afterAll(cleanUp);

  const verify = async () => {
    const { code, stdout } = await product.cli('audit', 'verify', '--state', '--json');
    return { code, ...(JSON.parse(stdout) as { checks: readonly Finding[]; ok: boolean }) };
  };

  test('what is as it was signed ends it with 0', async () => {
    const { checks, code } = await verify();
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
  });

  test.each(ROUNDS.map((round) => [round.map(({ what }) => what).join(', '), round] as const))(
    '%s',
    async (_, round) => {
      for (const { from, table, to } of round) {
        expect(await alter(table, from, to)).toBeGreaterThan(0);
      }
      try {
        const { checks, code } = await verify();
        expect(code).toBe(1);
        const bad = checks.filter(({ ok }) => !ok);
        expect(bad.map(({ name }) => name)).toEqual(
          expect.arrayContaining(round.map(({ check }) => check)),
        );
        for (const { check, detail } of round) {
          expect(bad.find(({ name }) => name === check)?.detail).toContain(detail);
        }
      } finally {
        for (const { from, table, to } of round.toReversed()) await alter(table, to, from);
      }
    },
  );

  test('put back as it was, it is good again', async () => {
    expect(await verify()).toMatchObject({ code: 0, ok: true });
  });
}

describe.skipIf(!isRedisHere)('the state of an embedded installation', () => {
  suite(() => {
    const dataDir = join(newFolder(), 'data');
    return { alter: alterSqlite(dataDir), product: startProduct(dataDir) };
  });
});

describe.skipIf(!isRedisHere || !hasMongo())('the state of one on MongoDB', () => {
  let mongo: MongoTestServer;
  beforeAll(async () => {
    mongo = await startMongo();
  }, 60_000);
  afterAll(() => mongo.stop());
  suite(() => {
    const database = new URL(mongo.url);
    database.pathname = `/e2e_${randomBytes(6).toString('hex')}`;
    const env = { MONGODB_URL: database.href };
    return {
      alter: alterMongo(database.href),
      product: startProduct(join(newFolder(), 'data'), env),
    };
  });
});
