/** The SDK as it is kept: what its sources make, small, and without anything of Node. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { keptSdk, sdkBundle } from '../../../scripts/writeSdk.ts';
import { onboardingPages } from '../../../src/slices/onboarding/edge/pages.ts';
import { fakeRequest } from '../../api/fakes.ts';

const BYTES_MAX = 40 * 1_024;
const STYLE = new URL('../../../packages/onboarding-sdk/sdk.css', import.meta.url);

test('is what its sources make: else run scripts/writeSdk.ts', async () => {
  const kept = await keptSdk();
  expect(await sdkBundle()).toBe(kept);
  expect(kept).not.toMatch(/node:|innerHTML|eval\(|new Function/);
  expect(kept).not.toMatch(/\bfrom\s*[`'"]|\bimport\s*\(/);
});

test('is 40 KiB at most once it is packed, with its style sheet', async () => {
  const bytes = [await keptSdk(), await readFile(STYLE)].map((one) => gzipSync(one).length);
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(BYTES_MAX);
});

test('the page binds what it loads by digest, and lets nothing else in', async () => {
  const [page, assets] = onboardingPages();
  const request = fakeRequest({ method: 'GET', path: '/o/' });
  const reply = await page?.reply({ params: {}, request });
  const html = String(reply?.body);
  const policy = Object.fromEntries(reply?.headers ?? [])['content-security-policy'];
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
  expect(policy).not.toContain('unsafe');
  expect(html).not.toMatch(/<script>|<style|\son\w+=|https?:/);
  const loaded = [...html.matchAll(/"\/o\/([^"]+)" integrity="sha256-([^"]+)"/g)];
  expect(loaded).toHaveLength(2);
  for (const [, asset = '', digest] of loaded) {
    const found = await assets?.reply({ params: { asset }, request });
    const bytes = Uint8Array.from(Buffer.from(found?.body as Uint8Array));
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64');
    expect(sha256).toBe(digest);
  }
  await expect(assets?.reply({ params: { asset: 'sdk.js' }, request })).rejects.toMatchObject({
    code: 'route-unknown',
  });
});
