/** Lists in force are resolved when one has moved on, and gateways load what came of it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { DomainError, type SourceId } from '#domain/kernel';
import {
  type ListSource,
  type ListVersion,
  newSource,
  type ResolutionPointer,
  type ResolveInForcePorts,
  resolveInForce,
  writeBundle,
} from '#domain/lists';
import { LoadedLists } from '#domain/screening';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { listEntity } from './listEntity.ts';
import { MemoryStore, memoryPorts, testSigner } from './memoryPorts.ts';

const PERSON = { dates_of_birth: ['1970-02-03'], primary_name: 'Ivan Ivanovich Petrov' };

describe('resolveInForce', () => {
  let store: MemoryStore;
  let resolutions: ResolutionPointer[];
  let ports: ResolveInForcePorts;
  let overtake: boolean;

  beforeEach(() => {
    store = new MemoryStore();
    resolutions = [];
    overtake = false;
    const memory = memoryPorts(store);
    ports = {
      blobs: memory.blobs,
      clock: memory.clock,
      commit: async (_, { changes, events }) => {
        if (overtake) throw new DomainError('state-conflict');
        const [change] = changes as unknown as [{ resolution: ResolutionPointer }];
        expect(events[0]?.members).toMatchObject({
          action: 'SANCTIONS_LISTS_RESOLVED',
          resolution: change.resolution.blob,
        });
        resolutions.push(change.resolution);
      },
      lists: {
        findResolution: async () => resolutions.at(-1),
        listSources: async () => [...store.sources.values()],
      },
      random: memory.random,
    };
  });

  async function publish(source: string, content: string, ...entities: object[]): Promise<void> {
    const header = {
      fetched_at: '2026-01-01T00:00:00.000Z',
      kind: 'full' as const,
      list_version: 'v2026-01-01.a',
      source,
    };
    const lines = entities.map((one, index) =>
      Buffer.from(`${canonicalJson(listEntity(`${source}-${index}`, one))}\n`),
    );
    const { address } = await memoryBlobs().put(writeBundle(header, lines, testSigner));
    const active = {
      bundleBlob: address,
      contentDigest: content,
      listDigest: content,
      publishedAt: 0 as EpochMs,
      snapshotBlob: address,
      sourceId: source as SourceId,
    } as ListVersion;
    store.sources.set(source, { ...newSource(source), active } as ListSource);
  }
  const memoryBlobs = () => memoryPorts(store).blobs;

  async function loaded() {
    const lists = new LoadedLists({
      blobs: memoryBlobs(),
      lists: { ...ports.lists, publicationCounter: async () => resolutions.length },
      load: () => ({ release: () => {} }),
    });
    await lists.refresh();
    const { clusters } = lists.current();
    const clusterOf = (source: string) =>
      clusters?.find({ ftm_id: `${source}-0`, source })?.cluster;
    return { clusterOf, clusters };
  }

  test('one list alone needs none', async () => {
    await publish('UN_SC', 'one', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
    expect((await loaded()).clusters).toBeUndefined();
  });

  test('two lists of one person are linked, once', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 1, status: 'resolved' });
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
    const { clusterOf, clusters } = await loaded();
    expect(clusterOf('UN_SC')).toBe(0);
    expect(clusterOf('EU_CFSP')).toBe(0);
    expect(clusters?.digest).toBe(resolutions[0]?.blob);
  });

  test('a list that moves on is alone until it is resolved again', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    await resolveInForce(ports);
    await publish('EU_CFSP', 'three', PERSON);
    expect((await loaded()).clusterOf('UN_SC')).toBeUndefined();
    expect((await resolveInForce(ports)).status).toBe('resolved');
    expect((await loaded()).clusterOf('UN_SC')).toBe(0);
    expect(resolutions.map(({ version }) => version)).toEqual([1, 2]);
  });

  test('invented entities resolve to nobody', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('DEMO', 'two', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
  });

  test('of two workers at once the second is overtaken', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    overtake = true;
    expect(await resolveInForce(ports)).toEqual({ links: 1, status: 'overtaken' });
  });

  test('a resolution that cannot be read leaves the lists as they are', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    await resolveInForce(ports);
    store.blobs.delete(resolutions[0]?.blob ?? '');
    expect((await loaded()).clusters).toBeUndefined();
  });

  test('a bundle that is gone changes nothing', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    store.blobs.clear();
    await expect(resolveInForce(ports)).rejects.toThrow('bundle');
    expect(resolutions).toEqual([]);
  });
});
