/** Dual control of a source over HTTP: replayed, self-approved, moved to another change (R28). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type ListService, openListService, PEOPLE } from './edge/fixture.ts';

const SOURCES = '/v1/sanctions/etl/sources';
const subjectOf = (sourceId: string, field: string, newValue: unknown) => ({
  field,
  newValue,
  resource: `sanctions_source:${sourceId}`,
});
const REASON = { approval_reason: 'Asked for by the committee' };

describe('dual control', () => {
  let service: ListService;
  beforeAll(async () => {
    service = await openListService(makeSqliteHarness);
  });
  afterAll(() => service.close());

  const field = 'cron_full';
  const value = '0 0 9 ? * TUE';
  const body = { [field]: value, ...REASON };
  const subject = subjectOf('HMT_OFSI', field, value);
  const pair = { approver: 'dora', author: 'carl' } as const;
  const at = (ms: number) => (service.clock.now() + ms) as EpochMs;

  const attempts: readonly (readonly [string, () => object, object, string])[] = [
    [
      'another source',
      () => service.signed(subjectOf('UN_SC', field, value), pair),
      {},
      'signature-invalid',
    ],
    [
      'another field',
      () => service.signed(subjectOf('HMT_OFSI', 'cron_delta', value), pair),
      {},
      'signature-invalid',
    ],
    [
      'another value',
      () => service.signed(subjectOf('HMT_OFSI', field, '0 0 8 ? * TUE'), pair),
      {},
      'signature-invalid',
    ],
    [
      'another time',
      () => ({
        ...service.signed(subject, pair),
        'x-approval-timestamp': '2026-01-05T12:00:01.000Z',
      }),
      {},
      'signature-invalid',
    ],
    ['301 s ago', () => service.signed(subject, { ...pair, at: at(-301_000) }), {}, 'expired'],
    ['301 s ahead', () => service.signed(subject, { ...pair, at: at(301_000) }), {}, 'expired'],
    [
      'the author',
      () => service.signed(subject, { approver: 'carl', author: 'carl' }),
      {},
      'same-person',
    ],
    [
      'the author in capitals',
      () => ({
        ...service.signed(subject, { approver: 'carl', author: 'carl' }),
        'x-approval-user-id': PEOPLE.carl.id.toUpperCase(),
      }),
      {},
      'same-person',
    ],
    [
      'the author’s other account',
      () => ({
        ...service.signed(subject, { approver: 'carl', author: 'carl' }),
        'x-approval-user-id': 'https://issuer.test|carl-dsi',
      }),
      {},
      'same-person',
    ],
    [
      'a person of neither role',
      () => service.signed(subject, { approver: 'omar', author: 'carl' }),
      {},
      'roles',
    ],
    [
      'two of one side',
      () => service.signed(subject, { approver: 'aude', author: 'dora' }),
      { as: 'dora' },
      'roles',
    ],
    [
      'somebody unknown',
      () => ({ ...service.signed(subject, pair), 'x-approval-user-id': 'nobody' }),
      {},
      'signature-invalid',
    ],
    [
      'another author than the caller',
      () => service.signed(subject, pair),
      { as: 'aude' },
      'signature-invalid',
    ],
    ['a machine', () => service.signed(subject, pair), { as: 'key-1' }, 'signature-invalid'],
    [
      'garbage',
      () => ({ ...service.signed(subject, pair), 'x-approval-signature': 'AAAA' }),
      {},
      'signature-invalid',
    ],
    ['nobody', () => ({}), {}, 'header-missing'],
  ];

  test.each(attempts)('signed by or for %s: nothing is changed', async (_, headers, more, code) => {
    const ask = {
      as: 'carl',
      body,
      headers: headers() as Record<string, string>,
      method: 'PATCH',
    };
    const reply = await service.call(`${SOURCES}/HMT_OFSI`, { ...ask, ...more });
    expect(reply.code, String(reply.raw.body)).toBe(`dual-control-${code}`);
    expect(reply.status).toBe(code === 'header-missing' ? 400 : 403);
    expect(await service.rows('HMT_OFSI')).toEqual([]);
    expect(await service.source('HMT_OFSI')).toBeUndefined();
  });

  test('a key that was revoked signs nothing more', async () => {
    const [key] = PEOPLE.dora.keys;
    if (key === undefined) throw new Error('no key');
    const revoked = {
      ...PEOPLE.dora,
      keys: [{ ...key, revokedAt: service.clock.now() }],
      version: 2,
    };
    await service.commit(service.put(revoked, 1));
    const headers = service.signed(subject, pair);
    const reply = await service.call(`${SOURCES}/HMT_OFSI`, {
      as: 'carl',
      body,
      headers,
      method: 'PATCH',
    });
    expect(reply.code).toBe('dual-control-signature-invalid');
    await service.commit(service.put({ ...PEOPLE.dora, version: 3 }, 2));
  });

  test('of two at once with one approval exactly one changes something', async () => {
    const headers = service.signed(subject, pair);
    const ask = { as: 'carl', body, headers, method: 'PATCH' };
    const replies = await Promise.all(
      [1, 2, 3].map(() => service.call(`${SOURCES}/HMT_OFSI`, ask)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    expect(await service.rows('HMT_OFSI')).toHaveLength(1);
  });
});
