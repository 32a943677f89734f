/** Pages in three languages and two themes, wide and narrow: what is wrong with any of them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';

/** Goes into a browser's context as a script. */
export const AXE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const LANGUAGES = ['en', 'fr', 'ar'] as const;
const THEMES = ['light', 'dark'] as const;
const LOADING = 'Loading…|Chargement…|جارٍ التحميل…';
const [WIDE, NARROW] = [1_280, 320];
const HEIGHT = 900;

/**
 * The page's policy lets nothing be evaluated in it, so that the waiting is done outside; also
 * before the first test, where `expect.poll` may not be called.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const look = async (): Promise<void> => {
    if ((await page.evaluate(expression)) !== true) throw new Error(`never true: ${expression}`);
  };
  await vi.waitFor(look, { interval: 30, timeout: 20_000 });
}

export async function open(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
  await until(page, 'document.querySelector("main h1") !== null');
  // What was asked for has come: nothing says that it is loading.
  await until(page, `!/${LOADING}/.test(document.body.textContent)`);
}

/** Faults that axe finds in the page as it stands. */
export async function violations(page: Page): Promise<readonly string[]> {
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) =>
      id + ' ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`;
  return (await page.evaluate(run)) as readonly string[];
}

/** Faults of all these pages in all their looks; each says where it is. */
export async function faultsOfLooks(
  page: Page,
  routes: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const language of LANGUAGES) {
    for (const theme of THEMES) {
      await page.evaluate(
        `localStorage.setItem('console.language', '${language}');` +
          `localStorage.setItem('console.theme', '${theme}')`,
      );
      await page.reload();
      for (const route of routes) {
        const place = `${route} ${language} ${theme}`;
        await open(page, `#/${route}`);
        found.push(...(await violations(page)).map((fault) => `${place}: ${fault}`));
        await page.setViewportSize({ height: HEIGHT, width: NARROW });
        const isWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isWide) found.push(`${place}: scrolls sideways at ${NARROW} px`);
        await page.setViewportSize({ height: HEIGHT, width: WIDE });
      }
      const direction = await page.evaluate('getComputedStyle(document.body).direction');
      expect(direction).toBe(language === 'ar' ? 'rtl' : 'ltr');
    }
  }
  return found;
}
