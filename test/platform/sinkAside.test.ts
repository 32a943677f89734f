/** Streams that are processed in a thread, compared with the same in the caller's thread. */
import { createCipheriv, createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashAside } from '#platform/hashAside';
import { SEAL_KEY_BYTES, Seal } from '#platform/seal';
import { SinkAside, SinkError, type SinkKind } from '#platform/sinkAside';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sink-'));
});
afterAll(() => rm(directory, { force: true, recursive: true }));

const sealKey = new Uint8Array(SEAL_KEY_BYTES).fill(9);
const ALL_HERE = Number.POSITIVE_INFINITY;

/** Pieces of many sizes: empty, a few bytes, more than a slot of the thread takes. */
function* pieces(): Generator<Uint8Array> {
  for (const [at, bytes] of [1, 0, 70_000, 2 ** 21, 2 ** 21 + 1, 5_000_000, 3].entries()) {
    yield Buffer.alloc(bytes, `piece ${at} `);
  }
  // Many more than are under way at a time, of a pool that they share.
  for (let at = 0; at < 50; at++) yield Buffer.from(`short ${at}`);
}

async function kindOf(name: string, body: string): Promise<SinkKind<string, string>> {
  const path = join(directory, `${name}.mjs`);
  const serve = new URL('../../src/platform/sinkThread.ts', import.meta.url).href;
  await writeFile(path, `import { serveSink } from '${serve}';\n${body}`);
  const make = () => {
    throw new Error('made here');
  };
  return { make, threadUrl: pathToFileURL(path) };
}

describe('a sink aside', () => {
  test.each([0, 1, 80_000, 3_000_000, ALL_HERE])('from %d bytes on: one digest', async (from) => {
    const hash = hashAside({ asideFrom: from, sealKey });
    const expected = createHash('sha256');
    const seal = new Seal(sealKey);
    for (const piece of pieces()) {
      expected.update(piece);
      seal.add(piece);
      await hash.add(piece);
    }
    expect(await hash.finish()).toEqual({ seal: seal.finish(), sha256: expected.digest('hex') });
    await hash.close();
  });

  test('seals a stream however it is cut, as GCM without a text does', async () => {
    const gcm = createCipheriv('aes-256-gcm', sealKey, new Uint8Array(12));
    gcm.setAAD(Buffer.concat([...pieces()])).final();
    const seal = new Seal(sealKey);
    for (const piece of pieces()) seal.add(piece);
    expect(seal.finish()).toBe(gcm.getAuthTag().toString('hex'));
    const other = new Seal(new Uint8Array(SEAL_KEY_BYTES));
    other.add(Buffer.from('x'));
    expect(other.finish()).not.toBe(new Seal(new Uint8Array(SEAL_KEY_BYTES)).finish());
  });

  test('that took nothing has the digest of nothing', async () => {
    const hash = hashAside({ asideFrom: 0 });
    expect((await hash.finish()).sha256).toBe(createHash('sha256').digest('hex'));
    await hash.close();
  });

  test('gets what it was begun with', async () => {
    const body = `let said = '';
      serveSink((input) => ({
        add: (piece) => { said += Buffer.from(piece) + input; },
        finish: () => said,
      }));`;
    const sink = new SinkAside(await kindOf('echo', body), '!', { asideFrom: 0 });
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await sink.add(Buffer.from(text));
    expect(await sink.finish()).toBe('a!b!c!d!e!f!');
    await sink.close();
  });

  test('that refuses a piece says why, and takes no more', async () => {
    const body = `serveSink(() => ({
      add: () => { throw Object.assign(new Error('no such line'), { code: 'list-damaged' }); },
      finish: () => 'never',
    }));`;
    const sink = new SinkAside(await kindOf('refuses', body), '', { asideFrom: 0 });
    const adding = (async () => {
      for (let at = 0; at < 100; at++) await sink.add(Buffer.from('x'));
      return sink.finish();
    })();
    const error = await adding.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SinkError);
    expect(error).toMatchObject({ code: 'list-damaged', message: 'no such line' });
    await sink.close();
  });

  test.skipIf(availableParallelism() === 1)(
    'of a stream that is known to be long is a thread from its first byte, of another not',
    async () => {
      const kind = await kindOf(
        'long',
        `serveSink(() => ({ add: () => {}, finish: () => 'made there' }));`,
      );
      const whereFor = async (expectedBytes: number | undefined) => {
        const sink = new SinkAside(kind, '', { expectedBytes });
        await sink.add(Buffer.from('x'));
        const said = await sink.finish();
        await sink.close();
        return said;
      };
      expect(await whereFor(48 * 1024 * 1024)).toBe('made there');
      for (const short of [undefined, 0, 48 * 1024 * 1024 - 1]) {
        await expect(whereFor(short)).rejects.toThrow('made here');
      }
    },
  );

  test('whose thread dies fails, instead of waiting for it', async () => {
    const sink = new SinkAside(await kindOf('dies', 'process.exit(3);'), '', { asideFrom: 0 });
    const adding = (async () => {
      for (let at = 0; at < 100; at++) await sink.add(Buffer.from('x'));
      return sink.finish();
    })();
    await expect(adding).rejects.toThrow("a sink's thread ended: 3");
    await sink.close();
  });

  test('can be let go of half-way', async () => {
    const hash = hashAside({ asideFrom: 0 });
    await hash.add(Buffer.from('x'));
    await hash.close();
    await expect(hash.finish()).rejects.toThrow("a sink's thread ended");
  });
});
