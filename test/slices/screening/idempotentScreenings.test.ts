/** Idempotency keys of screenings through a whole gateway: one key, one effect, one answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const BODY = { dob: '1971-03-14', name: 'Tarek Velmorani' };

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('a screening’s key over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let insurer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'developer');
    insurer = await gateway.caller(await gateway.tenant('sandbox'), 'developer');
  });
  afterAll(() => gateway?.close());

  test('sent again gets the same bytes, and there is one event', async () => {
    const key = crypto.randomUUID();
    const before = await gateway.headSeq(bank.tenantId);
    const first = await bank.screen(BODY, key);
    const second = await bank.screen(BODY, key);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(await gateway.headSeq(bank.tenantId)).toBe(before + 1);
  });

  test('in quotes, in capitals and with the members in another order is the same', async () => {
    const key = crypto.randomUUID();
    const first = await bank.screen({ dob: BODY.dob, name: BODY.name }, key);
    const reordered = { name: BODY.name, dob: BODY.dob };
    const second = await bank.screen(reordered, `"${key.toUpperCase()}"`);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.text).toBe(first.text);
  });

  test('with another body is refused, and the first answer stays', async () => {
    const key = crypto.randomUUID();
    const first = await bank.screen(BODY, key);
    const before = await gateway.headSeq(bank.tenantId);
    const other = await bank.screen({ ...BODY, name: 'Somebody Else' }, key);
    expect(other.problem()).toMatchObject({ code: 'idempotency-key-reused', status: 422 });
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
    expect((await bank.screen(BODY, key)).text).toBe(first.text);
  });

  test('is not used up by a refused request', async () => {
    const key = crypto.randomUUID();
    expect((await bank.screen({ ...BODY, lists: ['UN'] }, key)).status).toBe(422);
    expect((await bank.screen({ ...BODY, nme: 1 }, key)).status).toBe(400);
    const answer = await bank.screen(BODY, key);
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('sent twenty times at once has one effect', async () => {
    const key = crypto.randomUUID();
    const before = await gateway.headSeq(bank.tenantId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bank.screen(BODY, key)));
    const answered = answers.filter(({ status }) => status === 200);
    const waiting = answers.filter(({ status }) => status !== 200);
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    const fresh = answered.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(fresh).toHaveLength(1);
    for (const answer of waiting) {
      expect(answer.problem()).toMatchObject({ code: 'idempotency-key-in-progress', status: 409 });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(await gateway.headSeq(bank.tenantId)).toBe(before + 1);
    expect((await bank.screen(BODY, key)).text).toBe(fresh[0]?.text);
  });

  test('of another tenant, or of another caller, is another key', async () => {
    const key = crypto.randomUUID();
    const colleague = await gateway.caller(bank.tenantId, 'developer');
    const before = await gateway.headSeq(insurer.tenantId);
    const answers = [
      await bank.screen(BODY, key),
      await insurer.screen(BODY, key),
      await colleague.screen(BODY, key),
      await bank.post('/v1/aml/screen', { subject: { full_name: BODY.name } }, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const replayed = answers.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toEqual([]);
    const ids = answers.map((answer) => answer.json<{ screening_id: string }>().screening_id);
    expect(new Set(ids).size).toBe(4);
    expect(await gateway.headSeq(insurer.tenantId)).toBe(before + 1);
  });

  test('that is missing, empty or no UUID is refused', async () => {
    const codeFor = async (key: string | undefined) => {
      const { code, status } = (await bank.post('/v1/sanctions/screen', BODY, { key })).problem();
      return [status, code];
    };
    expect(await codeFor(undefined)).toEqual([400, 'idempotency-key-missing']);
    expect(await codeFor('')).toEqual([400, 'idempotency-key-invalid']);
    expect(await codeFor('again-please')).toEqual([400, 'idempotency-key-invalid']);
  });
});
