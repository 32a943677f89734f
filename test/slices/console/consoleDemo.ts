/**
 * Something to look at on the pages of administration: made by the buttons that a sandbox has for
 * it, and by the workers that a gateway in production has beside it.
 */
import type { Page } from 'playwright-core';
import { scheduled, start as startPrivacy } from '../../../src/slices/privacy/edge/jobs.ts';
import { start as startRisk } from '../../../src/slices/risk/edge/jobs.ts';
import { start as startTax } from '../../../src/slices/tax/edge/jobs.ts';
import type { RealGateway } from '../../api/realGateway.ts';
import { open, until } from './everyLook.ts';

/** Until `stop`: backtests, shadows, plans, archives and declarations are worked on. */
export function startWorkers({ process }: Pick<RealGateway, 'process'>) {
  const running = [startPrivacy, startRisk, startTax].map((start) => start(process as never));
  return {
    /** What falls due every ten seconds, now: plans of erasures, and archives. */
    async prepare(): Promise<void> {
      for (const { run } of scheduled(process as never)) await run();
    },
    stop: async (): Promise<void> => {
      for (const one of running) await one.stop();
    },
  };
}

const goTo = (page: Page, route: string): Promise<void> => open(page, `#/${route}`);

const pressed = async (page: Page, name: RegExp | string): Promise<void> =>
  page.getByRole('button', { name }).click();

const routeIn = (hash: unknown): string => String(hash).replace('#/', '');

const routeOf = async (page: Page, wanted: string): Promise<string> => {
  const link = page.locator(wanted).first();
  await link.waitFor();
  return routeIn(await link.getAttribute('href'));
};

/** Of compliance: a risk policy with its reports, a draft, two requests, a form. */
export async function demoOfCompliance(
  page: Page,
  workers: ReturnType<typeof startWorkers>,
): Promise<readonly string[]> {
  await goTo(page, 'risk');
  await pressed(page, /^Draft an example/);
  await page.getByRole('img', { name: 'Levels before and after' }).nth(1).waitFor();
  const risk = routeIn(await page.evaluate('location.hash'));
  await goTo(page, 'policies');
  await goTo(page, await routeOf(page, 'th a'));
  await pressed(page, 'Draft from this version');
  await until(page, 'document.body.textContent.includes("Discard the draft")');
  const policy = routeIn(await page.evaluate('location.hash'));
  await goTo(page, 'privacy');
  await pressed(page, /^Make examples/);
  const erasure = await routeOf(page, 'th a:has-text("example-erase")');
  const copy = await routeOf(page, 'th a:has-text("example-export")');
  await workers.prepare();
  await goTo(page, erasure);
  await page.getByRole('heading', { name: 'What would be erased, and what is kept' }).waitFor();
  await goTo(page, 'forms');
  await pressed(page, 'Make an example form');
  const form = await routeOf(page, 'th a[href^="#/forms/"]');
  const pages = ['risk', risk, 'policies', policy, 'privacy', erasure, copy, 'forms', form];
  return pages;
}

/** Of administration: an institution with accounts, and a declaration with what was found in it. */
export async function demoOfAdministration(page: Page): Promise<readonly string[]> {
  await goTo(page, 'tax');
  await pressed(page, /^Make an example/);
  const declaration = await routeOf(page, 'th a');
  const accounts = await routeOf(page, 'td a[href*="giin="]');
  return ['tax', declaration, accounts];
}
