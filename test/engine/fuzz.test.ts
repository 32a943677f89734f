/**
 * Snapshots and overlays as a disk, a wire or a stranger may leave them: refused by name, never a
 * crash, never an endless loop. FUZZ_RUNS scales the runs.
 *
 * Content whose checksum was made to fit is not asked here: who can write that can write any list,
 * and is kept out by the content address that the signed evidence names.
 */
import { crc32 } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { seededRandom } from '../../bench/random.ts';
import {
  buildOverlay,
  buildSnapshot,
  createEngine,
  type LoadedIndex,
} from '../../src/engine/index.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 400);
const HEADER_BYTES = 32;
const CHECKSUM_AT = 24;
/** Header and section table. */
const HEAD_BYTES = 1_000;

const engine = createEngine({ threads: 0, queueMax: 1 });
afterAll(() => engine.close());

const entities = syntheticEntities(120, 31);
const base = buildSnapshot(entities);
const overlay = buildOverlay({
  base,
  removed: entities.slice(0, 5).map(({ id }) => id),
  changed: entities.slice(5, 15).map((entity) => ({ ...entity, card: 'changed' })),
});
const targets = [
  ['snapshot', base, (bytes: SharedArrayBuffer) => engine.load(bytes)],
  ['overlay', overlay, (bytes: SharedArrayBuffer) => engine.load(base, bytes)],
] as const;

const REFUSED =
  /^(snapshot|overlay) (truncated|damaged|foreign|version|byte order|of another snapshot)/;

function altered(
  of: SharedArrayBuffer,
  alter: (bytes: Uint8Array) => void,
  length = of.byteLength,
): SharedArrayBuffer {
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  bytes.set(new Uint8Array(of, 0, Math.min(length, of.byteLength)));
  alter(bytes);
  return bytes.buffer;
}

function withChecksum(bytes: Uint8Array): void {
  const sum = crc32(bytes.subarray(HEADER_BYTES));
  new DataView(bytes.buffer).setUint32(CHECKSUM_AT, sum, true);
}

describe.for(targets)('%s', ([, whole, load]) => {
  const random = seededRandom(whole.byteLength);
  const below = (count: number) => Math.floor(random() * count);

  test('every byte of the header matters', () => {
    for (let at = 0; at < HEADER_BYTES; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const changed = altered(whole, (bytes) => {
          bytes[at] = (bytes[at] ?? 0) ^ flip;
        });
        expect(() => load(changed), `byte ${at} ^ ${flip}`).toThrow(REFUSED);
      }
    }
  });

  test('every byte behind it, of whatever section, is under the checksum', () => {
    const step = Math.max(1, Math.floor((whole.byteLength - HEADER_BYTES) / RUNS));
    for (let at = HEADER_BYTES; at < whole.byteLength; at += step) {
      const changed = altered(whole, (bytes) => {
        bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
      });
      expect(() => load(changed), `byte ${at}`).toThrow(REFUSED);
    }
  });

  test('cut anywhere, or longer than it says', () => {
    for (let run = 0; run < RUNS / 4; run++) {
      const cut = altered(whole, () => undefined, run < 100 ? run : below(whole.byteLength));
      expect(() => load(cut)).toThrow(REFUSED);
    }
    expect(() => load(altered(whole, () => undefined, whole.byteLength + 8))).toThrow(REFUSED);
  });

  test('bytes of anything else', () => {
    for (let run = 0; run < RUNS / 4; run++) {
      const foreign = altered(
        whole,
        (bytes) =>
          bytes.forEach((_, at) => {
            bytes[at] = below(256);
          }),
        below(4_096),
      );
      expect(() => load(foreign)).toThrow(REFUSED);
    }
  });

  test('parts moved, zeroed or repeated', () => {
    for (let run = 0; run < RUNS / 4; run++) {
      const [from, to] = [below(whole.byteLength - 64), below(whole.byteLength - 64)];
      const before = Buffer.from(new Uint8Array(whole));
      const moved = altered(whole, (bytes) => {
        if (run % 2 === 0) bytes.copyWithin(to, from, from + 64);
        else bytes.fill(0, to, to + 64);
      });
      if (before.equals(Buffer.from(new Uint8Array(moved)))) continue;
      expect(() => load(moved)).toThrow(REFUSED);
    }
  });

  test('with a checksum that was made to fit its head, is refused or opened, at once', () => {
    for (let run = 0; run < RUNS; run++) {
      const changed = altered(whole, (bytes) => {
        const at = HEADER_BYTES - 4 + below(HEAD_BYTES);
        bytes[at] = run % 3 === 0 ? 0xff : below(256);
        withChecksum(bytes);
      });
      let index: LoadedIndex | undefined;
      try {
        index = load(changed);
      } catch (error) {
        expect(String(error)).toMatch(/^Error: (snapshot|overlay) /);
      }
      index?.release();
    }
  });
});
