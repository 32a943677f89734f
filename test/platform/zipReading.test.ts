/** Archives of strangers: what zip.js and our own writer make is read, anything else is refused. */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesIn, readZip, ZipDamaged } from '../../src/platform/zipReading.ts';
import { zipped } from '../../src/platform/zipStream.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
const TEXT = 'as it was '.repeat(1_000);

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

const ours = (): Promise<Buffer> =>
  gathered(
    zipped([
      { content: [TEXT], path: 'a.txt' },
      { content: [''], path: 'empty' },
    ]),
  );

async function readAll(zip: Uint8Array, entriesMax = 4): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { content, name } of await readZip(bytesIn(zip), entriesMax)) {
    found[name] = (await gathered(content())).toString();
  }
  return found;
}

/** By zip.js, with what it can do beside the plain form. */
async function theirs(options: object, name = 'a.txt'): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, ...options });
  await writer.add(name, new Uint8ArrayReader(Buffer.from(TEXT)), options);
  return writer.close();
}

describe('an archive', () => {
  test('is read: ours, and one of zip.js', async () => {
    expect(await readAll(await ours())).toEqual({ 'a.txt': TEXT, empty: '' });
    expect(await readAll(await theirs({ extendedTimestamp: false }))).toEqual({ 'a.txt': TEXT });
    expect(await readAll(await theirs({ level: 0 }))).toEqual({ 'a.txt': TEXT });
  });

  test.each<[string, () => Promise<Uint8Array>, string]>([
    ['under a password', () => theirs({ encryptionStrength: 3, password: 'x' }), 'password'],
    ['of ZIP64', () => theirs({ zip64: true }), 'one disk'],
    ['with a directory', () => theirs({ directory: true }, 'a/'), 'directories'],
    ['with too many entries', ours, 'at most 1 entries'],
    ['that breaks off', async () => (await ours()).subarray(0, -1), 'one disk without a comment'],
    ['with something behind', async () => Buffer.concat([await ours(), Buffer.of(0)]), 'one disk'],
    [
      'with something before',
      async () => Buffer.concat([Buffer.of(0), await ours()]),
      'at the end',
    ],
    ['of nothing', async () => Buffer.alloc(0), 'an archive'],
  ])('%s is refused', async (_, make, words) => {
    const reading = readAll(await make(), words.startsWith('at most') ? 1 : 4);
    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining(words),
      name: ZipDamaged.name,
    });
  });

  test('whose header is not what the directory tells is refused', async () => {
    const zip = await ours();
    zip.write('b.txt', zip.indexOf('a.txt'));
    await expect(readAll(zip)).rejects.toThrow('as the directory tells');
  });

  test('whose entries share their bytes is refused', async () => {
    const zip = await gathered(
      zipped([
        { content: [TEXT], path: 'a' },
        { content: [TEXT], path: 'b' },
      ]),
    );
    const [first, second] = [0, 1].map((index) => zip.indexOf('PK\x01\x02') + index * 47);
    zip.writeUInt32LE(zip.readUInt32LE((first ?? 0) + 42), (second ?? 0) + 42);
    zip.write('a', (second ?? 0) + 46);
    await expect(readAll(zip)).rejects.toThrow('do not overlap');
  });

  test('that says less than inflates is refused at the length that it says', async () => {
    const zip = await ours();
    zip.writeUInt32LE(10, zip.indexOf('PK\x01\x02') + 24);
    await expect(readAll(zip)).rejects.toThrow('the length that the directory tells');
  });

  test('of which a bit was turned is refused, or reads as before', async () => {
    const zip = await ours();
    const place = fc.tuple(fc.nat({ max: zip.length - 1 }), fc.nat({ max: 7 }));
    await fc.assert(
      fc.asyncProperty(place, async ([at, bit]) => {
        const turned = Buffer.from(zip);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        const found = await readAll(turned).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ZipDamaged);
          return undefined;
        });
        if (found !== undefined) expect(found).toEqual({ 'a.txt': TEXT, empty: '' });
      }),
      { numRuns: RUNS },
    );
  });
});
