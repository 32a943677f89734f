/**
 * The list of 100,000 alerts: what is drawn of it, how long a key takes, and what it holds. The API
 * is a fixture here, so that it is the page that is measured.
 */
import { availableParallelism, loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { hasBrowser, openBrowser } from '../onboarding/browser.ts';
import { consoleDesk } from './consoleDesk.ts';
import { until } from './everyLook.ts';

const ALERTS = 100_000;
const PAGE_ROWS = 200;
const DRAWN_MAX = 60;
const KEYS = 100;
const ROUNDS = 3;
const BUDGET = { heapMb: 120, keyMs: 50, keyMaxMs: 200 };
const MB = 1_000_000;
const WORDS = ['Critical', 'High', 'Medium', 'Low'];

const idOf = (at: number): string => `0190aaaa-0000-7000-8000-${String(at).padStart(12, '0')}`;

const alertOf = (at: number) => ({
  alert_id: idOf(at),
  assignee: null,
  created_at: '2026-01-31T06:00:00.000Z',
  due_at: '2026-02-01T06:00:00.000Z',
  fault: null,
  hits_total: 1 + (at % 5),
  outcome: null,
  proposal: null,
  revision: 1,
  score: 0.8 + (at % 200) / 1_000,
  severity: WORDS[at % WORDS.length],
  sla_breached: at % 7 === 0,
  source: 'OFAC_SDN',
  status: 'open',
  subject: {
    batch_id: null,
    erased: false,
    external_id: null,
    fault: null,
    id: idOf(at),
    kind: 'screening',
    name: `${at % 3 === 0 ? 'طارق' : 'Tarek'} Velmorani ${at}`,
  },
  type: 'sanctions',
  typology: 'MATCH_DIRECT_SANCTIONS',
  updated_at: '2026-01-31T06:00:00.000Z',
});

/** Pages as the API cuts them: a cursor is the number of the row that it stands before. */
async function serveAlerts(page: Page, late: { until?: Promise<void> }): Promise<void> {
  await page.route('**/console/api/v1/aml/alerts?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    const from = Number(searchParams.get('cursor') ?? 0);
    await late.until;
    const limit = Number(searchParams.get('limit'));
    const data = Array.from({ length: Math.min(limit, ALERTS - from) }, (_, at) =>
      alertOf(from + at),
    );
    const next_cursor = from + limit < ALERTS ? String(from + limit) : null;
    return route.fulfill({ json: { altered: [], data, next_cursor } });
  });
}

const drawnRows = 'document.querySelectorAll("tbody tr[aria-rowindex]").length';
const lastRow =
  'Math.max(...[...document.querySelectorAll("tbody tr[aria-rowindex]")].map((row) => ' +
  'Number(row.getAttribute("aria-rowindex"))))';

describe.skipIf(!hasRedis || !hasBrowser)('100,000 alerts in a browser', () => {
  let gateway: RealGateway;
  let browser: Browser;
  let page: Page;
  /** Pages that are asked for wait for it. */
  const late: { until?: Promise<void> } = {};

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    const tenantId = await gateway.tenant('sandbox');
    browser = await openBrowser();
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    await page.goto(await consoleDesk(gateway, tenantId).link());
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await serveAlerts(page, late);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test('only the rows that are seen are drawn, of a list that was read to its end', async () => {
    await page.evaluate(`location.hash = '#/alerts'`);
    await until(page, `${drawnRows} > 0`);
    await page.evaluate(READ_ALL);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await until(page, `${lastRow} === ${ALERTS + 1}`);
    expect(await page.evaluate(drawnRows)).toBeLessThanOrEqual(DRAWN_MAX);
    await until(page, `document.body.textContent.includes('Velmorani ${ALERTS - 1}')`);
    // Rows that were given up come again.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await until(page, `document.body.textContent.includes('Velmorani ${ALERTS / 2}')`);
    const table = page.getByRole('table');
    expect(await table.getAttribute('aria-rowcount')).toBe(String(ALERTS + 1));
    const heap = await heapOf(page);
    console.log(`heap after ${ALERTS} alerts: ${(heap / MB).toFixed(1)} MB`);
    expect(heap).toBeLessThanOrEqual(BUDGET.heapMb * MB);
  }, 600_000);

  test('a key moves the row and is painted in time', async () => {
    await page.evaluate('scrollTo(0, 0)');
    await until(page, `document.body.textContent.includes('Velmorani 1')`);
    await page.evaluate(MEASURE);
    await page.getByRole('heading', { level: 1 }).focus();
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const times: number[] = [];
      for (let key = 0; key < KEYS; key++) {
        await page.keyboard.press('j');
        times.push((await page.evaluate('window.painted')) as number);
      }
      rounds.push(times.sort((one, other) => one - other));
    }
    await until(
      page,
      `document.activeElement.textContent.includes('Velmorani ${ROUNDS * KEYS - 1}')`,
    );
    // Of three, the one in which the machine did the least beside it.
    const [p95 = Number.NaN] = rounds
      .map((times) => times[Math.floor(KEYS * 0.95)] ?? Number.NaN)
      .sort((one, other) => one - other);
    const most = Math.min(...rounds.map((times) => times.at(-1) ?? Number.NaN));
    console.log(`key to paint: p95 ${p95.toFixed(1)} ms, most ${most.toFixed(1)} ms`);
    // Where others want the processors, times are of them and not of the page.
    if ((loadavg()[0] ?? 0) > availableParallelism()) return;
    expect(p95).toBeLessThanOrEqual(BUDGET.keyMs);
    expect(most).toBeLessThanOrEqual(BUDGET.keyMaxMs);
  }, 120_000);

  test('the row that has the keyboard stays, wherever the window is', async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await until(page, `${lastRow} > ${ALERTS / 4}`);
    await page.keyboard.press('j');
    await until(page, `document.activeElement.textContent.includes('Velmorani ${ROUNDS * KEYS}')`);
  }, 60_000);

  test('a page that comes late takes no rows from those that are seen', async () => {
    await page.evaluate('scrollTo(0, 0)');
    await until(page, `document.body.textContent.includes('Velmorani 1')`);
    const { promise, resolve } = Promise.withResolvers<void>();
    late.until = promise;
    const isAsked = page.waitForRequest('**/console/api/v1/aml/alerts?*');
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 4)');
    const asked = await isAsked;
    await page.evaluate('scrollTo(0, 0)');
    await until(page, `document.querySelector('tr[aria-rowindex="2"]') !== null`);
    resolve();
    await (await asked.response())?.finished();
    for (let frame = 0; frame < 10; frame++) {
      await page.evaluate('new Promise(requestAnimationFrame)');
      expect(await page.evaluate(COMING_IN_VIEW)).toBe(0);
    }
  }, 60_000);

  test('filters are saved by name in the browser of the person', async () => {
    await page.evaluate(`location.hash = '#/alerts?status=open&severity=High'`);
    await page.getByRole('button', { name: 'Save these filters' }).click();
    await page.getByLabel('Name of the filters').fill('Mine, urgent');
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    await page.evaluate(`location.hash = '#/alerts'`);
    await page.reload();
    await page.getByRole('link', { name: 'Mine, urgent' }).click();
    await until(page, `location.hash === '#/alerts?status=open&severity=High'`);
    await page.getByRole('button', { name: /Remove/ }).click();
    await until(page, `!document.body.textContent.includes('Mine, urgent')`);
  }, 60_000);
});

/** Rows at the top that wait to be read again: they have one cell. */
const COMING_IN_VIEW =
  '[...document.querySelectorAll("tbody tr[aria-rowindex]")].filter((row) => ' +
  'Number(row.getAttribute("aria-rowindex")) < 12 && row.cells.length === 1).length';

/** Scrolls to the end, again for each page that comes; the heading is a row, too. */
const READ_ALL = `(async () => {
  for (let read = 1; read < ${ALERTS / PAGE_ROWS}; read++) {
    scrollTo(0, document.documentElement.scrollHeight);
    while (!(${lastRow} > read * ${PAGE_ROWS} + 1)) await new Promise(requestAnimationFrame);
  }
})()`;

/** Time from a key to the frame that shows it: `window.painted` waits for that of the last key. */
const MEASURE = `
  addEventListener('keydown', ({ timeStamp }) => {
    window.painted = new Promise((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - timeStamp);
        port2.postMessage(null);
      });
    });
  }, { capture: true });`;

async function heapOf(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  await cdp.detach();
  return usedSize;
}
