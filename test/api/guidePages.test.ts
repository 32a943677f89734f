/** /docs/guide: files that were built, under a policy without inline scripts, on both adapters. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { guidePages } from '../../src/api/guidePages.ts';
import { createHttpServer } from '../../src/api/http/index.ts';
import { fakeRequest, gatewayOf, headerOf } from './fakes.ts';
import { TECHNOLOGIES } from './http/adapters.ts';

const folder = mkdtempSync(join(tmpdir(), 'guide-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
write('en/index.html', '<!doctype html><title>Guide</title>');
write('fr/webhooks.html', '<!doctype html><title>Webhooks</title>');
write('assets/guide.css', 'body {}');
write('assets/search-en.json', '{}');
write('assets/notes.txt', 'none of ours');
write('secret.html', 'outside of every part');

const gateway = gatewayOf([], { pages: guidePages(folder) });
const get = (path: string, headers: Record<string, string> = {}) =>
  gateway.handler(fakeRequest({ headers, path }));

test.each([
  ['/docs/guide', 'text/html; charset=utf-8'],
  ['/docs/guide/en/index', 'text/html; charset=utf-8'],
  ['/docs/guide/fr/webhooks', 'text/html; charset=utf-8'],
  ['/docs/guide/assets/guide.css', 'text/css; charset=utf-8'],
  ['/docs/guide/assets/search-en.json', 'application/json'],
])('%s is served, and not again to whoever has it', async (path, contentType) => {
  const reply = await get(path);
  expect([reply.status, headerOf(reply, 'content-type')]).toEqual([200, contentType]);
  const policy = headerOf(reply, 'content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const etag = headerOf(reply, 'etag') ?? '';
  expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
});

test.each([
  '/docs/guide/en/nothing',
  '/docs/guide/en/index.html',
  '/docs/guide/en/..',
  '/docs/guide/en/../secret',
  '/docs/guide/en/%2e%2e%2fsecret',
  '/docs/guide/assets/notes.txt',
  '/docs/guide/assets/../secret.html',
  '/docs/guide/de/index',
])('%s is unknown', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a product that was not built has none, and says so as for any page', async () => {
  const bare = gatewayOf([], { pages: guidePages(join(folder, 'nowhere')) });
  expect((await bare.handler(fakeRequest({ path: '/docs/guide' }))).status).toBe(404);
});

describe.each(TECHNOLOGIES)('over %s', (technology) => {
  test('a page comes as it was built', async () => {
    const server = createHttpServer(technology, {
      bodyIdleTimeoutMs: 10_000,
      handler: gateway.handler,
      headersBytesMax: 16_384,
      headersTimeoutMs: 10_000,
      keepAliveTimeoutMs: 5_000,
      refusal: gateway.refusal,
    });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const reply = await fetch(`http://127.0.0.1:${port}/docs/guide/fr/webhooks`);
    expect([reply.status, await reply.text()]).toEqual([
      200,
      '<!doctype html><title>Webhooks</title>',
    ]);
    await server.close(1_000);
  });
});
