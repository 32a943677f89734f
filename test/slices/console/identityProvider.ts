/** An identity provider on loopback: the code flow with PKCE, and tokens as they are ordered. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '#platform/crypto';
import { sign, type TestKey, testKey } from '../../core/identity/issuer.ts';

export const CLIENT = { id: 'console', secret: 'a secret: with +signs' };
const AUDIENCE = 'api';

/** What the next sign-in brings; each member stands in the place of the right one. */
export interface Told {
  readonly access?: Readonly<Record<string, unknown>>;
  readonly id?: Readonly<Record<string, unknown>>;
  readonly key?: TestKey;
}

export async function startProvider() {
  const key = await testKey('provider');
  const stranger = await testKey('provider');
  const codes = new Map<
    string,
    { challenge: string; nonce: string; redirect: string; told: Told }
  >();
  const refreshes = new Map<string, Told>();
  const state = { asked: 0, expiresInS: 300 };
  const server = createServer((request, response) => {
    void answer(request).then(({ body, status }) => {
      response.writeHead(status, { connection: 'close', 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage): Promise<{ body: object; status: number }> {
    if (request.url?.includes('openid-configuration')) {
      const body = {
        authorization_endpoint: `${url}/authorize`,
        issuer: url,
        jwks_uri: `${url}/keys`,
        token_endpoint: `${url}/token`,
      };
      return { body, status: 200 };
    }
    if (request.url === '/keys') return { body: { keys: [key.jwk] }, status: 200 };
    state.asked++;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    return tokensFor(new URLSearchParams(text), request.headers.authorization);
  }

  async function tokensFor(asked: URLSearchParams, authorization: string | undefined) {
    const refused = { body: { error: 'invalid_grant' }, status: 400 };
    const pair = [CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(':');
    if (authorization !== `Basic ${Buffer.from(pair).toString('base64')}`) return refused;
    const refresh = asked.get('refresh_token') ?? '';
    const renewed = refreshes.get(refresh);
    if (asked.get('grant_type') === 'refresh_token') {
      refreshes.delete(refresh);
      return renewed === undefined ? refused : { body: await tokens(renewed, ''), status: 200 };
    }
    const code = codes.get(asked.get('code') ?? '');
    codes.delete(asked.get('code') ?? '');
    const challenge = sha256(asked.get('code_verifier') ?? '').toString('base64url');
    const isOurs = code?.challenge === challenge && code.redirect === asked.get('redirect_uri');
    if (code === undefined || !isOurs) return refused;
    return { body: await tokens(code.told, code.nonce), status: 200 };
  }

  async function tokens(told: Told, nonce: string) {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { exp: now + state.expiresInS, iat: now, iss: url, sub: 'amira' };
    const access = { ...claims, amr: ['mfa'], aud: AUDIENCE, roles: ['agent_l2'], ...told.access };
    const id = { ...claims, aud: CLIENT.id, auth_time: now, nonce, ...told.id };
    const refresh_token = crypto.randomUUID();
    refreshes.set(refresh_token, told);
    return {
      access_token: await sign(told.key ?? key, access),
      id_token: await sign(told.key ?? key, id, { typ: 'JWT' }),
      refresh_token,
    };
  }

  return {
    close: () => new Promise((resolve) => server.close(resolve)),
    environment: { OIDC_AUDIENCE: AUDIENCE, OIDC_CLIENT_ID: CLIENT.id, OIDC_ISSUER: url },
    /** A person signs in: the address that the provider sends the browser back to. */
    signIn(location: string, told: Told): URL {
      const asked = new URL(location).searchParams;
      const code = crypto.randomUUID();
      codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
        redirect: asked.get('redirect_uri') ?? '',
        told,
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', asked.get('state') ?? '');
      back.searchParams.set('iss', url);
      return back;
    },
    state,
    stranger,
    url,
  };
}
