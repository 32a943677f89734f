/** The console as it is kept: what its sources make, within its budgets, and nothing of Node. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ConsoleFiles, consoleFiles, keptConsole } from '../../../scripts/writeConsole.ts';
import { filePages } from '../../../src/slices/console/edge/filePages.ts';
import { fakeRequest } from '../../api/fakes.ts';

const FOLDER = join(import.meta.dirname, '../../../packages/console');
const KB = 1_000;
/** Of interface: what the first page loads, one more chunk, everything, and one language. */
const BUDGET = { all: 350 * KB, catalogue: 15 * KB, css: 20 * KB, further: 40 * KB, js: 90 * KB };

const packed = (text: string): number => gzipSync(text).length;
const sizesOf = (files: ConsoleFiles, wanted: RegExp): readonly number[] =>
  [...files].filter(([name]) => wanted.test(name)).map(([, text]) => packed(text));
const sum = (sizes: readonly number[]): number => sizes.reduce((all, one) => all + one, 0);

test('is what its sources make: else run scripts/writeConsole.ts', async () => {
  const kept = await keptConsole();
  expect([...(await consoleFiles())].sort()).toEqual([...kept].sort());
  for (const text of kept.values()) expect(text).not.toMatch(/node:|\beval\(|new Function/);
});

test('its sources write no HTML of their own: Preact makes elements', () => {
  const texts = globSync('src/**/*.{ts,tsx}', { cwd: FOLDER }).map((path) =>
    readFileSync(join(FOLDER, path), 'utf8'),
  );
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter((text) => /innerHTML|InnerHTML|insertAdjacentHTML/.test(text))).toEqual([]);
});

test('keeps its budgets, packed', async () => {
  const kept = await keptConsole();
  const first = sum(sizesOf(kept, /^console-.*\.js$/));
  const style = sum(sizesOf(kept, /\.css$/));
  const further = sizesOf(kept, /^(?!console-).*\.js$/);
  console.log(
    `console, gzip: ${first} B of script, ${style} B of style, ${further.join(' and ')} B`,
  );
  expect(first).toBeLessThanOrEqual(BUDGET.js);
  expect(style).toBeLessThanOrEqual(BUDGET.css);
  expect(Math.max(...further)).toBeLessThanOrEqual(BUDGET.further);
  expect(Math.max(...sizesOf(kept, /^(ar|fr)-.*\.js$/))).toBeLessThanOrEqual(BUDGET.catalogue);
  expect(sum(sizesOf(kept, /./))).toBeLessThanOrEqual(BUDGET.all);
});

test('its style knows no left and no right, so that Arabic needs no other', () => {
  const style = readFileSync(
    new URL('../../../packages/console/console.css', import.meta.url),
    'utf8',
  );
  expect(style.match(/\b(left|right)\b/g)).toBeNull();
});

test('the page lets nothing else in, and its files are known by their content', async () => {
  const [page, , assets] = filePages();
  const reply = await page?.reply({ params: {}, request: fakeRequest({ path: '/console' }) });
  const html = String(reply?.body);
  const headers = Object.fromEntries(reply?.headers ?? []);
  // The order of directives says nothing.
  const directives = (policy = '') => policy.split('; ').sort();
  expect(directives(headers['content-security-policy'])).toEqual(
    directives(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    ),
  );
  expect(headers['cache-control']).toBe('no-cache');
  expect(html).not.toMatch(/<script>|<style|\son\w+=|https?:/);
  const known = { 'if-none-match': headers.etag ?? '' };
  const again = await page?.reply({
    params: {},
    request: fakeRequest({ headers: known, path: '/console' }),
  });
  expect(again?.status).toBe(304);
  const names = [...html.matchAll(/\/console\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
  expect(names).toHaveLength(2);
  for (const asset of names) {
    const sizes = new Map<string, number>();
    for (const coding of ['br', 'gzip', '']) {
      const request = fakeRequest({ headers: { 'accept-encoding': coding }, path: '/' });
      const found = await assets?.reply({ params: { asset }, request });
      const own = Object.fromEntries(found?.headers ?? []);
      expect(own['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(own['content-encoding'] ?? '').toBe(coding);
      sizes.set(coding, Buffer.from(found?.body as Uint8Array).length);
    }
    expect(sizes.get('br')).toBeLessThan(sizes.get('') ?? 0);
  }
  const request = fakeRequest({ path: '/' });
  await expect(assets?.reply({ params: { asset: 'console.js' }, request })).rejects.toMatchObject({
    code: 'route-unknown',
  });
});
