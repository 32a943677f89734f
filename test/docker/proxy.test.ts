/**
 * The proxy's own configuration on a real nginx (skipped aloud without one): large uploads reach a
 * gateway while they are still being sent, and what the proxy refuses is a problem document.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

const CONF = readFileSync(join(import.meta.dirname, '../../docker/proxy.conf'), 'utf8');
const isNginxHere = spawnSync('nginx', ['-v']).status === 0;
if (!isNginxHere) console.warn('SKIPPED: the proxy needs nginx in PATH');
const GIB = 1024 ** 3;

describe.skipIf(!isNginxHere)('the proxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  let gateway: Server;
  let nginx: ChildProcess;
  let port: number;
  /** Resolves with the first bytes of a body that a gateway sees. */
  let seen = Promise.withResolvers<{ length: string | undefined; bytes: number }>();

  beforeAll(async () => {
    gateway = createServer((incoming, response) => {
      incoming.on('error', () => undefined); // the test's client leaves
      incoming.once('data', (chunk: Buffer) => {
        seen.resolve({ bytes: chunk.length, length: incoming.headers['content-length'] });
      });
      incoming.resume().on('end', () => response.end('screened'));
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    port = await portOf(createServer());
    mkdirSync(join(folder, 'temp'));
    writeFileSync(join(folder, 'nginx.conf'), configured(await portOf(gateway), port));
    nginx = spawn(
      'nginx',
      ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'],
      {
        stdio: 'ignore',
      },
    );
    const isUp = () => fetch(`http://127.0.0.1:${port}/healthz`).then(Boolean, () => false);
    await vi.waitUntil(isUp, { interval: 50, timeout: 20_000 });
  });
  afterAll(async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    gateway.closeAllConnections();
    gateway.close();
    rmSync(folder, { force: true, recursive: true });
  });

  /** As it is, but for the names of hosts; `resolve` is nginx 1.27.3's. */
  function configured(upstream: number, listen: number): string {
    const own = CONF.replace('gateway1:8080 resolve', `127.0.0.1:${upstream}`)
      .replace('gateway2:8080 resolve', '127.0.0.1:9 backup')
      .replace('listen 8080', `listen 127.0.0.1:${listen}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path temp/${name};`)
      .join(' ');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    return `${user} pid nginx.pid; events {} http { access_log off; ${paths} ${own} }`;
  }

  async function portOf(server: Server): Promise<number> {
    const isOurs = !server.listening;
    if (isOurs) await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (isOurs) server.close();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  function upload(path: string, length: number) {
    seen = Promise.withResolvers();
    const headers = { 'Content-Length': length, 'Content-Type': 'application/octet-stream' };
    const sent = request({ headers, host: '127.0.0.1', method: 'POST', path, port });
    sent.on('error', () => undefined); // it is cut off on purpose
    return sent;
  }

  async function replyTo(sent: ReturnType<typeof upload>) {
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    let body = '';
    for await (const part of response.setEncoding('utf8')) body += part;
    return { body, status: response.statusCode, type: response.headers['content-type'] };
  }

  test('hands an upload of 8 GiB on while it is being sent', async () => {
    for (const path of ['/v1/aml/batches/csv', '/v1/aml/batches']) {
      const sent = upload(path, 8 * GIB);
      sent.write(Buffer.alloc(64 * 1024));
      expect(await seen.promise).toMatchObject({ length: String(8 * GIB) });
      sent.destroy();
    }
  });

  test.each([
    ['/v1/aml/batches/csv', 9 * GIB],
    ['/v1/sanctions/screen/batch', 65 * 1024 ** 2],
    ['/v1/sanctions/screen', 2 * 1024 ** 2],
  ])('%s: more than it takes is a problem document', async (path, length) => {
    const sent = upload(path, length);
    sent.flushHeaders();
    const { body, status, type } = await replyTo(sent);
    expect({ status, type }).toEqual({ status: 413, type: 'application/problem+json' });
    expect(JSON.parse(body)).toMatchObject({ code: 'body-too-large', status: 413 });
    sent.destroy();
  });

  test('figures are not handed out', async () => {
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
  });

  test('without a gateway it says 503, as a problem document', async () => {
    gateway.closeAllConnections();
    gateway.close();
    const response = await fetch(`http://127.0.0.1:${port}/v1/sanctions/lists`);
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'not-ready', errors: [], status: 503 });
  });
});

test('names of gateways are asked for again, so that one made anew is found', () => {
  expect(CONF).toMatch(/^resolver 127\.0\.0\.11 valid=\d+s/m);
  expect(CONF.match(/server gateway\d:8080 resolve /g)).toHaveLength(2);
  expect(CONF).toContain('zone gateways');
});
