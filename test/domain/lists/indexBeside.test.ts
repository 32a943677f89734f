/** The index of a first version, built beside its bundle: the same index, or none. */
import { describe, expect, test } from 'vitest';
import { type IndexableEntity, versionEntities } from '#domain/lists';
import { buildSnapshotAside } from '#engine';
import { IndexBeside } from '../../../src/domain/lists/indexBeside.ts';
import { listEntity } from './listEntity.ts';
import { MemoryStore, memoryBlobs } from './memoryPorts.ts';
import { actions, release, source } from './release.ts';

const many = Array.from({ length: 1_000 }, (_, at) =>
  listEntity(`e-${String(at).padStart(4, '0')}`, { primary_name: `Bram Walder ${at}` }),
);

describe('an index that is built beside the bundle', () => {
  test('is byte for byte the one that the stored bundle gives', async () => {
    const store = new MemoryStore();
    const build = (batches: AsyncIterable<readonly IndexableEntity[]>) =>
      buildSnapshotAside(batches, { asideFrom: 100 });
    // The counts of a real index are the engine's to read.
    const inspectSnapshot = () => ({ entityCount: many.length, nameCount: 0 });
    const ports = { buildSnapshot: build, inspectSnapshot };
    const { version } = await release(store, { entities: many.toReversed(), ports });
    const again = await build(versionEntities(version, memoryBlobs(store.blobs)));
    const stored = store.blobs.get(version.snapshotBlob);
    expect(Buffer.compare(Buffer.from(again), Buffer.from(stored ?? []))).toBe(0);
  });

  test('fails the run with what its building failed with, at once or in the end', async () => {
    for (const after of [0, 1_000]) {
      const store = new MemoryStore();
      const buildSnapshot = async (batches: AsyncIterable<readonly IndexableEntity[]>) => {
        let count = 0;
        for await (const batch of batches) {
          count += batch.length;
          if (count > after) break;
        }
        throw new Error('no memory');
      };
      const failing = release(store, { entities: many, ports: { buildSnapshot } });
      await expect(failing).rejects.toThrow('no memory');
      expect(source(store).active).toBeUndefined();
      expect(actions(store)).toContain('SANCTIONS_LIST_FAILED');
    }
  });

  test('is given up with the run, and nothing is left waiting', async () => {
    const store = new MemoryStore();
    let isEnded = false;
    const buildSnapshot = async (batches: AsyncIterable<readonly IndexableEntity[]>) => {
      try {
        for await (const _ of batches);
        return new Uint8Array();
      } finally {
        isEnded = true;
      }
    };
    const twice = [...many, ...many.slice(0, 1)];
    const failing = release(store, { entities: twice, ports: { buildSnapshot } });
    await expect(failing).rejects.toMatchObject({ code: 'list-damaged' });
    expect(isEnded).toBe(true);
  });

  test('counts for nothing where the store does not give the bundle back', async () => {
    for (const lost of ['gone', 'damaged'] as const) {
      const store = new MemoryStore();
      const blobs = memoryBlobs(store.blobs);
      const open: typeof blobs.open = async (address, put) => {
        const bytes = store.blobs.get(address);
        const isBundle = Buffer.from(bytes ?? []).includes('"signature"');
        if (!isBundle) return blobs.open(address, put);
        if (lost === 'gone') return undefined;
        return (async function* () {
          yield new Uint8Array(1);
          throw new Error('another seal');
        })();
      };
      const failing = release(store, { entities: many, ports: { blobs: { ...blobs, open } } });
      await expect(failing).rejects.toThrow(lost === 'gone' ? 'it is gone' : 'another seal');
      expect(source(store).active).toBeUndefined();
    }
  });

  test('takes a piece only when there is room for it', async () => {
    let take: (() => void) | undefined;
    const index = new IndexBeside({
      buildSnapshot: async (batches) => {
        await new Promise<void>((resolve) => {
          take = resolve;
        });
        for await (const _ of batches);
        return new Uint8Array(1);
      },
    });
    const piece = Buffer.from('');
    let taken = 0;
    const given = (async () => {
      for (; taken < 20; taken++) await index.add(piece);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBeLessThan(10);
    take?.();
    await given;
    expect((await index.finish()).byteLength).toBe(1);
    await index.abandon();
  });
});
