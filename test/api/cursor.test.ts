/** A cursor is good for the tenant, the list and the filters it was given for, and for no other. */
import { describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { type CursorScope, createCursorCodec } from '../../src/api/cursor.ts';

const KEY = new Uint8Array(32).fill(7);
const codec = createCursorCodec(KEY);
const scope: CursorScope = {
  filters: { decision: 'CLEAR', from: undefined },
  list: 'listScreenings',
  tenantId: 'tenant-a' as TenantId,
};
const position = { id: '018f', key: 1_700_000_000_000 };
const cursor = codec.encode(scope, position);

test('what was encoded is decoded', () => {
  expect(codec.decode(scope, cursor)).toEqual(position);
  expect(codec.decode({ ...scope, filters: { decision: 'CLEAR' } }, cursor)).toEqual(position);
});

test('a cursor is safe in a query string', () => {
  expect(cursor).toMatch(/^[A-Za-z0-9_.-]+$/);
});

describe('refused with cursor-invalid', () => {
  const flip = (at: number) =>
    cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  test.each([
    ['another tenant', { ...scope, tenantId: 'tenant-b' as TenantId }],
    ['another list', { ...scope, list: 'listAlerts' }],
    ['other filters', { ...scope, filters: { decision: 'MATCH_PEP' } }],
    ['one filter more', { ...scope, filters: { ...scope.filters, candidate: 'x' } }],
  ])('%s', (_, other) => {
    expect(() => codec.decode(other, cursor)).toThrow(/cursor-invalid/);
  });

  test('every character flipped', () => {
    for (let at = 0; at < cursor.length; at++) {
      expect(() => codec.decode(scope, flip(at)), `at ${at}`).toThrow(/cursor-invalid/);
    }
  });

  test.each(['', '.', 'a', 'a.b', `${cursor}.`, `${cursor}=`, ` ${cursor}`, 'x'.repeat(5_000)])(
    '%j',
    (forged) => {
      expect(() => codec.decode(scope, forged)).toThrow(/cursor-invalid/);
    },
  );

  test('a cursor of another installation', () => {
    const other = createCursorCodec(new Uint8Array(32).fill(8)).encode(scope, position);
    expect(() => codec.decode(scope, other)).toThrow(/cursor-invalid/);
  });
});

test('a short key stops the start', () => {
  expect(() => createCursorCodec(new Uint8Array(31))).toThrow(/32 bytes/);
});
