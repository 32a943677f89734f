/**
 * The head of each chain and its fenced lease.
 *
 * A lease is a row's holder and time; its fence grows with each take, so that a holder who slept
 * past its time is refused however late it wakes. A process that finds the head taken leaves its
 * name; on release the head goes straight to it for a moment, since the one that let go would
 * otherwise win it back every time.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { ChainHead, HeadLease } from '#domain/audit';
import type { ChainId } from '#domain/kernel';
import { HEAD_HANDOVER_MS } from '../limits.ts';

export interface HeadRow {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
  readonly fence: number;
  readonly holder: string | null;
  readonly lease_until: number;
  readonly wanted_by: string | null;
}

export interface HeadAsk {
  readonly chainId: ChainId;
  readonly holder: string;
  readonly ttlMs: number;
}

const HASH_ZERO = '0'.repeat(64);

/** Before a chain's first event. */
export const HEAD_EMPTY: ChainHead = { seq: 0, hash: HASH_ZERO };

export function chainHead(database: DatabaseSync) {
  const select = database.prepare('SELECT * FROM chain WHERE chain_id = ?');
  const insert = database.prepare(
    `INSERT INTO chain (chain_id, seq, hash, fence, lease_until, checkpoint_seq)
     VALUES (?, 0, '${HASH_ZERO}', 0, 0, 0) ON CONFLICT DO NOTHING`,
  );
  const take = database.prepare(
    'UPDATE chain SET holder = ?, lease_until = ?, fence = ?, wanted_by = ? WHERE id = ?',
  );
  const want = database.prepare('UPDATE chain SET wanted_by = ? WHERE id = ?');

  const find = (chainId: ChainId): HeadRow | undefined =>
    select.get(chainId) as unknown as HeadRow | undefined;

  function findOrInsert(chainId: ChainId): HeadRow {
    insert.run(chainId);
    const row = find(chainId);
    assert(row !== undefined, 'a chain that was just inserted is there');
    return row;
  }

  function takeHead(ask: HeadAsk, nowMs: number): HeadLease | undefined {
    const row = findOrInsert(ask.chainId);
    if (isHeldByOther(row, ask.holder, nowMs)) {
      if (row.wanted_by === null) want.run(ask.holder, row.id);
      return undefined;
    }
    const isRenewal = row.holder === ask.holder && nowMs < row.lease_until;
    const fence = isRenewal ? row.fence : row.fence + 1;
    const wantedBy = row.wanted_by === ask.holder ? null : row.wanted_by;
    take.run(ask.holder, nowMs + ask.ttlMs, fence, wantedBy, row.id);
    return { chainId: ask.chainId, head: { seq: row.seq, hash: row.hash }, fence };
  }

  /** Ends the lease of `row`; the fence grows, so what was written under it is over. */
  function release(row: HeadRow, nowMs: number): void {
    const leaseUntil = row.wanted_by === null ? 0 : nowMs + HEAD_HANDOVER_MS;
    take.run(row.wanted_by, leaseUntil, row.fence + 1, null, row.id);
  }

  function releaseHead(lease: HeadLease, nowMs: number): void {
    const row = find(lease.chainId);
    if (row !== undefined && row.fence === lease.fence) release(row, nowMs);
  }

  /** For the reading thread: spares a waiting process the write lock while nothing changed. */
  function isTaken(ask: HeadAsk, nowMs: number): boolean {
    const row = find(ask.chainId);
    return row !== undefined && row.wanted_by !== null && isHeldByOther(row, ask.holder, nowMs);
  }

  function head(chainId: ChainId): ChainHead {
    const row = find(chainId);
    return row === undefined ? HEAD_EMPTY : { seq: row.seq, hash: row.hash };
  }

  return { find, findOrInsert, takeHead, release, releaseHead, isTaken, head };
}

function isHeldByOther(row: HeadRow, holder: string, nowMs: number): boolean {
  return row.holder !== null && row.holder !== holder && nowMs < row.lease_until;
}
