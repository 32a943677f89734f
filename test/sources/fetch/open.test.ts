/** The commercial feed as the environment configures it: its secret is read with every token. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { loadConfig } from '#platform/config';
import { systemRandom } from '#platform/random';
import { newSource } from '#slices/ingestion';
import type { ClosableFetcher } from '../../../src/sources/fetch/index.ts';
import { openListFetcher } from '../../../src/sources/fetch/open.ts';

let folder: string;
let secretFile: string;
let server: Server;
let origin: string;
let fetcher: ClosableFetcher;
let authorizations: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feed-'));
  secretFile = join(folder, 'secret');
  authorizations = [];
  server = createServer(({ headers, url }, response) => {
    authorizations.push(headers.authorization);
    response.end(url === '/token' ? '{"access_token":"t0ken","token_type":"bearer"}' : 'feed');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fetcher = openListFetcher({
    clock: systemClock,
    config: loadConfig({
      COMMERCIAL_CLIENT_ID: 'bank',
      COMMERCIAL_CLIENT_SECRET_FILE: secretFile,
      COMMERCIAL_TOKEN_URL: `${origin}/token`,
      DATA_DIR: folder,
      FETCH_ALLOWED_HOSTS: '127.0.0.1',
    }),
    random: systemRandom,
  });
});

afterEach(async () => {
  await fetcher.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const fetchFeed = (at = origin, log: string[] = []) =>
  fetcher.fetch({
    kind: 'full',
    onLog: (_, text) => log.push(text),
    signal: AbortSignal.timeout(10_000),
    source: { ...newSource('COMMERCIAL_WATCHLIST'), url: `${at}/feed` },
  });

test('a token is asked for with the secret, and the feed with the token', async () => {
  writeFileSync(secretFile, 's3cret\n');
  expect((await fetchFeed()).status).toBe('fetched');
  const basic = `Basic ${Buffer.from('bank:s3cret').toString('base64')}`;
  expect(authorizations).toEqual([basic, 'Bearer t0ken']);
});

test('a source that was pointed elsewhere takes no token there', async () => {
  writeFileSync(secretFile, 's3cret\n');
  const other = createServer(({ headers }, response) => {
    authorizations.push(headers.authorization);
    response.end('feed');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const log: string[] = [];
  const { port } = other.address() as AddressInfo;
  expect((await fetchFeed(`http://127.0.0.1:${port}`, log)).status).toBe('fetched');
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
  expect(authorizations).toEqual([undefined]);
  expect(log).toContain(`without a token: that is for ${origin} alone`);
});

test.each([
  ['ENOENT', undefined],
  ['an empty file', ' \n'],
  ['5000 characters', 's'.repeat(5_000)],
])('%s instead of a secret is told by the variable’s name alone', async (got, content) => {
  if (content !== undefined) writeFileSync(secretFile, content);
  const failed = await fetchFeed().catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'list-unreachable',
    message: `COMMERCIAL_CLIENT_SECRET_FILE: expected the client secret, got ${got}`,
  });
  expect(authorizations).toEqual([]);
});
