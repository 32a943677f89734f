/** Seals that are kept: made and opened by whoever has the signing key, and of one put alone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom as random } from '#platform/random';
import { blobSeal, SealedPut } from '../../../src/slices/lists/storedSeal.ts';
import { openFolderBlobStore } from '../../../src/storage/blob/folder.ts';

const signer = signerFromSeed(new Uint8Array(32).fill(1));
const other = signerFromSeed(new Uint8Array(32).fill(2));

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'seal-'));
});
afterEach(() => rm(directory, { force: true, recursive: true }));

test('a kept seal is made again from its nonce and the signing key, and by no other', async () => {
  const blobs = await openFolderBlobStore({ directory });
  const sealed = new SealedPut({ random, signer });
  const put = await blobs.put(Buffer.from('a list'), { sealKey: sealed.key });
  const stored = sealed.stored(put);
  expect(stored).toMatchObject({ tag: put.seal?.tag });
  expect(stored && blobSeal(stored, signer)).toEqual(put.seal);
  expect(stored && blobSeal(stored, other).key).not.toEqual(put.seal?.key);
  expect(new SealedPut({ random, signer }).key).not.toEqual(sealed.key);
});

test('nothing is kept where the store took a key of its own, or does not seal', async () => {
  const blobs = await openFolderBlobStore({ directory });
  const sealed = new SealedPut({ random, signer });
  expect(sealed.stored(await blobs.put(Buffer.from('a list')))).toBeUndefined();
  expect(sealed.stored({ address: 'ab'.repeat(32), bytes: 6 })).toBeUndefined();
});
