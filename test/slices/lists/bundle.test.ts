/** Signed bundles: what is written verifies, what was touched does not. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import {
  LIST_FORMAT,
  type ListEntity,
  type ReadBundle,
  readBundleLines,
  writeBundle,
} from '#slices/lists';
import { signedTextAside } from '../../../src/slices/lists/linesAside.ts';
import { testSigner } from '../ingestion/memoryPorts.ts';
import { listEntity } from './listEntity.ts';

const header = {
  list_version: 'v2026-01-01.a',
  source: 'DEMO',
  kind: 'full' as const,
  fetched_at: '2026-01-02T03:04:05.678Z',
};
const entities = [listEntity('a', { akas: ['طارق'] }), listEntity('b'), listEntity('c')];
const keyOf = (keyId: string) => (keyId === testSigner.keyId ? testSigner.publicKey : undefined);

async function written(list: readonly ListEntity[] = entities): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const lines = list.map((entity) => `${canonicalJson(entity)}\n`);
  const pieces = [lines.slice(0, 2).join(''), lines.slice(2).join('')].map((text) =>
    Buffer.from(text),
  );
  for await (const part of writeBundle(header, pieces, testSigner)) parts.push(part);
  return Buffer.concat(parts);
}

/** Its end and its lines, read in pieces of so many bytes. */
async function read(bytes: Uint8Array, keys = keyOf, pieceBytes = bytes.length) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
  let end: ReadBundle | undefined;
  const lines: string[] = [];
  const onEnd = (bundle: ReadBundle): void => {
    end = bundle;
  };
  for await (const batch of readBundleLines(pieces(), { keyOf: keys, onEnd })) {
    lines.push(...batch.map(String));
  }
  return { end, lines };
}

describe('bundle', () => {
  test.each([1, 7, 100, 100_000])(
    'is read back as it was written, %i bytes at a time',
    async (bytes) => {
      const { end, lines } = await read(await written(), keyOf, bytes);
      expect(end).toEqual({ header, keyId: testSigner.keyId, entityCount: 3 });
      expect(lines.map((line) => JSON.parse(line))).toEqual(entities);
    },
  );

  test('is signed over the canonical text of the one object of the specification', async () => {
    const object = { $schema: LIST_FORMAT, ...header, entities };
    const digest = createHash('sha256')
      .update(canonicalize(object) ?? '')
      .digest();
    const message = Buffer.concat([Buffer.from('list-bundle-v1\0'), digest]);
    const lastLine = (await written()).toString().trimEnd().split('\n').at(-1) ?? '';
    const { signature } = JSON.parse(lastLine) as { signature: Record<string, string> };
    expect(signature).toMatchObject({ alg: 'Ed25519', key_id: testSigner.keyId });
    const sig = Buffer.from(signature.sig ?? '', 'base64');
    expect(testSigner.publicKey.verify(message, sig)).toBe(true);
  });

  test('an empty list is a bundle too', async () => {
    expect((await read(await written([]))).end?.entityCount).toBe(0);
  });

  test('any changed byte is damage', async () => {
    const bytes = await written();
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(read(changed), `byte ${at}`).rejects.toThrow();
    }
  });

  test('any cut, a dropped, swapped or repeated line, and an added one are damage', async () => {
    const bytes = await written();
    const refused = (content: Uint8Array) => expect(read(content)).rejects.toThrow(/^bundle: /);
    for (let length = 0; length < bytes.length; length += 11) {
      await refused(bytes.subarray(0, length));
    }
    const lines = bytes.toString().trimEnd().split('\n');
    const [first = '', a = '', b = '', c = '', last = ''] = lines;
    for (const order of [
      [first, a, c, last],
      [first, b, a, c, last],
      [first, a, a, b, c, last],
    ]) {
      await refused(Buffer.from(`${order.join('\n')}\n`));
    }
    await refused(Buffer.from(`${[...lines, a].join('\n')}\n`));
    await refused(Buffer.from(`${[a, b, c, last].join('\n')}\n`));
  });

  test('what is signed is the same, worked out here or in a thread', async () => {
    const messages = [0, 1_000_000].map(async (asideFrom) => {
      const text = signedTextAside('"kind":"full"}', { asideFrom });
      for (const line of ['{"a":1}\n{"a":2}\n', '', '{"a":3}\n']) await text.add(Buffer.from(line));
      const message = await text.finish();
      await text.close();
      return Buffer.from(message).toString('hex');
    });
    const whole = `{"$schema":"${LIST_FORMAT}","entities":[{"a":1},{"a":2},{"a":3}],"kind":"full"}`;
    const digest = createHash('sha256').update(whole).digest('hex');
    const expected = `${Buffer.from('list-bundle-v1\0').toString('hex')}${digest}`;
    expect(await Promise.all(messages)).toEqual([expected, expected]);
  });

  test('a key that is not known verifies nothing', async () => {
    await expect(read(await written(), () => undefined)).rejects.toThrow(/signature/);
  });
});
