/** Two gateways of one installation: the same upload at both is one batch, with one answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawClient } from '../../api/http/rawClient.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { batchesOf, csvOf, filesIn, formOf, postForm } from './edge/fixture.ts';

const FORM = formOf([['name', 'Night']], csvOf(5_000));

describe.skipIf(!hasRedis)('the same upload at two gateways', () => {
  let one: RealGateway;
  let other: RealGateway;
  let bank: Caller;

  beforeAll(async () => {
    one = await openRealGateway('node:http');
    other = await openRealGateway('node:http', one);
    bank = await one.caller(await one.tenant('sandbox'), 'agent_l1');
  });
  afterAll(async () => {
    await other?.close();
    await one?.close();
  });

  test('at once: one batch, and one answer for both', async () => {
    const key = crypto.randomUUID();
    const answers = await Promise.all([
      postForm(bank, FORM, key),
      postForm(bank.at(other), FORM, key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    const replayed = answers.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(1);
    expect(await batchesOf(bank)).toHaveLength(1);
  });

  test('half at the one, then whole at the other: the first gets the second’s answer', async () => {
    const key = crypto.randomUUID();
    const before = (await batchesOf(bank)).length;
    const client = await RawClient.open(Number(new URL(one.origin).port));
    client.write(
      `POST /v1/aml/batches/csv HTTP/1.1\r\nHost: h\r\n${bank.credentialLine}\r\n` +
        `Idempotency-Key: ${key}\r\nContent-Type: ${FORM.contentType}\r\n` +
        `Content-Length: ${FORM.body.length}\r\n\r\n`,
    );
    client.socket.write(FORM.body.subarray(0, 20_000));
    await expect.poll(() => filesIn(one, 'tmp')).toHaveLength(1);
    const whole = await postForm(bank.at(other), FORM, key);
    expect(whole.status).toBe(202);
    client.socket.write(FORM.body.subarray(20_000));
    const answer = await client.answer();
    client.end();
    expect([answer.status, answer.body]).toEqual([202, whole.text]);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect((await batchesOf(bank)).length).toBe(before + 1);
  });
});
