/**
 * An installation that the release before made (0.1.0 at 5475fb7: embedded store, two lists, two
 * tenants, keys, persons, a changed schedule, a batch that is done and one that was killed after
 * two of its nine chunks) is started as it stands, goes on, and verifies.
 *
 * test/fixtures/formerRelease/installation.tar.gz is its DATA_DIR; its keys open nothing else.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

const ARCHIVE = join(import.meta.dirname, '../fixtures/formerRelease/installation.tar.gz');
const SCREENING_ID = '01a20482-0ccb-7cb0-8953-9087bcf208ff';
const DONE_BATCH_ID = '01a20482-2efd-7264-8105-0949f17c94b3';
const HALF_BATCH_ID = '01a20482-3b13-7923-9258-a513b7aad345';
const SOON = { interval: 100, timeout: 120_000 };

interface BatchAnswer {
  readonly status: string;
  readonly subjects_processed: number;
  readonly chunks_completed: number;
  readonly chunks_total: number;
}

describe.skipIf(!isRedisHere)('an installation of the former release', () => {
  let product: Product;
  let first: FirstRun;
  const get = (path: string) =>
    fetch(`${first.base_url}${path}`, { headers: { 'x-api-key': first.api_key } });
  const batch = async (id: string) =>
    (await (await get(`/aml/batches/${id}`)).json()) as BatchAnswer;

  beforeAll(async () => {
    const folder = newFolder();
    execFileSync('tar', ['-xzf', ARCHIVE, '-C', folder]);
    product = startProduct(join(folder, 'former-release'));
    first = await product.ready();
  });
  afterAll(cleanUp);

  test('knows its key and its lists', async () => {
    // Indexes of before are built anew by the worker; until then a screening is refused.
    await vi.waitUntil(async () => (await screen(first, 'Tarek Velmorani'))?.status === 200, SOON);
    const answer = await screen(first, 'Tarek Velmorani');
    expect(answer?.body.decision).toBe('MATCH_DIRECT_SANCTIONS');
    const { stdout } = await product.cli('list', 'status', '--json');
    const status = stdout.trim();
    for (const source of ['DEMO', 'OFAC_CONSOLIDATED', 'UN_SC']) expect(status).toContain(source);
  });

  test('answers from its evidence', async () => {
    const answer = await get(`/sanctions/screenings/${SCREENING_ID}/audit`);
    expect(answer.status).toBe(200);
    const { event } = (await answer.json()) as { event: { screening_id: string } };
    expect(event.screening_id).toBe(SCREENING_ID);
  });

  test('brings the batch to its end that was killed half done', async () => {
    await vi.waitUntil(async () => (await batch(HALF_BATCH_ID)).status === 'completed', SOON);
    expect(await batch(HALF_BATCH_ID)).toMatchObject({
      chunks_completed: 9,
      chunks_total: 9,
      subjects_processed: 9000,
    });
  });

  test('serves the reports and hits of the one that was done', async () => {
    expect(await batch(DONE_BATCH_ID)).toMatchObject({ status: 'completed' });
    for (const format of ['csv', 'pdf', 'xlsx']) {
      const report = await get(`/aml/batches/${DONE_BATCH_ID}/report?format=${format}`);
      expect([format, report.status]).toEqual([format, 200]);
    }
    const hits = (await (await get(`/aml/batches/${DONE_BATCH_ID}/hits`)).json()) as {
      data: unknown[];
    };
    expect(hits.data).toHaveLength(10);
  });

  test('keeps its tenants, persons and schedule', async () => {
    const persons = await product.cli('person', 'list', '--tenant', first.tenant_id, '--json');
    const known = JSON.parse(persons.stdout).persons as { readonly name: string }[];
    // The console's own three came with the first start of this release.
    expect(known.filter(({ name }) => !name.endsWith('(invented)'))).toHaveLength(2);
    expect(known).toHaveLength(5);
    const tenants = await product.cli('tenant', 'list', '--json');
    expect(tenants.stdout).toContain('First Bank');
    expect(tenants.stdout).toContain('limits.screening_per_second');
    const sources = (await (await get('/sanctions/etl/sources')).json()) as {
      data: readonly object[];
    };
    expect(sources.data).toContainEqual(
      expect.objectContaining({ cron_full: '0 0 5 ? * SUN', source_id: 'UN_SC' }),
    );
  });

  test.each(['tenant', 'platform'])('verifies, chain of the %s', async (of) => {
    const folder = newFolder();
    const [evidence, keys] = [join(folder, 'evidence.jsonl'), join(folder, 'keys.json')];
    const id = of === 'tenant' ? first.tenant_id : of;
    expect((await product.cli('audit', 'export', '--tenant', id, '--out', evidence)).code).toBe(0);
    expect((await product.cli('keys', 'public', '--out', keys)).code).toBe(0);
    const verified = await product.cli('audit', 'verify', '--file', evidence, '--keys', keys);
    expect([verified.stderr, verified.code]).toEqual(['', 0]);
  });
});
