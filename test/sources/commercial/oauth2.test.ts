/** Client credentials: one token while it lasts, for one origin, and no secret in any error. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  type OAuthClient,
  oauth2Authorizer,
  oauth2Token,
  type SendForm,
} from '../../../src/sources/commercial/oauth2.ts';

const CLIENT: OAuthClient = {
  clientId: 'screening',
  clientSecret: () => 's3cr:t &',
  feedOrigin: 'https://feed.example.com',
  scope: 'watchlist',
  tokenUrl: 'https://auth.example.com/token',
};

function endpoint(answer: (count: number) => { status: number; body: string }) {
  const requests: Parameters<SendForm>[0][] = [];
  const send: SendForm = async (request) => {
    requests.push(request);
    const { body, status } = answer(requests.length);
    return { body: Buffer.from(body), status };
  };
  return { requests, send };
}

const tokens = () =>
  endpoint((count) => ({
    body: JSON.stringify({ access_token: `t${count}`, expires_in: 600, token_type: 'Bearer' }),
    status: 200,
  }));

function clockAt(start: number) {
  let nowMs = start;
  return {
    advance: (ms: number) => {
      nowMs += ms;
    },
    clock: { monotonicMs: () => nowMs, now: () => nowMs as EpochMs },
  };
}

const FEED = { url: `${CLIENT.feedOrigin}/v1/entities` };

describe('OAuth2 client credentials', () => {
  test('the request is RFC 6749: form-encoded, credentials in Basic', async () => {
    const { requests, send } = tokens();
    await oauth2Token(CLIENT, send);
    const basic = Buffer.from('screening:s3cr%3At+%26').toString('base64');
    expect(requests[0]).toMatchObject({
      body: 'grant_type=client_credentials&scope=watchlist',
      headers: { authorization: `Basic ${basic}` },
      url: CLIENT.tokenUrl,
    });
  });

  test('or in the form, where the server wants it so', async () => {
    const { requests, send } = tokens();
    await oauth2Token({ ...CLIENT, method: 'post' }, send);
    expect(requests[0]?.body).toContain('client_secret=s3cr%3At+%26');
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a token is used until a minute before its end, then renewed', async () => {
    const { requests, send } = tokens();
    const { advance, clock } = clockAt(0);
    const authorizer = oauth2Authorizer(CLIENT, { clock, send });
    expect(await authorizer.authorize(FEED)).toEqual({ authorization: 'Bearer t1' });
    advance(539_999);
    expect(await authorizer.authorize(FEED)).toEqual({ authorization: 'Bearer t1' });
    advance(1);
    expect(await authorizer.authorize(FEED)).toEqual({ authorization: 'Bearer t2' });
    expect(requests).toHaveLength(2);
  });

  test('many requests at once ask for one token', async () => {
    const { requests, send } = tokens();
    const { clock } = clockAt(0);
    const authorizer = oauth2Authorizer(CLIENT, { clock, send });
    await Promise.all(Array.from({ length: 5 }, () => authorizer.authorize(FEED)));
    expect(requests).toHaveLength(1);
  });

  test('a token that was refused is forgotten', async () => {
    const { send } = tokens();
    const { clock } = clockAt(0);
    const authorizer = oauth2Authorizer(CLIENT, { clock, send });
    await authorizer.authorize(FEED);
    authorizer.forget();
    expect(await authorizer.authorize(FEED)).toEqual({ authorization: 'Bearer t2' });
  });

  test('another origin gets no credential', async () => {
    const { requests, send } = tokens();
    const { clock } = clockAt(0);
    const authorizer = oauth2Authorizer(CLIENT, { clock, send });
    expect(await authorizer.authorize({ url: 'https://cdn.example.net/x' })).toEqual({});
    expect(requests).toHaveLength(0);
  });

  test.each([
    [401, '{"error":"s3cr:t & is wrong"}'],
    [200, 's3cr:t & t0ken'],
    [200, '{"access_token":"a b"}'],
    [200, '{"access_token":"t","token_type":"mac"}'],
    [200, '[]'],
  ])('%i %s gives no token, and no secret in the error', async (status, body) => {
    const { send } = endpoint(() => ({ body, status }));
    const failure = await oauth2Token(CLIENT, send).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'list-unavailable' });
    expect(String(failure)).not.toMatch(/s3cr|t0ken/);
    expect((failure as Error).cause).toBeUndefined();
  });

  test('a URL that would send the secret in the clear is refused', () => {
    const ports = { ...clockAt(0), ...tokens() };
    for (const url of ['http://auth.example.com/token', 'ftp://x', 'nothing']) {
      expect(() => oauth2Authorizer({ ...CLIENT, tokenUrl: url }, ports)).toThrow('https');
    }
    expect(() =>
      oauth2Authorizer({ ...CLIENT, tokenUrl: 'http://127.0.0.1:1' }, ports),
    ).not.toThrow();
  });
});
