/** The second way to the operations: the same ones, for who has another credential. */
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import type { Door } from '../../src/api/ports.ts';
import { fakeRequest, gatewayOf, headerOf, jsonOf, operationOf, PRINCIPAL } from './fakes.ts';

const door: Door = {
  async authenticate(request) {
    if (request.header('cookie') !== 'pass') throw new DomainError('credential-invalid');
    return { ...PRINCIPAL, id: 'local|somebody', kind: 'user' };
  },
  credentialOf: (request) => request.header('cookie'),
  prefix: '/side/api',
};

function gateway() {
  const seen: unknown[] = [];
  const operation = operationOf({
    async handle({ principal, request }) {
      const { method, path, query } = request;
      const headers = [request.header('authorization'), request.header('x-api-key')];
      seen.push({ headers, id: principal.id, method, path, query });
      return { body: { done: true }, status: 200 };
    },
  });
  return { seen, ...gatewayOf([operation], { doors: [door] }) };
}

test('leads to the operation of the path behind the prefix, as who the door says', async () => {
  const { handler, seen } = gateway();
  const headers = { authorization: 'Bearer x', cookie: 'pass', 'x-api-key': 'cp_live_x' };
  const reply = await handler(fakeRequest({ headers, path: '/side/api/v1/things', query: '' }));
  expect([reply.status, jsonOf(reply)]).toEqual([200, { done: true }]);
  expect(headerOf(reply, 'x-ratelimit-remaining')).toBe('99');
  expect(seen).toEqual([
    {
      headers: [undefined, undefined],
      id: 'local|somebody',
      method: 'GET',
      path: '/v1/things',
      query: '',
    },
  ]);
});

test('refuses who does not pass it, and opens nothing but operations', async () => {
  const { handler, seen } = gateway();
  const statusOf = async (path: string, cookie: string) =>
    (await handler(fakeRequest({ headers: { cookie }, path }))).status;
  expect(await statusOf('/side/api/v1/things', 'other')).toBe(401);
  expect(await statusOf('/side/api/v1/nothing', 'pass')).toBe(404);
  expect(await statusOf('/side/api/healthz', 'pass')).toBe(404);
  expect(await statusOf('/side/apiv1/things', 'pass')).toBe(404);
  expect(seen).toEqual([]);
});

test('the body comes through it', async () => {
  const bodies: string[] = [];
  const operation = operationOf({
    bodyBytesMax: 10,
    async handle({ request }) {
      bodies.push(Buffer.from(await request.body(10)).toString());
      for await (const chunk of request.bodyStream()) bodies.push(Buffer.from(chunk).toString());
      return { body: { aborted: request.signal.aborted }, status: 200 };
    },
    idempotency: 'required',
    method: 'POST',
  });
  const { handler } = gatewayOf([operation], { doors: [door] });
  const reply = await handler(
    fakeRequest({
      body: 'twice',
      headers: { cookie: 'pass', 'idempotency-key': 'one' },
      method: 'POST',
      path: '/side/api/v1/things',
    }),
  );
  expect([reply.status, jsonOf(reply)]).toEqual([200, { aborted: false }]);
  expect(bodies).toEqual(['twice', 'twice']);
});
