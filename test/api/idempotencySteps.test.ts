/** The pipeline under an Idempotency-Key: what runs, what is replayed, what is freed. */
import { describe, expect, test } from 'vitest';
import { IdempotencyTaken } from '#domain/audit';
import { DomainError } from '#domain/kernel';
import { fakeGate, fakeRequest, gatewayOf, headerOf, JSON_HEADERS, post, postOf } from './fakes.ts';

describe('idempotency', () => {
  const stored = {
    answer: { body: '{"b" : 1}', contentType: 'application/json', kind: 'body', status: 202 },
    createdAt: 0,
    fingerprint: '',
    scope: 'k1',
  } as never;

  test('a known key answers what was stored, byte for byte, and does nothing', async () => {
    let handled = 0;
    const handle = async () => {
      handled++;
      return { body: {}, status: 200 };
    };
    const { calls, gate } = fakeGate({ k1: stored });
    const gateway = gatewayOf([postOf({ handle })], { idempotency: gate });
    const reply = await post(gateway, '{"name":"a"}');
    expect([reply.status, reply.body, handled]).toEqual([202, '{"b" : 1}', 0]);
    expect(headerOf(reply, 'idempotent-replayed')).toBe('true');
    expect(calls).toEqual(['reserve k1', 'find k1', 'end k1']);
  });

  test('the answer of a screening is rebuilt from its event', async () => {
    const record = {
      ...(stored as object),
      answer: { kind: 'event', seq: 7, status: 200, tookMs: 3 },
    };
    const { gate } = fakeGate({ k1: record as never });
    const rebuild = async (of: { seq: number; tookMs: number }) =>
      `{"seq":${of.seq},"ms":${of.tookMs}}`;
    // As the audit log refuses a scope that is taken: with nothing written.
    const handle = () => Promise.reject(new IdempotencyTaken('k1'));
    const gateway = gatewayOf([postOf({ handle, idempotency: 'screening', rebuild })], {
      idempotency: gate,
    });
    const reply = await post(gateway, '{"name":"a"}');
    expect(reply.body).toBe('{"seq":7,"ms":3}');
    expect(headerOf(reply, 'idempotent-replayed')).toBe('true');
  });

  test('a reserved key is freed when the handler fails', async () => {
    const { calls, gate } = fakeGate();
    const handle = () => Promise.reject(new DomainError('state-conflict'));
    const gateway = gatewayOf([postOf({ handle })], { idempotency: gate });
    expect((await post(gateway, '{"name":"a"}')).status).toBe(409);
    expect(calls).toEqual(['reserve k1', 'find k1', 'end k1']);
  });

  test('where another process wrote the answer first, it is the answer', async () => {
    const records: Record<string, never> = {};
    const { calls, gate } = fakeGate(records);
    const handle = async () => {
      records.k1 = stored;
      throw new IdempotencyTaken('k1');
    };
    const gateway = gatewayOf([postOf({ handle })], { idempotency: gate });
    const reply = await post(gateway, '{"name":"a"}');
    expect([reply.status, reply.body]).toEqual([202, '{"b" : 1}']);
    expect(headerOf(reply, 'idempotent-replayed')).toBe('true');
    expect(calls).toEqual(['reserve k1', 'find k1', 'find k1', 'end k1']);
  });

  test('PATCH may carry a key and needs none', async () => {
    const { calls, gate } = fakeGate();
    const gateway = gatewayOf([postOf({ method: 'PATCH' })], { idempotency: gate });
    const request = { body: '{"name":"a"}', method: 'PATCH', path: '/v1/things' };
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.handler(fakeRequest({ ...request, headers }))).status).toBe(200);
    expect((await gateway.handler(fakeRequest({ ...request, headers: JSON_HEADERS }))).status).toBe(
      200,
    );
    expect(calls).toEqual(['reserve k1', 'find k1', 'end k1']);
  });
});
