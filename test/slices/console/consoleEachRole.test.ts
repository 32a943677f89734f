/** Each page with each role: it shows what the API lets in, and asks for nothing else. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPersonAdmin, type Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { LOCAL_ISSUER, sandboxPersons } from '#slices/console';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { hasBrowser, openBrowser } from '../onboarding/browser.ts';
import { consoleDesk } from './consoleDesk.ts';
import { open } from './everyLook.ts';

const ROLES: readonly Role[] = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'auditor',
  'admin',
  'developer',
];
const PAGES = [
  'start',
  'screen',
  'alerts',
  'exclusions',
  'screenings',
  'cases',
  'transactions',
  'rules',
  'reports',
  'batches',
  'approvals',
  'lists',
  'policies',
  'risk',
  'tax',
  'privacy',
  'forms',
  'trail',
  'account',
];
const FORBIDDEN = 'Your roles do not open this page.';

describe.skipIf(!hasRedis || !hasBrowser)('the console for each role', () => {
  let gateway: RealGateway;
  let browser: Browser;
  let tenantId: TenantId;
  let desk: ReturnType<typeof consoleDesk>;

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    tenantId = await gateway.tenant('sandbox');
    desk = consoleDesk(gateway, tenantId);
    browser = await openBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** Where a person of this one role stands among those of the sandbox. */
  async function personOf(role: Role): Promise<number> {
    const { ports } = desk;
    const ask = { actor: 'cli:test', tenantId } as const;
    await sandboxPersons(ports, ask);
    const { id } = await createPersonAdmin({ ...ports, store: ports.identity }).add({
      ...ask,
      accounts: [{ issuer: LOCAL_ISSUER, subject: role }],
      name: role,
      roles: [role],
    });
    return (await sandboxPersons(ports, ask)).findIndex((person) => person.id === id);
  }

  async function signedIn(
    role: Role,
  ): Promise<{ readonly page: Page; readonly refused: string[] }> {
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url().replace(gateway.origin, ''));
    });
    await page.goto(await desk.link(await personOf(role)));
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    return { page, refused };
  }

  test.each(ROLES)(
    '%s',
    async (role) => {
      const { page, refused } = await signedIn(role);
      const linked = await page.evaluate(
        `[...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href').slice(2))`,
      );
      for (const name of PAGES) {
        await open(page, `#/${name}`);
        const title = await page.getByRole('heading', { level: 1 }).textContent();
        const isLinked = (linked as string[]).includes(name);
        expect.soft([name, title === FORBIDDEN]).toEqual([name, !isLinked]);
      }
      // What is shown asks for nothing that is refused.
      expect(refused).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
});
