/** Registries behind HTTP: asked, logged in to, read, disbelieved, and left alone while down. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { httpRegistry, readRegistryConfig } from '#slices/registries';

const MAP = '"map":{"identifier":"/a","legal_name":"/b"}';
const LOGIN = '{"file":"f","token":"/t","url":"http://a/"}';

describe('a registry behind HTTP', () => {
  let server: Server | undefined;
  const dispatcher = new Agent();
  afterEach(async () => {
    await new Promise((done) => (server === undefined ? done(0) : server.close(done)));
    server = undefined;
  });
  afterAll(() => dispatcher.close());

  async function registryOf(
    serve: (request: IncomingMessage, response: ServerResponse) => void,
    isLoggedIn = false,
  ) {
    server = createServer(serve).listen(0, '127.0.0.1');
    await new Promise((done) => server?.once('listening', done));
    const { port } = server.address() as AddressInfo;
    const time = { ms: 0 };
    const base = `http://127.0.0.1:${port}`;
    const registry = httpRegistry({
      clock: { monotonicMs: () => time.ms, now: () => 1_767_225_600_000 as never },
      config: {
        ...(isLoggedIn
          ? { login: { file: '/login', token: '/token', url: `${base}/login` } }
          : { header: { file: '/secret', name: 'X-Key' } }),
        list: '/results',
        map: {
          identifier: '/siren',
          legal_name: '/unite/nom~1complet',
          'registered_office.city': '/siege/ville',
          status: '/etat',
        },
        searchUrl: `${base}/search?q={name}`,
        statuses: { active: ['A'], struck_off: ['C'] },
        url: `${base}/companies/{identifier}`,
      },
      dispatcher,
      registry: 'RNE_FR',
      secretOf: async (file) => (file === '/login' ? '{"username":"u","password":"p"}' : 's3cret'),
    });
    return { registry, time };
  }
  const COMPANY = {
    etat: 'A',
    siege: { ville: 'Paris' },
    siren: '732829320',
    unite: { 'nom/complet': 'Exemple SAS' },
  };
  const away = expect.objectContaining({ code: 'registry-unavailable' });

  test('is asked with its header, and read where the operator said', async () => {
    const { registry } = await registryOf((request, response) => {
      const isKnown =
        request.url === '/companies/732829320' && request.headers['x-key'] === 's3cret';
      response.statusCode = isKnown ? 200 : 404;
      response.end(isKnown ? JSON.stringify(COMPANY) : '');
    });
    const found = await registry.find({ identifier: '732829320' });
    expect(found).toMatchObject({
      companies: [
        { legal_name: 'Exemple SAS', registered_office: { city: 'Paris' }, status: 'active' },
      ],
      source: 'live',
    });
    expect((await registry.find({ identifier: '552100554' })).companies).toEqual([]);
  });

  test('is logged in to once, and again when it refuses its token', async () => {
    const logins: string[] = [];
    let good = 'none';
    const { registry } = await registryOf((request, response) => {
      if (request.url !== '/login') {
        const isKnown = request.headers.authorization === `Bearer ${good}`;
        response.statusCode = isKnown ? 200 : 401;
        response.end(isKnown ? JSON.stringify(COMPANY) : '');
        return;
      }
      request.on('data', (bytes: Buffer) => {
        logins.push(`${request.method} ${bytes.toString()}`);
        good = `token-${logins.length}`;
        response.end(JSON.stringify({ token: good }));
      });
    }, true);
    const ask = async () => (await registry.find({ identifier: '732829320' })).companies.length;
    expect([await ask(), await ask()]).toEqual([1, 1]);
    expect(logins).toEqual(['POST {"username":"u","password":"p"}']);
    good = 'another';
    expect(await ask()).toBe(1);
    expect(logins).toHaveLength(2);
  });

  test('whose login gives what is no token is not called with it', async () => {
    const paths: (string | undefined)[] = [];
    const { registry } = await registryOf((request, response) => {
      paths.push(request.url);
      response.end(JSON.stringify({ token: 'a\r\nHost: b' }));
    }, true);
    await expect(registry.find({ identifier: '732829320' })).rejects.toEqual(away);
    expect(new Set(paths)).toEqual(new Set(['/login']));
  });

  test('that lies, or says too much, is not believed', async () => {
    const answers = [
      JSON.stringify({ ...COMPANY, siren: '552100554' }),
      '<html>',
      JSON.stringify({ ...COMPANY, siren: 'x' }),
      'x'.repeat(3 * 1024 * 1024),
    ];
    for (const answer of answers) {
      const { registry } = await registryOf((_, response) => void response.end(answer));
      await expect(registry.find({ identifier: '732829320' })).rejects.toEqual(away);
      await new Promise((done) => server?.close(done));
      server = undefined;
    }
  });

  test('that is down is asked twice, and left alone after five failures', async () => {
    let calls = 0;
    const { registry, time } = await registryOf((_, response) => {
      calls++;
      response.statusCode = 500;
      response.end();
    });
    const ask = () => registry.find({ identifier: '732829320' });
    for (let failure = 0; failure < 5; failure++) await expect(ask()).rejects.toEqual(away);
    expect(calls).toBe(10);
    await expect(ask()).rejects.toEqual(away);
    expect(calls).toBe(10);
    time.ms = 60_000;
    await expect(ask()).rejects.toEqual(away);
    expect(calls).toBe(12);
  });

  test.each([
    ['{', 'expected JSON'],
    ['{"RNE_XX":{}}', '/RNE_XX'],
    ['{"RNE_FR":{"url":"http://a/{identifier}","map":{}}}', '/RNE_FR/map/identifier'],
    [`{"RNE_FR":{"url":"https://{identifier}/",${MAP}}}`, '/RNE_FR/url'],
    [`{"RNE_FR":{"url":"http://a/{identifier}",${MAP}}}`, '/RNE_FR/url'],
    [`{"RNE_FR":{"url":"https://a/{identifier}",${MAP},"header":{},"login":{}}}`, '/RNE_FR/login'],
    [`{"RNE_FR":{"url":"https://a/{identifier}",${MAP},"login":${LOGIN}}}`, '/RNE_FR/login/url'],
  ])('a configuration %s is refused at %s', (text, place) => {
    expect(() => readRegistryConfig(text)).toThrow(place);
  });
});
