/** Deltas, their bases and what is kept of the bases' lines, damaged: nothing of it is a list. */
import { beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { readDeltaBundle } from '#slices/lists';
import { LineTable } from '../../../src/slices/lists/lineTable.ts';
import { buildOverlay, type MemoryStore, memoryBlobs } from './memoryPorts.ts';
import { release, source } from './release.ts';
import { akas, keyOf, many, Twins, textOf } from './twinLists.ts';

describe('a delta that cannot be trusted', () => {
  let twins: Twins;

  beforeEach(async () => {
    twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
  });

  const bytesOf = (address: string): Buffer => Buffer.from(twins.small.blobs.get(address) ?? []);

  test('is refused: cut, changed, out of order, or signed by nobody that is known', async () => {
    await twins.release({ entities: [akas('e005', 'Five'), akas('e006', 'Six')] });
    const bytes = bytesOf(twins.active().bundleBlob);
    const lines = bytes.toString().split('\n').slice(0, -1);
    const [head = '', one = '', two = '', last = ''] = lines;
    const text = (...of: string[]) => Buffer.from(of.map((line) => `${line}\n`).join(''));
    expect(readDeltaBundle(bytes, keyOf).changes.size).toBe(2);
    for (const [what, damaged] of Object.entries({
      changed: text(head, one.replace('Five', 'Fife'), two, last),
      cut: text(head, one, two),
      empty: Buffer.of(),
      'in a line': bytes.subarray(0, -1),
      less: text(head, one, last),
      'of another form': text(head.replace('list-delta:v1', 'list-delta:v2'), one, two, last),
      'out of order': text(head, two, one, last),
    })) {
      expect(() => readDeltaBundle(damaged, keyOf), what).toThrow(/delta bundle/);
    }
    expect(() => readDeltaBundle(bytes, () => undefined)).toThrow('does not verify');
  });

  test('is not written upon a line that is not the one that was written', async () => {
    const before = twins.active();
    for (const [from, to] of [
      ['Name of e005', 'Game of e005'],
      [
        '"first_seen_at":"2026-01-01","flattened_associated_sanctioned":[],"ftm_id":"e005"',
        '"first_seen_at":"1926-01-01","flattened_associated_sanctioned":[],"ftm_id":"e005"',
      ],
    ] as const) {
      const whole = bytesOf(before.bundleBlob);
      twins.small.blobs.set(before.bundleBlob, Buffer.from(whole.toString().replace(from, to)));
      const log: string[] = [];
      const run = release(twins.small, {
        entities: [akas('e005', 'Five')],
        file: { kind: 'delta' },
        options: { onLog: (_, line) => log.push(line) },
        ports: { blobs: checking(twins.small), buildOverlay, deltaFromEntities: 1 },
      });
      await expect(run, from).rejects.toMatchObject({ code: 'list-damaged' });
      expect(log.join()).toContain('is not the one that was written');
      expect(source(twins.small).active).toEqual(before);
      twins.small.blobs.set(before.bundleBlob, whole);
    }
  });

  test.each(['gone', 'another'])(
    'is written whole where its table of lines is %s',
    async (what) => {
      const { linesBlob = '' } = twins.active();
      if (what === 'gone') twins.small.blobs.delete(linesBlob);
      else twins.small.blobs.set(linesBlob, Buffer.from('CPLINES0 and so on, or not'));
      await twins.release({ entities: [akas('e005', 'Five')] });
      const { bundleBase, bundleBlob, linesBlob: next } = twins.active();
      expect([bundleBase, bundleBlob]).toEqual([undefined, source(twins.whole).active?.bundleBlob]);
      expect(next).toBeDefined();
    },
  );

  test('whose base is gone or changed is not read as a list', async () => {
    await twins.release({ entities: [akas('e005', 'Five')] });
    const { bundleBase } = twins.active();
    const base = bundleBase?.bundleBlob ?? '';
    const whole = bytesOf(base);
    twins.small.blobs.set(base, Buffer.from(whole.toString().replace(/\n[^\n]*e009[^\n]*/, '')));
    const read = () => textOf(twins.small, twins.active());
    await expect(read()).rejects.toThrow(/expected 107 entities, read 106/);
    twins.small.blobs.delete(base);
    await expect(read()).rejects.toThrow('gone');
  });

  test('a table of lines says what it is, and is refused where it was cut', () => {
    const table = bytesOf(twins.active().linesBlob ?? '');
    expect(new LineTable(table).count).toBe(107);
    for (const bytes of [0, 8, 15, 16, 500, table.length - 1]) {
      expect(() => new LineTable(table.subarray(0, bytes)), String(bytes)).toThrow('lines: ');
    }
  });
});

/** Blobs that are verified by their addresses, as the folder's are. */
function checking(store: MemoryStore) {
  const blobs = memoryBlobs(store.blobs);
  return {
    ...blobs,
    open: async (address: string) => {
      const bytes = store.blobs.get(address);
      if (bytes && sha256Hex(bytes) !== address) {
        throw new DomainError('list-damaged', { detail: 'another digest' });
      }
      return blobs.open(address);
    },
  };
}
