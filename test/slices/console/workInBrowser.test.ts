/** Cases, rules and reports worked on in a real browser, by the two persons of a sandbox. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { RunningWork } from '../../../src/slices/processes.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { hasBrowser, openBrowser } from '../onboarding/browser.ts';
import { registerBrowserKey } from './browserKey.ts';
import { consoleDesk } from './consoleDesk.ts';
import { open } from './everyLook.ts';
import { caseWork, draftReport, sendPayments } from './workData.ts';

interface Seen {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly faults: string[];
}

describe.skipIf(!hasRedis || !hasBrowser)('work in the console', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let browser: Browser;
  let desk: ReturnType<typeof consoleDesk>;
  let officer: Caller;
  let worker: RunningWork;
  let people: readonly [Seen, Seen];

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    tenantId = await gateway.tenant('sandbox');
    desk = consoleDesk(gateway, tenantId);
    officer = await gateway.caller(tenantId, 'compliance_officer', 'developer');
    worker = await caseWork(gateway);
    browser = await openBrowser();
    people = [await signedIn(0), await signedIn(1)];
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await worker?.stop();
    await gateway?.close();
  });

  /** A person in a browser of their own, whose key is registered. */
  async function signedIn(person: number): Promise<Seen> {
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => void faults.push(String(error)));
    await page.goto(await desk.link(person));
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await registerBrowserKey(page, { desk, gateway, person, tenantId });
    return { context, faults, page };
  }
  const said = (page: Page, text: RegExp | string) => page.getByText(text).first().waitFor();

  test('a case is opened, checked, approved by one person and confirmed by another', async () => {
    const [{ faults, page }, other] = people;
    await open(page, '#/cases');
    await page.getByRole('button', { name: 'Open four invented cases' }).click();
    await page.getByRole('link', { name: /^example-tarek/ }).waitFor({ timeout: 60_000 });
    const find = async () =>
      (await officer.get('/v1/kyc/cases?limit=10'))
        .json<{ data: { case_id: string; external_ref: string; status: string }[] }>()
        .data.find(({ external_ref }) => external_ref.startsWith('example-tarek'));
    await expect
      .poll(async () => (await find())?.status, { interval: 200, timeout: 60_000 })
      .toBe('manual_review');
    const id = (await find())?.case_id ?? '';
    await open(page, `#/cases/${id}`);
    await page
      .getByRole('row', { name: /^Lists/ })
      .getByText('for a person')
      .waitFor();
    await page.getByRole('button', { name: 'Look at it: Passport' }).click();
    const number = page.getByRole('row', { name: /^Number K/ });
    await number.waitFor();
    expect(await number.textContent()).toMatch(/K2219047.*K2219048.*differs/);
    await page.getByLabel('Approve').check();
    await page.getByLabel('Reason').selectOption('hit_cleared');
    await page.getByLabel('In words').fill('Another place of birth, by the registry');
    await page.getByRole('button', { exact: true, name: 'Decide' }).click();
    await said(page, 'Approval waits for a second person');
    expect(await page.getByRole('button', { exact: true, name: 'Confirm' }).count()).toBe(0);

    await open(other.page, `#/cases/${id}`);
    await other.page.getByRole('button', { exact: true, name: 'Confirm' }).click();
    await said(other.page, /^✓ Approved$/);
    await other.page.getByLabel('Look at it again').check();
    await other.page.getByLabel('Reason').selectOption('new_information');
    await other.page.getByLabel('In words').fill('The list has changed since');
    await other.page.getByRole('button', { exact: true, name: 'Decide' }).click();
    await said(other.page, /^◆ In review$/);
    expect([...faults, ...other.faults]).toEqual([]);
  }, 180_000);

  test('a payment says what is advised of it, and why', async () => {
    const [{ faults, page }] = people;
    await sendPayments(officer);
    await open(page, '#/transactions');
    await page
      .getByRole('row', { name: /Tarek Velmorani/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { level: 1, name: 'Transaction' }).waitFor();
    await said(page, 'Hold it');
    await page
      .getByRole('row', { name: /^Payee/ })
      .getByText('Sanctions match')
      .waitFor();
    expect(await page.getByRole('link', { name: 'Evidence' }).count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  }, 60_000);

  test('a rule is mended by its violations, tried, and signed by two', async () => {
    const [{ faults, page }, other] = people;
    await open(page, '#/rules/new?edit=first');
    const document = page.getByLabel('The document (JSON)');
    const whole = await document.inputValue();
    await document.fill(whole.replace('"P7D"', '"seven"').replace('"Medium"', '"Medium2"'));
    await page.getByLabel('Why', { exact: true }).fill('Cash within a week');
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    const place = page.getByRole('button', { name: '/severity' });
    await place.waitFor();
    await place.click();
    expect(await page.evaluate(SELECTED)).toBe('"Medium2"');
    await document.fill(whole);
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rule' }).waitFor();
    await said(page, /most.*\(15000\)/);
    await page.getByRole('button', { name: 'Run it on the last 200' }).click();
    await said(page, /transactions, \d+ of them looked at/);
    await page.getByRole('button', { name: 'Put it in shadow' }).click();
    await said(page, '0 alerts about 0 subjects');
    await page.getByRole('button', { name: 'Sign with the key of this browser' }).click();
    await said(page, 'You have signed it.');
    await page.getByRole('button', { name: 'Ask for the signatures' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Cash within a week');
    await dialog.getByRole('button', { name: 'Ask for the signatures' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approval' }).waitFor();

    await open(other.page, '#/approvals');
    await other.page.getByRole('link', { name: /monitoring_rule:OWN-CASH-01/ }).click();
    await other.page.getByRole('button', { name: 'Sign with the key of this browser' }).click();
    await said(other.page, 'Applied');
    await open(other.page, '#/rules/OWN-CASH-01');
    await said(other.page, /^✓ In force$/);
    expect([...faults, ...other.faults]).toEqual([]);
  }, 120_000);

  test('a report exists for whom it may: drafted, validated by another person, filed', async () => {
    const [{ faults, page }, other] = people;
    const id = await draftReport(officer);
    await open(other.page, `#/reports/${id}`);
    await said(other.page, 'str-unknown');
    await open(other.page, '#/reports');
    await said(other.page, 'There is nothing here yet.');

    await open(page, `#/reports/${id}`);
    await page.getByRole('button', { exact: true, name: 'Look at it' }).click();
    await said(page, 'It is complete.');
    await page.getByRole('button', { name: 'Hand it to validation' }).click();
    await said(page, 'A data protection officer looks at it.');

    await open(other.page, `#/reports/${id}?now`);
    await other.page.getByLabel('Each person in it is needed').check();
    await other.page.getByLabel('Until when it is kept').check();
    const sign = other.page.getByRole('button', { name: 'Sign with the key of this browser' });
    expect(await sign.isDisabled()).toBe(true);
    await other.page.getByLabel('None', { exact: true }).check();
    await sign.click();
    // From here on it is no longer for the officer.
    await said(other.page, 'str-unknown');

    await open(page, '#/reports');
    await open(page, `#/reports/${id}`);
    await page.getByRole('button', { exact: true, name: 'File it' }).click();
    await page.getByRole('heading', { level: 2, name: 'Filed' }).waitFor();
    await page.getByLabel('Reference of the authority').fill('FIU-2026-000123');
    await page.getByRole('button', { exact: true, name: 'Save' }).click();
    await said(page, 'FIU-2026-000123');
    expect([...faults, ...other.faults]).toEqual([]);
  }, 120_000);
});

const SELECTED =
  'document.activeElement.value.slice(document.activeElement.selectionStart,' +
  'document.activeElement.selectionEnd)';
