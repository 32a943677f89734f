/**
 * The key ring on disk: made once, and turned over when the installation signs with another key.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainKeys, ensureKeyRing } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { KeyError, signerFromSeed } from '#platform/crypto';

const CHAIN = 'tenant-a' as ChainId;
const seeded = (fill: number) => signerFromSeed(new Uint8Array(32).fill(fill)).publicKey;
const newFile = () => join(mkdtempSync(join(tmpdir(), 'key-ring-')), 'keys', 'public-keys.json');
const heads = async () => [{ chainId: CHAIN, seq: 7 }];

describe('ensureKeyRing', () => {
  test('the first key holds from the first event on', async () => {
    const file = newFile();
    const ring = await ensureKeyRing({
      file,
      heads: async () => [],
      mayRotate: true,
      publicKey: seeded(1),
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ring);
    expect(chainKeys(ring, CHAIN).forEvent(seeded(1).keyId, 1)).toMatchObject({
      keyId: seeded(1).keyId,
    });
  });

  test('a known key changes nothing and asks for no heads', async () => {
    const file = newFile();
    const first = await ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(1) });
    const unasked = () => Promise.reject(new Error('asked'));
    expect(
      await ensureKeyRing({ file, heads: unasked, mayRotate: true, publicKey: seeded(1) }),
    ).toEqual(first);
  });

  test('a new key begins behind every head, and the former one ends there', async () => {
    const file = newFile();
    await ensureKeyRing({ file, heads: async () => [], mayRotate: true, publicKey: seeded(1) });
    const keys = chainKeys(
      await ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(2) }),
      CHAIN,
    );
    const [old, next] = [seeded(1).keyId, seeded(2).keyId];
    expect(keys.forEvent(old, 7)).toMatchObject({ keyId: old });
    expect(keys.forEvent(old, 8)).toBe('key-not-held');
    expect(keys.forEvent(next, 7)).toBe('key-not-held');
    expect(keys.forEvent(next, 8)).toMatchObject({ keyId: next });
  });

  test('a key that ended cannot come back', async () => {
    const file = newFile();
    for (const fill of [1, 2]) {
      await ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(fill) });
    }
    const again = ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(1) });
    await expect(again).rejects.toThrow('was retired');
  });

  test('another key takes over only where it was asked to', async () => {
    const file = newFile();
    const ring = await ensureKeyRing({ file, heads, mayRotate: false, publicKey: seeded(1) });
    const other = ensureKeyRing({ file, heads, mayRotate: false, publicKey: seeded(2) });
    await expect(other).rejects.toThrow('keys rotate');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ring);
  });

  test('a file that is no key ring is refused and kept', async () => {
    const file = newFile();
    await ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(1) });
    writeFileSync(file, '{"keys":[]}');
    await expect(
      ensureKeyRing({ file, heads, mayRotate: true, publicKey: seeded(1) }),
    ).rejects.toThrow(KeyError);
    expect(readFileSync(file, 'utf8')).toBe('{"keys":[]}');
  });
});
