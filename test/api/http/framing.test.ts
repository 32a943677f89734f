/**
 * No request that can be read in two ways is served, and none hides a second one (RFC 9112, 11.2).
 * Where the native parser of hyper-express decides before the adapter sees anything, the two tables
 * below say so; docs/decisions/0002-http-adapters.md draws the consequence.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTarget } from '../../../src/api/http/framing.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';
import { FRAMING_CASES } from './framingCases.ts';
import { countAnswers, RawClient } from './rawClient.ts';

/** uWebSockets.js (20.0.8 and 20.57.0) runs a handler for these; the adapter cannot see why not. */
const UWS_ACCEPTS: Readonly<Record<string, { reason: string; answers: number }>> = {
  'header-empty-name': {
    reason: 'ends its list of headers at a line without a name, and hides those behind it',
    answers: 2,
  },
  'cl-trailing-high-byte': {
    reason: 'trims bytes from 0x80 up off both ends of a value, as if they were spaces',
    answers: 2,
  },
  'te-trailing-high-byte': {
    reason: 'trims such bytes here too; the adapter closes after every chunked body',
    answers: 1,
  },
  'chunk-size-empty': {
    reason: 'reads no digits as 0; the adapter closes after every chunked body',
    answers: 1,
  },
  'chunk-size-leading-space': {
    reason: 'stops at the space and reads 0; the adapter closes after every chunked body',
    answers: 1,
  },
  'chunk-extension-bare-lf': {
    reason: 'waits for CR after an extension; the body never ends and times out',
    answers: 0,
  },
  'chunk-extension-nul': {
    reason: 'waits for CR after an extension; the body never ends and times out',
    answers: 0,
  },
};

/**
 * Taken by 20.0.8 for a head that is not complete yet: no handler, no answer, closed after 10 s.
 * 20.57.0 says 400 to all but `header-bare-cr` and `version-missing`.
 */
const UWS_WAITS: ReadonlySet<string> = new Set([
  'cl-vertical-tab',
  'cl-form-feed',
  'cl-nul',
  'cl-name-space-before-colon',
  'cl-name-tab-before-colon',
  'cl-name-leading-space',
  'te-vertical-tab',
  'te-nul',
  'te-name-space-before-colon',
  'te-folded',
  'header-nul-in-value',
  'header-nul-in-name',
  'header-control-in-value',
  'header-bare-cr',
  'header-bare-lf',
  'header-obs-fold',
  'header-obs-fold-tab',
  'header-obs-fold-cl',
  'header-no-colon',
  'header-name-space',
  'header-name-space-before-colon',
  'header-name-non-ascii',
  'header-name-parenthesis',
  'header-name-slash',
  'header-first-line-space',
  'host-missing-no-line',
  'host-space-before-colon',
  'version-missing',
]);

/** 400; 501 or 505 where the parser itself says so. Each ends the connection. */
const REFUSED = /^HTTP\/1\.1 (400|501|505) /;
const REFUSED_WITHIN_MS = 1_000;

test('every case has its own id, and every exception is a case', () => {
  const ids = FRAMING_CASES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([...UWS_WAITS, ...Object.keys(UWS_ACCEPTS)]));
});

describe.each(TECHNOLOGIES)('%s: ambiguous framing', (technology) => {
  let running: Running;
  let runs: string[] = [];

  beforeAll(async () => {
    running = await start(technology, async (request) => {
      if (request.path === '/fence') return text('fence');
      runs.push(`${request.method} ${request.path}`);
      await request.body(1_000);
      return text('served');
    });
  });

  afterAll(() => running.server.close(0));

  /** Asked and answered after the bytes of a case, so the server has read those. */
  async function fence(): Promise<void> {
    const client = await RawClient.open(running.port);
    client.write('GET /fence HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await client.answer()).body).toBe('fence');
    client.end();
  }

  test.each(FRAMING_CASES)('$id is refused (RFC 9112, $rfc)', async ({ id, bytes }) => {
    runs = [];
    const client = await RawClient.open(running.port);
    client.write(bytes);
    const isExcepted = technology === 'hyper-express' && (UWS_WAITS.has(id) || id in UWS_ACCEPTS);
    if (isExcepted) {
      await fence();
      await fence();
      const accepted = UWS_ACCEPTS[id];
      expect(countAnswers(client.received)).toBeLessThanOrEqual(accepted?.answers ?? 1);
      if (accepted === undefined) expect(runs).toEqual([]);
      if (accepted === undefined && client.received) expect(client.received).toMatch(REFUSED);
    } else {
      const end = await client.until(() => false, REFUSED_WITHIN_MS);
      expect(end).toBe('closed');
      if (client.received !== '') expect(client.received).toMatch(REFUSED);
      expect(countAnswers(client.received)).toBeLessThanOrEqual(1);
      expect(runs).toEqual([]);
    }
    client.end();
  });

  test('a refusal is a problem document and says that the connection ends', async () => {
    const client = await RawClient.open(running.port);
    client.write('GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n');
    const answer = await client.answer();
    expect(answer.status).toBe(400);
    expect(answer.headers.get('connection')).toBe('close');
    // One of the two of its parser refuses first; only node:http lets us say how.
    if (technology === 'node:http') expect(answer.body).toBe('{"code":"framing-ambiguous"}');
    expect(await client.until(() => false)).toBe('closed');
  });

  // The native parser of hyper-express ends the connection without asking what is due on it.
  if (technology === 'node:http') {
    test('an answer that is due is given, then the connection ends and hears nothing', async () => {
      const client = await RawClient.open(running.port);
      client.write(`GET /fence HTTP/1.1\r\nHost: h\r\n\r\nGET /\0 HTTP/1.1\r\nHost: h\r\n\r\n`);
      expect(await client.until(() => false, REFUSED_WITHIN_MS)).toBe('closed');
      expect(countAnswers(client.received)).toBe(1);
      expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
      expect(client.received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    });
  }

  test('`get` is not GET', async () => {
    runs = [];
    const client = await RawClient.open(running.port);
    client.write('get /case HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.answer();
    expect(runs).not.toContain('GET /case');
    client.end();
  });

  test('a head above the limit is 431, as a problem document', async () => {
    const client = await RawClient.open(running.port);
    client.write(`GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(16_500)}\r\n\r\n`);
    const answer = await client.answer();
    expect([answer.status, answer.body]).toEqual([431, '{"code":"headers-too-large"}']);
    expect(await client.until(() => false)).toBe('closed');
  });

  test('a head just below the limit is served', async () => {
    const client = await RawClient.open(running.port);
    client.write(`GET /fence HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(16_000)}\r\n\r\n`);
    expect((await client.answer()).status).toBe(200);
    client.end();
  });

  test('a head that comes byte by byte is one request', async () => {
    const client = await RawClient.open(running.port);
    // uWebSockets.js 20.0.8 answers 505 where the first line comes torn behind the target.
    const line = 'GET /fence HTTP/1.1\r\n';
    const torn = technology === 'node:http' ? [...line] : [line];
    for (const byte of [...torn, ...'Host: h\r\nX: y\r\n\r\n']) {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await client.answer()).body).toBe('fence');
    client.end();
  });
});

describe('request targets (RFC 9112, 3.2)', () => {
  test.each([
    ['GET', '/a?b=1', { path: '/a', query: 'b=1' }],
    ['GET', '/a?b?c', { path: '/a', query: 'b?c' }],
    ['GET', '/?', { path: '/', query: '' }],
    ['GET', '//a/../b', { path: '//a/../b', query: '' }],
    ['GET', '/%00%zz', { path: '/%00%zz', query: '' }],
    ['GET', 'http://h/a?b', { path: '/a', query: 'b' }],
    ['GET', 'HTTP://H', { path: '/', query: '' }],
    ['GET', 'https://h?q', { path: '/', query: 'q' }],
    ['OPTIONS', '*', { path: '*', query: '' }],
  ])('%s %s is understood', (method, target, expected) => {
    expect(parseTarget(method, target, 'h')).toEqual(expected);
  });

  test.each([
    ['GET', '*'],
    ['GET', ''],
    ['GET', 'a'],
    ['GET', '/a#b'],
    ['GET', '/a b'],
    ['GET', '/ä'],
    ['GET', 'http://other/'],
    ['GET', 'http:///a'],
    ['GET', 'ftp://h/'],
    ['CONNECT', 'h:80'],
  ])('%s %s is refused', (method, target) => {
    expect(parseTarget(method, target, 'h')).toBeUndefined();
  });
});
