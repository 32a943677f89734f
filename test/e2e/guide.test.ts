/**
 * The guide on the product as it is started: its examples are run page by page, as a reader would
 * type them, and its pages are looked at in a real browser.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, openBrowser } from '../slices/onboarding/browser.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  NPM_COMMAND,
  newFolder,
  startProduct,
} from './product.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILDER = pathToFileURL(join(ROOT, 'scripts/buildGuide.mjs')).href;
const { GUIDE_PAGES: PAGES } = (await import(BUILDER)) as { GUIDE_PAGES: readonly string[] };
const MARK = '\u0001';

interface Example {
  readonly script: string;
  /** Lines that it prints, in order, where the page shows them; `…` stands for anything. */
  readonly shown: readonly string[];
}

function examplesOf(page: string): Example[] {
  const text = readFileSync(join(ROOT, `docs/guide/en/${page}.md`), 'utf8');
  const blocks = text.matchAll(/^```sh run\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?/gms);
  return [...blocks].map(([, script = '', shown = '']) => ({
    script,
    shown: shown.split('\n').filter((line) => line !== ''),
  }));
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );

/** Lines of what was shown that were not printed, each behind the one before. */
function missing(shown: readonly string[], printed: string): readonly string[] {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let at = 0;
  return shown.filter((line) => {
    const found = lines.findIndex((one, index) => index >= at && patternOf(line).test(one));
    if (found !== -1) at = found + 1;
    return found === -1;
  });
}

describe.skipIf(!isRedisHere)('the guide', () => {
  let dataDir = '';
  let first: FirstRun;
  const [setUp] = examplesOf('quick-start');

  beforeAll(async () => {
    // The limit of a start is for the start alone.
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT });
    dataDir = join(newFolder(), 'data');
    first = await startProduct(dataDir, {}, NPM_COMMAND).ready();
  });
  afterAll(cleanUp);

  async function run(examples: readonly Example[]) {
    const mark = `printf '${MARK}\\n'`;
    const script = [
      'set -euo pipefail',
      ...examples.flatMap((example) => [example.script, mark]),
    ].join('\n');
    const { HOME, PATH, TMPDIR } = process.env;
    const env = { DATA_DIR: dataDir, HOME, LANG: 'C.UTF-8', PATH, TMPDIR: TMPDIR ?? newFolder() };
    const child = spawn('bash', { cwd: ROOT, env });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.end(script);
    const [code] = (await once(child, 'close')) as [number];
    return { code, err, printed: out.split(`${MARK}\n`) };
  }

  test.each(PAGES)('examples of %s do what the page says', async (page) => {
    const examples = page === 'quick-start' ? [] : setUp === undefined ? [] : [setUp];
    const all = [...examples, ...examplesOf(page)];
    expect(all.length).toBeGreaterThan(1);
    const { code, err, printed } = await run(all);
    expect(code, `${err}\n${printed.join('---\n')}`).toBe(0);
    const lost = all.flatMap(({ shown }, at) => missing(shown, printed[at] ?? ''));
    expect(lost, printed.join('---\n')).toEqual([]);
  });

  describe.skipIf(!hasBrowser)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());

    test.each(['en', 'fr'])(
      'every page of %s fits a small screen, and asks no other host',
      async (language) => {
        const page = await browser.newPage({ viewport: { height: 640, width: 320 } });
        const [asked, faults]: [Set<string>, string[]] = [new Set(), []];
        page.on('request', (request) => asked.add(new URL(request.url()).origin));
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(message.text());
        });
        page.on('pageerror', (error) => faults.push(String(error)));
        for (const name of ['index', ...PAGES]) {
          await page.goto(`${first.origin}/docs/guide/${language}/${name}`);
          expect(await page.locator('h1').count(), name).toBe(1);
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          expect(wide, name).toBeLessThanOrEqual(320);
        }
        expect([[...asked], faults]).toEqual([[first.origin], []]);
        await page.close();
      },
    );

    test('a word is found by keys alone', async () => {
      const page = await browser.newPage();
      await page.goto(`${first.origin}/docs/guide`);
      await page.keyboard.press('/');
      await page.keyboard.type('attestation');
      await page.locator('#found a').first().waitFor();
      await page.keyboard.press('Tab');
      // Past the two links of the head.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      const focused = await page.evaluate('document.activeElement.closest("#found") !== null');
      expect(focused).toBe(true);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/guide\/(en|reference)\//);
      await page.keyboard.press('/');
      await page.keyboard.type('qqqqzzzz');
      await page.getByText('Nothing was found.').waitFor();
      await page.close();
    });
  });
});
