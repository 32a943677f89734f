/** The console in a real browser, at a gateway with nothing replaced. */

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { hasBrowser, openBrowser } from '../onboarding/browser.ts';
import { consoleDesk } from './consoleDesk.ts';
import { AXE, faultsOfLooks, open, until, violations } from './everyLook.ts';
import { LISTED, raiseAlert } from './raisedAlerts.ts';
import { draftReport, openCase, sendPayments } from './workData.ts';

const ALERTS = 12;
const TRIAGED = 10;
const HAS_FILTERS = `document.querySelector('form.filters') !== null`;
/** Goes to a page: what is true in the very moment in which its title stands there. */
const whenTitled = (title: string, route: string, expression: string): string =>
  `new Promise((resolve) => {
    const main = document.querySelector('main');
    new MutationObserver(() => {
      const { textContent } = main.querySelector('h1') ?? {};
      if (textContent === ${JSON.stringify(title)}) resolve(${expression});
    }).observe(main, { characterData: true, childList: true, subtree: true });
    location.hash = ${JSON.stringify(route)};
  })`;
const WHY = 'Another date and another place of birth';

interface Seen {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly faults: string[];
  readonly urls: string[];
}

interface Row {
  readonly alert_id: string;
  readonly proposal: { readonly status: string } | null;
  readonly status: string;
}

describe.skipIf(!hasRedis || !hasBrowser)('the console in a browser', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let browser: Browser;
  let desk: ReturnType<typeof consoleDesk>;
  let screeningId = '';
  let work: readonly string[] = [];

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    tenantId = await gateway.tenant('sandbox', { 'screening.reranker_version': '2.0.0' });
    desk = consoleDesk(gateway, tenantId);
    agent = await gateway.caller(tenantId, 'agent_l2', 'mlro');
    for (const name of LISTED.slice(0, ALERTS)) {
      screeningId = await raiseAlert(gateway, agent, { name });
    }
    const officer = await gateway.caller(tenantId, 'compliance_officer', 'developer');
    const [caseId, txId, strId] = [
      await openCase(officer),
      await sendPayments(officer),
      await draftReport(officer),
    ];
    work = [
      ...['cases', `cases/${caseId}`, 'transactions', `transactions/${txId}`],
      ...['rules', 'rules/TM-CASH-01', 'rules/new?edit=first'],
      ...['reports', `reports/${strId}`, 'reports/new'],
    ];
    browser = await openBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** A person at a browser of their own, who opened a link. */
  async function signedIn(person = 0): Promise<Seen> {
    const context = await browser.newContext({ locale: 'en-GB' });
    await context.addInitScript({ content: AXE });
    const page = await context.newPage();
    const faults: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => void faults.push(String(error)));
    page.on('request', (request) => void urls.push(request.url()));
    await page.goto(await desk.link(person));
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    return { context, faults, page, urls };
  }

  const rows = async (): Promise<readonly Row[]> =>
    (await agent.get('/v1/aml/alerts?limit=100')).json<{ data: Row[] }>().data;

  test('a link opens it, and leaves nothing of itself', async () => {
    const { context, faults, page, urls } = await signedIn();
    expect(page.url()).toBe(`${gateway.origin}/console#/`);
    expect(urls.filter((url) => !url.startsWith(`${gateway.origin}/console`))).toEqual([]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test('a name is screened, and its words stand beside those of the list', async () => {
    const { context, faults, page } = await signedIn();
    await open(page, '#/screen');
    await page.getByLabel('Name, in any script').fill('Tarik Velmorani');
    await page.getByRole('button', { exact: true, name: 'Screen' }).click();
    await page.getByRole('heading', { name: 'Sanctions match' }).first().waitFor();
    await page.getByText('Why', { exact: true }).first().click();
    const alignment = page.getByRole('region', { name: 'Words that stand for each other' }).first();
    expect(await alignment.textContent()).toMatch(/velmorani/i);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test(`${TRIAGED} alerts are decided by keys alone, and another person confirms`, async () => {
    const { context, faults, page } = await signedIn();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await until(page, `document.querySelectorAll('tbody tr').length >= ${ALERTS}`);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    let pressed = 4;
    for (let count = 0; count < TRIAGED; count++) {
      await page.getByRole('heading', { level: 1, name: 'Alert' }).waitFor();
      await page.getByRole('region', { name: 'Subject – Listed party' }).waitFor();
      const before = page.url();
      await page.keyboard.press('f');
      await page.keyboard.type(WHY);
      await page.keyboard.press('Control+Enter');
      pressed += 2;
      await until(page, `location.href !== ${JSON.stringify(before)}`);
    }
    const decided = (await rows()).filter(({ proposal }) => proposal !== null);
    expect(decided.map(({ proposal }) => proposal?.status)).toEqual(
      Array(TRIAGED).fill('closed_false_positive'),
    );
    expect(pressed).toBeLessThanOrEqual(3 * TRIAGED);
    expect(faults).toEqual([]);
    await context.close();

    const second = await signedIn(1);
    await open(second.page, `#/alerts/${decided[0]?.alert_id}`);
    await second.page.getByRole('button', { name: 'Confirm' }).click();
    // The proposal says the same outcome; who closed it is said once it is closed.
    await second.page.getByText('Closed by').waitFor();
    const closed = (await rows()).find(({ alert_id }) => alert_id === decided[0]?.alert_id);
    expect(closed?.status).toBe('closed_false_positive');
    await second.context.close();
  }, 120_000);

  test('several are decided at once after a look at them, and a new one is told of', async () => {
    // The latest stand first.
    for (const name of LISTED.slice(ALERTS, ALERTS + 2)) await raiseAlert(gateway, agent, { name });
    const { context, faults, page } = await signedIn();
    await open(page, '#/alerts?status=open');
    await until(page, `document.querySelectorAll('tbody tr').length >= 2`);
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 alerts selected').waitFor();
    await page.getByRole('button', { name: 'Decide the selected' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').nth(1).waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(2);
    await dialog.getByLabel('Reason').selectOption('dob_differs');
    await dialog.getByLabel('Comment').fill(WHY);
    await dialog.getByRole('button', { exact: true, name: 'Decide' }).click();
    await page.getByText('2 proposed to a second person').waitFor();
    await raiseAlert(gateway, agent, { name: LISTED[ALERTS + 2] ?? '' });
    await page.getByRole('button', { name: '1 new alert' }).click();
    await until(page, `document.querySelectorAll('tbody tr').length >= 1`);
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('a page says its name while its file comes, and is there at once again', async () => {
    const { context, faults, page } = await signedIn();
    const { promise: late, resolve: arrive } = Promise.withResolvers<void>();
    await page.route(/\/console\/assets\/page-/, async (route) => {
      await late;
      await route.continue();
    });
    await page.evaluate(`location.hash = '#/cases'`);
    await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    await page.getByText('Loading…').waitFor();
    expect(await page.title()).toBe('Cases – Compliance console');
    expect(await page.evaluate(HAS_FILTERS)).toBe(false);
    arrive();
    await until(page, HAS_FILTERS);
    await open(page, '#/account');
    expect(await page.evaluate(whenTitled('Cases', '#/cases', HAS_FILTERS))).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test('a browser that lets nothing be kept shows the alerts, and says so', async () => {
    const { context, faults, page } = await signedIn();
    await page.addInitScript(
      'for (const name of ["getItem", "setItem"])' +
        'Storage.prototype[name] = () => { throw new DOMException("no", "SecurityError"); }',
    );
    await page.reload();
    await open(page, '#/alerts?severity=High');
    await page.getByRole('button', { name: 'Save these filters' }).click();
    await page.getByLabel('Name of the filters').fill('mine');
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    await page.getByText('the filters are not saved').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test('what is hidden in a name is shown, and moves nothing around it', async () => {
    const { context, page } = await signedIn();
    await open(page, '#/screen');
    await page.getByLabel('Name, in any script').fill('\u202eTarek Velmorani');
    await page.getByRole('button', { exact: true, name: 'Screen' }).click();
    await page.getByRole('heading', { name: 'Verdict' }).waitFor();
    await open(page, '#/screenings');
    const html = await page.locator('tbody').innerHTML();
    expect(html).not.toContain('\u202e');
    await context.close();
  }, 60_000);

  test('each page, in three languages and two themes, is without a fault', async () => {
    const { context, faults, page, urls } = await signedIn();
    const [alert] = await rows();
    const routes = [
      ...['start', 'screen', 'alerts', `alerts/${alert?.alert_id}`, 'screenings'],
      'exclusions',
      ...[`screenings/${screeningId}`, 'batches', 'approvals', 'lists', 'trail', 'account'],
      ...work,
      'nowhere',
    ];
    const found = await faultsOfLooks(page, routes);
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    expect(urls.filter((url) => !url.startsWith(`${gateway.origin}/console`))).toEqual([]);
    await context.close();
  }, 480_000);

  test('who is not signed in sees how to be, and a used link says so', async () => {
    const url = await desk.link();
    const first = await browser.newContext({ locale: 'en-GB' });
    const page = await first.newPage();
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await first.close();
    const second = await browser.newContext({ locale: 'fr-FR' });
    await second.addInitScript({ content: AXE });
    const later = await second.newPage();
    await later.goto(url);
    await later.getByText('Le lien ne fonctionne pas').waitFor();
    expect(await violations(later)).toEqual([]);
    await second.close();
  }, 60_000);

  test('a session that is ended elsewhere asks for a new sign-in', async () => {
    const one = await signedIn();
    const other = await signedIn();
    await open(one.page, '#/account');
    await one.page.getByRole('button', { exact: true, name: 'End' }).first().click();
    await until(
      one.page,
      `document.querySelectorAll('section[aria-labelledby=sessions] tbody tr').length >= 1`,
    );
    await other.page.reload();
    await other.page.evaluate(`location.hash = '#/lists'`);
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await one.context.close();
    await other.context.close();
  }, 60_000);
});
