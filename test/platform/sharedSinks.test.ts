/** Streams that share a thread: in turns, each with its own result, error and end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLACE_BYTES, SharedSinks } from '#platform/sharedSinks';
import type { PieceSink } from '#platform/sinkAside';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'shared-sinks-'));
});
afterAll(() => rm(directory, { force: true, recursive: true }));

interface Sum {
  readonly bytes: number;
  readonly sum: number;
  readonly where: string;
}

/** Adds bytes up; refuses a byte 255, and ends its thread at a byte 254. */
function makeSum(start: number, where = 'here'): PieceSink<Sum> {
  let bytes = 0;
  let sum = start;
  return {
    add(piece) {
      if (piece.includes(255)) throw Object.assign(new Error('a byte 255'), { code: 'refused' });
      if (piece.includes(254)) process.exit(7);
      bytes += piece.length;
      for (const byte of piece) sum += byte;
    },
    finish: () => ({ bytes, sum, where }),
  };
}

async function sinks(): Promise<SharedSinks<number, Sum>> {
  const path = join(directory, `${crypto.randomUUID()}.mjs`);
  const serve = new URL('../../src/platform/sharedSinkThread.ts', import.meta.url).href;
  const code = [
    `import { serveSharedSinks } from '${serve}';`,
    makeSum.toString(),
    "serveSharedSinks((start) => makeSum(start, 'aside'));",
  ];
  await writeFile(path, code.join('\n'));
  return new SharedSinks({ make: makeSum, threadUrl: pathToFileURL(path) });
}

test('a short stream is processed here, a longer one aside, with the same result', async () => {
  const shared = await sinks();
  for (const [bytes, where] of [
    [0, 'here'],
    [4_096, 'here'],
    [4_097, 'aside'],
    [PLACE_BYTES, 'aside'],
    [5 * PLACE_BYTES + 3, 'aside'],
  ] as const) {
    for (const piece of [1_000, 70_000, 1_000_000]) {
      const stream = shared.open(5, 'a');
      for (let at = 0; at < bytes; at += piece) {
        await stream.add(new Uint8Array(Math.min(piece, bytes - at)).fill(1));
      }
      expect(await stream.finish()).toEqual({ bytes, sum: bytes + 5, where });
      stream.close();
    }
  }
});

test('streams go on beside each other, and one that fails or is left costs no other', async () => {
  const shared = await sinks();
  const good = Array.from({ length: 20 }, (_, at) => ({
    at,
    stream: shared.open(at, `${at % 3}`),
  }));
  const bad = shared.open(0, 'a');
  const left = shared.open(0, 'a');
  await left.add(new Uint8Array(PLACE_BYTES * 3));
  left.close();
  const failed = (async () => {
    await bad.add(new Uint8Array(PLACE_BYTES * 3).fill(255));
    await bad.finish();
  })();
  await expect(failed).rejects.toMatchObject({ code: 'refused', message: 'a byte 255' });
  bad.close();
  for (let round = 0; round < 5; round++) {
    for (const { at, stream } of good) await stream.add(new Uint8Array(50_000).fill(at));
  }
  for (const { at, stream } of good) {
    const expected = { bytes: 250_000, sum: at + 250_000 * at, where: 'aside' };
    expect(await stream.finish()).toEqual(expected);
    stream.close();
  }
});

test('a thread that dies fails its streams, and the next one gets another', async () => {
  const shared = await sinks();
  const [first, second] = [shared.open(0, 'a'), shared.open(0, 'a')];
  await first.add(new Uint8Array(PLACE_BYTES));
  await second.add(new Uint8Array(PLACE_BYTES).fill(254));
  await expect(first.finish()).rejects.toThrow('a shared thread ended: 7');
  await expect(second.add(new Uint8Array(PLACE_BYTES * 3))).rejects.toThrow('ended: 7');
  first.close();
  second.close();
  const third = shared.open(1, 'a');
  await third.add(new Uint8Array(PLACE_BYTES));
  expect((await third.finish()).sum).toBe(1);
  third.close();
});

test('a sender with many streams delays another by no more than its turns', async () => {
  const shared = await sinks();
  const ends: string[] = [];
  const send = async (sender: string, bytes: number): Promise<void> => {
    const stream = shared.open(0, sender);
    await stream.add(new Uint8Array(bytes).fill(1));
    expect((await stream.finish()).sum).toBe(bytes);
    stream.close();
    ends.push(sender);
  };
  const many = Array.from({ length: 30 }, () => send('many', 20 * PLACE_BYTES));
  const one = send('one', 20 * PLACE_BYTES);
  await Promise.all([...many, one]);
  // Its twenty places and as many of the other's, which has six hundred.
  expect(ends.indexOf('one')).toBeLessThan(10);
});
