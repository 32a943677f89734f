/** The head of each chain: where it ends, and who may append (the rules are in headLease). */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { ChainHead, HeadLease, HeldHead } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { HASH_ZERO, HEAD_EMPTY } from '../emptyHead.ts';
import {
  askForLease,
  type HeadAsk,
  type HeadState,
  heldHead,
  type LeaseState,
  pulseOf,
  releaseLease,
  takenOver,
  understood,
} from '../headLease.ts';
import { HELD_HEADS_MAX } from '../limits.ts';

export interface HeadRow extends HeadState {
  readonly id: number;
  readonly hash: string;
}

/** What the asking process knows: its time, and at which pulse it has seen the head stand still. */
export interface HeadSight {
  readonly nowMs: number;
  readonly silentAt?: string;
}

export function chainHead(database: DatabaseSync) {
  const select = database.prepare(
    `SELECT id, seq, hash, fence, holder, lease_until AS leaseUntil, wanted_by AS wantedBy
     FROM chain WHERE chain_id = ?`,
  );
  const selectHeld = database.prepare(
    `SELECT chain_id AS chainId, id, seq, hash, fence, holder, lease_until AS leaseUntil,
       wanted_by AS wantedBy
     FROM chain WHERE holder IS NOT NULL ORDER BY chain_id LIMIT ?`,
  );
  const insert = database.prepare(
    `INSERT INTO chain (chain_id, seq, hash, fence, lease_until, checkpoint_seq)
     VALUES (?, 0, '${HASH_ZERO}', 0, 0, 0) ON CONFLICT DO NOTHING`,
  );
  const updateLease = database.prepare(
    'UPDATE chain SET fence = ?, holder = ?, lease_until = ?, wanted_by = ? WHERE id = ?',
  );

  const find = (chainId: ChainId): HeadRow | undefined => {
    const row = select.get(chainId) as unknown as HeadRow | undefined;
    return row && understood(row);
  };

  const held = (): HeldHead[] =>
    (selectHeld.all(HELD_HEADS_MAX) as unknown as (HeadRow & { chainId: ChainId })[]).flatMap(
      (row) => heldHead(row.chainId, understood(row)) ?? [],
    );

  const saveLease = (id: number, state: LeaseState): void => {
    updateLease.run(state.fence, state.holder, state.leaseUntil, state.wantedBy, id);
  };

  function findOrInsert(chainId: ChainId): HeadRow {
    insert.run(chainId);
    const row = find(chainId);
    assert(row !== undefined, 'a chain that was just inserted is there');
    return row;
  }

  function takeHead(ask: HeadAsk, { nowMs, silentAt }: HeadSight): HeadLease | undefined {
    const row = findOrInsert(ask.chainId);
    const next = askForLease(row, ask, { isSilent: silentAt === pulseOf(row), nowMs });
    if (next !== row) saveLease(row.id, next);
    if (next.holder !== ask.holder) return undefined;
    const head = { seq: row.seq, hash: row.hash };
    return { chainId: ask.chainId, fence: next.fence, head, ...takenOver(row, ask.holder) };
  }

  function release(row: HeadRow): void {
    saveLease(row.id, releaseLease(row));
  }

  function releaseHead(lease: HeadLease): void {
    const row = find(lease.chainId);
    if (row !== undefined && row.fence === lease.fence) release(row);
  }

  function head(chainId: ChainId): ChainHead {
    const row = find(chainId);
    return row === undefined ? HEAD_EMPTY : { seq: row.seq, hash: row.hash };
  }

  return { find, findOrInsert, head, held, release, releaseHead, takeHead };
}
