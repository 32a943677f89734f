/** The pipeline under an Idempotency-Key: what runs, what is replayed, what is freed. */
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { IdempotencyTaken } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { Operation, Upload } from '../../src/api/operation.ts';
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

describe('idempotency of an upload', () => {
  const stored = {
    answer: { body: '{}', contentType: 'application/json', kind: 'body', status: 202 },
    createdAt: 0,
    fingerprint: '',
    scope: 'k1',
  } as never;
  const uploadOf = (given: Partial<Operation> = {}, receive?: Upload['receive']) => {
    const { body: _, ...operation } = postOf(given);
    const told: boolean[] = [];
    const upload: Upload = {
      mediaType: 'application/json',
      async receive(context, known) {
        told.push(known.isAnswered);
        return receive?.(context, known) ?? { bodyDigest: 'd', value: { name: 'a' } };
      },
      schema: Type.Object({}),
    };
    return { operation: { ...operation, upload }, told };
  };

  test('the key is reserved before the body, and the answer looked for after it', async () => {
    const { calls, gate } = fakeGate();
    const { operation, told } = uploadOf({
      handle: async ({ body }) => ({ body: body as object, status: 202 }),
    });
    const gateway = gatewayOf([operation], { idempotency: gate });
    const reply = await post(gateway, '{"name":"a"}');
    expect([reply.status, reply.body]).toEqual([202, '{"name":"a"}']);
    expect([calls, told]).toEqual([['reserve k1', 'find k1', 'end k1'], [false]]);
  });

  test('what is answered already is read for its digest alone, and answered again', async () => {
    const { gate } = fakeGate({ k1: stored });
    const { operation, told } = uploadOf({ handle: () => Promise.reject(new Error('again')) });
    const gateway = gatewayOf([operation], { idempotency: gate });
    const reply = await post(gateway, '{"name":"a"}');
    expect([reply.status, told]).toEqual([202, [true]]);
    expect(headerOf(reply, 'idempotent-replayed')).toBe('true');
  });

  test('where another process was first with the same body, its answer is the answer', async () => {
    const records: Record<string, never> = {};
    const { calls, gate } = fakeGate(records);
    const { operation } = uploadOf({
      handle: async () => {
        records.k1 = stored;
        throw new IdempotencyTaken('k1');
      },
    });
    const reply = await post(gatewayOf([operation], { idempotency: gate }), '{"name":"a"}');
    expect(headerOf(reply, 'idempotent-replayed')).toBe('true');
    expect(calls).toEqual(['reserve k1', 'find k1', 'find k1', 'end k1']);
  });

  test('a body that does not come frees the key', async () => {
    const { calls, gate } = fakeGate();
    const { operation } = uploadOf({}, () => Promise.reject(new DomainError('body-aborted')));
    const reply = await post(gatewayOf([operation], { idempotency: gate }), '{"name":"a"}');
    expect([reply.status, calls]).toEqual([400, ['reserve k1', 'end k1']]);
  });

  test('one that declares too much is refused, and the key is not touched', async () => {
    const { calls, gate } = fakeGate();
    const { operation } = uploadOf({ bodyBytesMax: 10 });
    const reply = await post(gatewayOf([operation], { idempotency: gate }), '{"name":"abcdef"}');
    expect([reply.status, calls]).toEqual([413, []]);
  });
});
