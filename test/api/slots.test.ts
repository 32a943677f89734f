/** Work of a tenant at once: so much, and another tenant's beside it. */
import { expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { Slots } from '../../src/api/slots.ts';

const BANK = 'bank' as TenantId;
const INSURER = 'insurer' as TenantId;
const MAX = 16;

test('so many at once, whatever becomes of them; another tenant’s beside them', async () => {
  const slots = new Slots({ max: MAX, what: 'uploads' });
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const underWay = Array.from({ length: MAX }, () => {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    ends.push({ reject, resolve });
    return slots.hold(BANK, () => promise);
  });
  const one = async () => 'done';
  await expect(slots.hold(BANK, one)).rejects.toMatchObject({
    code: 'rate-limited',
    retryAfterS: 5,
  });
  expect(await slots.hold(INSURER, one)).toBe('done');
  ends[0]?.reject(new Error('left'));
  await expect(underWay[0]).rejects.toThrow('left');
  expect(await slots.hold(BANK, one)).toBe('done');
  expect(await slots.hold(BANK, one)).toBe('done');
  for (const { resolve } of ends) resolve();
  await Promise.allSettled(underWay);
  expect(await Promise.all(underWay.slice(1).map(() => slots.hold(BANK, one)))).toHaveLength(15);
});

test('so many in all, of which the last quarter is for tenants that have none', async () => {
  const slots = new Slots({ inAllMax: 8, max: 5, what: 'uploads' });
  const ends: (() => void)[] = [];
  const begin = (tenantId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return slots.hold(tenantId as TenantId, () => promise).then(() => 'done');
  };
  const underWay = [...Array.from({ length: 5 }, () => begin('a')), begin('b')];
  await expect(begin('b')).rejects.toMatchObject({ code: 'rate-limited' });
  underWay.push(begin('c'), begin('d'));
  await expect(begin('e')).rejects.toThrow('expected at most 8 uploads of all callers at once');
  for (const end of ends) end();
  expect(new Set(await Promise.all(underWay))).toEqual(new Set(['done']));
  expect(await slots.hold('e' as TenantId, async () => 'done')).toBe('done');
});
