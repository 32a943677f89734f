/** The console's pages of policies, tax, privacy, forms: in a real browser, at a real gateway. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { hasBrowser, openBrowser } from '../onboarding/browser.ts';
import { registerBrowserKey } from './browserKey.ts';
import { demoOfAdministration, demoOfCompliance, startWorkers } from './consoleDemo.ts';
import { consoleDesk } from './consoleDesk.ts';
import { AXE, faultsOfLooks, open, until } from './everyLook.ts';

interface Seen {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly faults: string[];
}

/** By then a page would show what came late. */
const LATE_MS = 300;
const PRIVACY_ROW = {
  action: 'export',
  due_at: '2026-03-31T00:00:00Z',
  ended_at: null,
  erasure: null,
  extended_to: null,
  overdue: false,
  received_at: '2026-03-01T00:00:00Z',
  status: 'received',
};

describe.skipIf(!hasRedis || !hasBrowser)('the console of administration', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let workers: ReturnType<typeof startWorkers>;
  let browser: Browser;
  let desk: ReturnType<typeof consoleDesk>;
  let ofCompliance: readonly string[] = [];

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    workers = startWorkers(gateway);
    tenantId = await gateway.tenant('sandbox', { 'screening.reranker_version': '2.0.0' });
    desk = consoleDesk(gateway, tenantId);
    browser = await openBrowser();
    const { context, page } = await signedIn(0);
    ofCompliance = await demoOfCompliance(page, workers);
    await context.close();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await workers?.stop();
    await gateway?.close();
  });

  /** The first person is of compliance, the second one of the IT side. */
  async function signedIn(person: 0 | 1): Promise<Seen> {
    const context = await browser.newContext({ locale: 'en-GB' });
    await context.addInitScript({ content: AXE });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => void faults.push(String(error)));
    await page.goto(await desk.link(person));
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    return { context, faults, page };
  }

  test('pages of compliance are without a fault, and their buttons do what they say', async () => {
    const { context, faults, page } = await signedIn(0);
    await open(page, `#/${ofCompliance.find((one) => one.startsWith('risk/'))}`);
    const matrix = page.getByRole('img', { name: 'Levels before and after' }).first();
    expect(await matrix.locator('rect').count()).toBe(16);
    expect(await faultsOfLooks(page, ofCompliance)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  }, 600_000);

  test('a draft is edited and signed, and another person is asked to sign it', async () => {
    const { context, page } = await signedIn(0);
    await registerBrowserKey(page, { desk, gateway, person: 0, tenantId });
    await open(page, '#/policies');
    await page.getByRole('row').filter({ hasText: 'Draft' }).getByRole('link').click();
    await page.getByText('Edit', { exact: true }).click();
    const field = page.getByLabel('Sanctions', { exact: true });
    await field.fill('0.9');
    await page.getByLabel('Why; who signs reads it').fill('Fewer false hits, as tried on March');
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    const changed = page.getByRole('row', { name: '/thresholds/direct' });
    await changed.getByText('0.9', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Try it on past screenings' }).click();
    await page.getByText('With another decision, or other hits').waitFor();
    // Whether it was asked for already could not be read, once.
    await page.route(/\/v1\/approvals\?/, (one) => one.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Sign with the key of this browser' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Ask for the signatures' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('As the committee has decided');
    await dialog.getByRole('button', { name: 'Ask for the signatures' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approval' }).waitFor();
    const approval = page.url();
    await context.close();
    const second = await signedIn(1);
    await second.page.goto(approval);
    await second.page.getByRole('button', { name: 'Sign with the key of this browser' }).waitFor();
    await second.context.close();
  }, 120_000);

  test('a page of rows that comes after another filter was chosen is dropped', async () => {
    const { context, page } = await signedIn(0);
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const row = (id: string) => ({ ...PRIVACY_ROW, request_id: id, subject: { external_ref: id } });
    await page.route(/\/v1\/privacy\/dsar(\?.*)?$/, async (one) => {
      const asked = new URL(one.request().url()).searchParams;
      if (asked.has('cursor')) await isReleased;
      const name = asked.has('cursor') ? 'late' : asked.has('status') ? 'filtered' : 'first';
      const next_cursor = name === 'first' ? 'more' : null;
      // The page may have given it up.
      await one.fulfill({ json: { data: [row(name)], next_cursor } }).catch(() => undefined);
    });
    await open(page, '#/privacy');
    await page.getByRole('button', { exact: true, name: 'Show more' }).click();
    await page.getByLabel('Status').selectOption({ index: 1 });
    await page.locator('th a', { hasText: 'filtered' }).waitFor();
    release();
    await page.waitForTimeout(LATE_MS);
    expect(await page.locator('th a').allTextContents()).toEqual(['filtered']);
    await context.close();
  }, 60_000);

  test('an erasure is approved by another person than who took it in', async () => {
    const first = await signedIn(0);
    await open(first.page, '#/privacy');
    await first.page.locator('th a', { hasText: 'example-erase' }).click();
    await first.page.getByRole('button', { name: 'Approve the erasure' }).click();
    await first.page.getByText('privacy-same-person').waitFor();
    const url = first.page.url();
    await first.context.close();
    const second = await signedIn(1);
    await second.page.goto(url);
    await second.page.getByRole('button', { name: 'Approve the erasure' }).click();
    await second.page.getByText('Answered', { exact: true }).waitFor();
    await second.context.close();
  }, 120_000);

  test('pages of tax reporting are without a fault', async () => {
    const { context, faults, page } = await signedIn(1);
    const routes = await demoOfAdministration(page);
    await open(page, `#/${routes.find((one) => /^tax\/[^?]/.test(one))}`);
    await until(
      page,
      'document.querySelectorAll("section[aria-labelledby=findings] td").length > 0',
    );
    expect(await faultsOfLooks(page, routes)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  }, 300_000);
});
