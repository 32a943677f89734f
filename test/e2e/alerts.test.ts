/**
 * Alerts of a running installation: what is screened shows up in the list once, whichever worker
 * raises it, and though workers are killed meanwhile.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RAISED } from './load.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

const LISTED = 'Tarek Velmorani';
const UNTIL = { interval: 100, timeout: 120_000 };
const SCREENINGS = 40;
const MATCHES = 30;

interface Row {
  readonly alert_id: string;
  readonly seq: number;
  readonly type: string;
  readonly subject: { readonly id: string; readonly external_id: string | null };
}

describe.skipIf(!isRedisHere)('alerts', () => {
  let product: Product;
  let first: FirstRun;

  beforeAll(async () => {
    product = startProduct(join(newFolder(), 'data'));
    first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
  }, 120_000);
  afterAll(cleanUp);

  async function rows(type: string): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (let cursor = ''; ; ) {
      const query = `?type=${type}&limit=200${cursor && `&cursor=${cursor}`}`;
      const response = await fetch(`${first.base_url}/aml/alerts${query}`, {
        headers: { 'X-API-Key': first.api_key },
      });
      expect(response.status).toBe(200);
      const page = (await response.json()) as { data: Row[]; next_cursor: string | null };
      found.push(...page.data);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  }

  async function killWorker(): Promise<void> {
    const { worker } = await product.children();
    if (worker !== undefined) process.kill(worker, 'SIGKILL');
  }

  test('each screening with a hit raises one, though workers are killed', async () => {
    const screened: string[] = [];
    for (let count = 0; count < SCREENINGS; count++) {
      screened.push((await screen(first, LISTED))?.body.screening_id ?? '');
      await screen(first, 'Nobody Atall');
      if (count % 20 === 10) await killWorker();
    }
    await vi.waitUntil(async () => (await rows('screening')).length >= SCREENINGS, UNTIL);
    const alerts = await rows('screening');
    expect(alerts.map(({ subject }) => subject.id).sort()).toEqual(screened.sort());
    const seqs = alerts.map(({ seq }) => seq).sort((one, other) => one - other);
    expect(seqs).toEqual(Array.from({ length: SCREENINGS }, (_, at) => at + 1));
  }, 180_000);

  test('each matching subject of a batch raises one', async () => {
    const file = join(newFolder(), 'customers.csv');
    const lines = Array.from({ length: 1_500 }, (_, at) =>
      at % 50 === 0 ? `c-${at},${LISTED}` : `c-${at},Nobody Number${at}`,
    );
    writeFileSync(file, `external_id,full_name\n${lines.join('\n')}\n`);
    const tenant = ['--tenant', first.tenant_id];
    const done = await product.cli('batch', 'submit', file, ...tenant, '--lists', 'DEMO', '--wait');
    expect(done.code, done.stderr).toBe(0);
    await vi.waitUntil(async () => (await rows('batch')).length >= MATCHES, UNTIL);
    const ids = (await rows('batch')).map(({ subject }) => subject.external_id);
    expect(new Set(ids).size).toBe(MATCHES);
    expect(ids).toContain('c-50');
  }, 180_000);

  test('the command line lists them, and finds them as they were signed', async () => {
    const listed = await product.cli('alert', 'list', '--tenant', first.tenant_id, '--json');
    const { alerts } = JSON.parse(listed.stdout) as { readonly alerts: readonly Row[] };
    expect(alerts).toHaveLength(50);
    const [newest] = alerts;
    const tenant = ['--tenant', first.tenant_id];
    const shown = await product.cli('alert', 'show', newest?.alert_id ?? '', ...tenant);
    expect(shown.stdout).toContain('Critical');
    const unknown = await product.cli('alert', 'show', 'no-such-alert', ...tenant);
    expect(unknown.code).not.toBe(0);
    const doctor = await product.cli('doctor', '--json');
    expect(doctor.stdout).toContain(`${SCREENINGS + MATCHES} alerts are what was signed`);
  }, 60_000);
});
