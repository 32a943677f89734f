/**
 * Runs of a list in the product as a user starts it, under screenings: a publisher on this host
 * brings out editions, a worker is killed with half of one on its disk. Every answer is of one
 * edition as a whole, and every edition comes into force.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  openAt,
  openPublisher,
  PUBLISHER_ALLOWED,
  type Publisher,
  pointSource,
} from '../slices/ingestion/listPublisher.ts';
import { RAISED } from './load.ts';
import { cleanUp, type FirstRun, isRedisHere, newFolder, startProduct } from './product.ts';

const EDITIONS = 4;
/** Number of the edition during whose import a worker dies. */
const FATAL = 2;
const CLIENTS = 4;
const NAME = 'Tarek Velmorani';
const UNTIL = { interval: 50, timeout: 120_000 };
const SHIPPED = readFileSync(join(import.meta.dirname, '../../config/demo/entities.jsonl'), 'utf8');

/** The shipped list, every primary name of it with the number of the edition. */
function editionOf(number: number): string {
  const [header = '', ...lines] = SHIPPED.trimEnd().split('\n');
  const entities = lines.map((line) => {
    const { akas = [], primary_name, ...rest } = JSON.parse(line);
    return { ...rest, akas: [primary_name, ...akas], primary_name: `${primary_name} ${number}` };
  });
  return [JSON.parse(header), ...entities].map((line) => `${JSON.stringify(line)}\n`).join('');
}

interface Answer {
  readonly list_version: string;
  readonly hits: readonly { readonly candidate: { readonly primary_name: string } }[];
}

async function call<Body>(
  { api_key, base_url }: FirstRun,
  path: string,
  body?: object,
): Promise<Body> {
  const response = await fetch(base_url + path, {
    ...(body !== undefined && { body: JSON.stringify(body), method: 'POST' }),
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
      'X-API-Key': api_key,
    },
  });
  const text = await response.text();
  assert(response.ok, `${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

/** Undefined for what is shipped; a mix of two is both of them. */
const editionIn = ({ hits }: Answer): string =>
  [...new Set(hits.map(({ candidate }) => /\d+$/.exec(candidate.primary_name)?.[0] ?? '0'))].join();

describe.skipIf(!isRedisHere)('runs of a list under screenings', () => {
  let publisher: Publisher;
  afterAll(async () => {
    await cleanUp();
    await publisher.close();
  });

  test('every answer is of one edition, although a worker dies of kill -9', async () => {
    publisher = await openPublisher();
    const product = startProduct(join(newFolder(), 'data'), PUBLISHER_ALLOWED);
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const store = await openAt(product.dataDir, 'test');
    await pointSource(store, { url: `${publisher.origin}/list` });
    await store.close();

    const answers: Answer[] = [];
    const failures: unknown[] = [];
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        const asked = call<Answer>(first, '/sanctions/screen', { name: NAME });
        await asked.then(
          (answer) => answers.push(answer),
          (error: unknown) => failures.push(error),
        );
      }
    });
    for (let number = 1; number <= EDITIONS; number += 1) {
      await publish(number);
      await vi.waitUntil(() => answers.some((one) => editionIn(one) === `${number}`), UNTIL);
    }
    isOver = true;
    await Promise.all(clients);

    expect(failures).toEqual([]);
    const seen = new Map<string, Set<string>>();
    for (const answer of answers) {
      const hits = `${editionIn(answer)}: ${answer.hits.length}`;
      seen.set(answer.list_version, (seen.get(answer.list_version) ?? new Set()).add(hits));
    }
    const { length } = answers[0]?.hits ?? [];
    expect(length).toBeGreaterThan(0);
    const editions = Array.from({ length: EDITIONS + 1 }, (_, number) => [`${number}: ${length}`]);
    expect([...seen.values()].map((hits) => [...hits])).toEqual(editions);
    expect((await product.interrupt()).code).toBe(0);

    async function publish(number: number): Promise<void> {
      const text = editionOf(number);
      const half = Promise.withResolvers<void>();
      publisher.answer = (_, response) => {
        if (number !== FATAL || publisher.asked.length > FATAL) return void response.end(text);
        response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
        response.write(text.slice(0, text.length / 2), () => half.resolve());
      };
      const path = '/sanctions/etl/sources/DEMO/trigger?kind=full';
      const { run_id } = await call<{ run_id: string }>(first, path, {});
      if (number === FATAL) {
        await half.promise;
        const { worker } = await product.children();
        assert(worker !== undefined);
        process.kill(worker, 'SIGKILL');
      }
      let status = 'running';
      await vi.waitUntil(async () => {
        ({ status } = await call<{ status: string }>(first, `/sanctions/etl/runs/${run_id}`));
        return status !== 'running';
      }, UNTIL);
      expect(status).toBe('success');
    }
  });
});
