/**
 * An identity provider on loopback: a key set, a discovery document, and tokens signed by its
 * keys.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

export interface TestKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function testKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, jwk: { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' }, kid, privateKey };
}

export async function startIssuer(keys: readonly TestKey[]) {
  const state = { delayed: false, fetches: 0, keys: [...keys], status: 200 };
  const server = createServer((request, response) => {
    state.fetches++;
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const body = request.url?.includes('openid-configuration')
      ? { issuer, jwks_uri: `${issuer}/keys` }
      : { keys: state.keys.map(({ jwk }) => jwk) };
    // Issuer and caller share a thread: a connection kept open could go stale while it is busy.
    response.writeHead(state.status, { connection: 'close', 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    close: () => new Promise((resolve) => server.close(resolve)),
    jwksUrl: `${url}/keys`,
    state,
    url,
  };
}

/** A token of RFC 9068 that is right in every respect, but for what is given. */
export function sign(
  key: TestKey,
  claims: Readonly<Record<string, unknown>>,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
    .sign(key.privateKey);
}
