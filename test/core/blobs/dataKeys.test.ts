/** Data keys: wrapped by the key of DATA_KEY_FILE, bound to their records, destroyed in parts. */
import { expect, test } from 'vitest';
import { type DataKeyRecord, DataKeys, seedAt } from '#core/blobs';
import type { Tables, TenantId } from '#core/kernel';
import { systemRandom as random } from '#platform/random';

const tenantId = '01900000-0000-7000-8000-000000000001' as TenantId;
const named = { keyId: 'batch/1', tenantId };

function keysOver(records: readonly DataKeyRecord[], master = Buffer.alloc(32, 1)): DataKeys {
  const tables = {
    find: async (_: unknown, { keyId }: { keyId: string }) =>
      records.find((record) => record.keyId === keyId),
    page: async () => ({ records }),
  } as unknown as Pick<Tables, 'find' | 'page'>;
  return new DataKeys({ master, random, tables });
}

/** One bit in the middle is another. */
function turned(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
  return bytes.toString('base64');
}

test('what is stored opens as it was made, for its tenant alone', async () => {
  const { key, record } = keysOver([]).make(named);
  const keys = keysOver([record]);
  expect(await keys.find(named)).toEqual(key);
  expect(await keys.find({ ...named, tenantId: 'else' as TenantId })).toBeUndefined();
  expect(await keys.find({ ...named, keyId: 'batch/2' })).toBeUndefined();
  expect(record.wrapped).not.toContain(key.secret.toString('base64'));
});

test('a record of another id, tenant or version, or a changed one, does not open', async () => {
  const { record } = keysOver([]).make(named);
  for (const changed of [
    { ...record, keyId: 'batch/2' },
    { ...record, tenantId: 'else' as TenantId },
    { ...record, version: 2 },
    { ...record, wrapped: turned(record.wrapped) },
    { ...record, wrapped: '' },
  ]) {
    expect(() => keysOver([]).open(changed)).toThrow(/not what was written/);
  }
});

test('the next state lacks a place and has another secret', async () => {
  const keys = keysOver([]);
  const { key } = keys.make(named);
  const place = { depth: 20, index: 12 };
  const next = keys.without(key, [place]);
  expect(next.record.version).toBe(2);
  expect(next.key.secret.equals(key.secret)).toBe(false);
  const opened = keys.open(next.record);
  expect(seedAt(opened.seeds, place)).toBeUndefined();
  const other = { depth: 20, index: 13 };
  expect(seedAt(opened.seeds, other)).toEqual(seedAt(key.seeds, other));
});

test('another DATA_KEY_FILE is told from the one that wrapped what is stored', async () => {
  const { record } = keysOver([]).make(named);
  expect(await keysOver([]).isOwn()).toBe(true);
  expect(await keysOver([record]).isOwn()).toBe(true);
  expect(await keysOver([record], Buffer.alloc(32, 2)).isOwn()).toBe(false);
});
