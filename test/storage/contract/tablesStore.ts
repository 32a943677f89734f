/** A real store as the contract of tables sees it. It keeps the heads that it has taken. */
import assert from 'node:assert/strict';
import type { HeadLease } from '#core/audit';
import type { ChainId } from '#core/kernel';
import type { Storage } from '../../../src/storage/index.ts';
import { type MakeHarness, makeGroup, TTL_MS, takeHead } from './harness.ts';
import type { OpenTables, TablesStore } from './twins.ts';

let stores = 0;

export function tablesStore(storage: Storage): TablesStore {
  const { audit, tables } = storage;
  assert(tables !== undefined);
  const holder = `tables ${stores++}`;
  const heads = new Map<string, HeadLease>();
  return {
    append: async (chainId, changes, count = 1) => {
      const chain = chainId as ChainId;
      const lease = heads.get(chainId) ?? (await takeHead(storage, chain, holder));
      heads.set(chainId, lease);
      const { head } = lease;
      const group = makeGroup({ chain, changes, count, fromSeq: head.seq + 1, label: holder });
      const result = await audit.appendGroup(lease, group, { release: false, ttlMs: TTL_MS });
      if (result.kind === 'stale') return result.changeIndex;
      assert.equal(result.kind, 'appended');
      const { hash = head.hash, seq = head.seq } = group.events.at(-1) ?? {};
      heads.set(chainId, { ...lease, head: { hash, seq } });
      return 'appended';
    },
    close: () => storage.close(),
    eventCount: async (chainId) => (await audit.head(chainId as ChainId)).seq,
    tables,
  };
}

/** A store's data as the contract of tables opens it. */
export const openTablesBy =
  (makeHarness: MakeHarness): OpenTables =>
  async (tables) => {
    const harness = await makeHarness();
    const open = async () => tablesStore(await harness.open(tables));
    return { dispose: harness.dispose, open };
  };
