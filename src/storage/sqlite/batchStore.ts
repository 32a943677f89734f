/**
 * Batches, their chunks and the reviews of their hits: the reading side of BatchStore, the leases
 * and the chunks that wait, and their changes as parts of a group.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { BatchId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Batch, BatchChange, BatchChunk, BatchStore, HitReview } from '#slices/batches';
import { type BlobPage, blobOfChunk, blobsOfBatch } from '../batchBlobs.ts';
import { assertNewer, assertOpen, assertWaiting, isOpenStatus } from '../knownChange.ts';
import { PAGE_ROWS_MAX } from '../limits.ts';
import { parseDocument, wrote } from './rows.ts';

type Asked<Name extends keyof BatchStore> = Parameters<BatchStore[Name]>[0];

const CHUNK_COLUMNS = 'document, lease_holder, lease_until, tries, result';

export const batchReader = (database: DatabaseSync) => ({
  ...batchRows(database),
  ...chunkRows(database),
  ...reviewRows(database),
});

function batchRows(database: DatabaseSync) {
  const batch = database.prepare('SELECT document FROM batch WHERE batch_id = ? AND tenant_id = ?');
  // Numbered and put into turns from the index alone, of which a tenant has a hundred at the most.
  const open = database.prepare(
    `SELECT document FROM (
       SELECT batch_id, requested_at,
         row_number() OVER (PARTITION BY tenant_id ORDER BY requested_at, batch_id) AS turn
       FROM batch INDEXED BY batch_open WHERE is_open = 1
       ORDER BY turn, requested_at, batch_id LIMIT ?
     ) AS turns JOIN batch USING (batch_id)
     ORDER BY turns.turn, turns.requested_at, batch_id`,
  );
  const every = database.prepare(
    'SELECT batch_id, document FROM batch WHERE batch_id > ? ORDER BY batch_id LIMIT ?',
  );
  return {
    findBatch: ({ batchId, tenantId }: Asked<'findBatch'>): Batch | undefined =>
      parseDocument(batch.get(batchId, tenantId)),
    listBatches: (page: Asked<'listBatches'>): Batch[] => {
      const { text, values } = batchQuery(page);
      const rows = database.prepare(text).all(...values);
      return rows.map((row) => parseDocument<Batch>(row));
    },
    openBatches: (limit: number): Batch[] =>
      open.all(Math.min(limit, PAGE_ROWS_MAX)).map((row) => parseDocument<Batch>(row)),
    batchBlobs: (after: BatchId | undefined): BlobPage<BatchId> => {
      const batches = every.all(after ?? '', PAGE_ROWS_MAX).map((row) => parseDocument<Batch>(row));
      return { addresses: batches.flatMap(blobsOfBatch), next: batches.at(-1)?.batchId };
    },
  };
}

/** Only the filters in use, so that each combination finds its index. */
function batchQuery(page: Asked<'listBatches'>) {
  const { tenantId, name, status, before } = page;
  const conditions = ['tenant_id = ?'];
  const values: SQLInputValue[] = [tenantId];
  const where = (condition: string, ...given: SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (name !== undefined) where('name = ?', name);
  if (status !== undefined) where('status = ?', status);
  if (before) where('(requested_at, batch_id) < (?, ?)', before.requestedAt, before.batchId);
  values.push(Math.min(page.limit, PAGE_ROWS_MAX));
  return {
    text: `SELECT document FROM batch WHERE ${conditions.join(' AND ')}
       ORDER BY requested_at DESC, batch_id DESC LIMIT ?`,
    values,
  };
}

function chunkRows(database: DatabaseSync) {
  const chunk = database.prepare(
    `SELECT ${CHUNK_COLUMNS} FROM batch_chunk WHERE batch_id = ? AND chunk_no = ?`,
  );
  const chunks = database.prepare(
    `SELECT ${CHUNK_COLUMNS} FROM batch_chunk WHERE batch_id = ? AND chunk_no >= ?
     ORDER BY chunk_no LIMIT ?`,
  );
  const every = database.prepare(
    `SELECT ${CHUNK_COLUMNS} FROM batch_chunk WHERE (batch_id, chunk_no) > (?, ?)
     ORDER BY batch_id, chunk_no LIMIT ?`,
  );
  return {
    findChunk: (batchId: BatchId, chunkNo: number): BatchChunk | undefined =>
      toChunk(chunk.get(batchId, chunkNo)),
    listChunks: ({ batchId, fromNo, limit }: Asked<'listChunks'>): BatchChunk[] =>
      chunks.all(batchId, fromNo, Math.min(limit, PAGE_ROWS_MAX)).map((row) => toChunk(row)),
    chunkBlobs: (after: ChunkPlace | undefined): BlobPage<ChunkPlace> => {
      const { batchId, chunkNo } = after ?? { batchId: '', chunkNo: -1 };
      const page = every.all(batchId, chunkNo, PAGE_ROWS_MAX).map((row) => toChunk(row));
      const last = page.at(-1);
      const next = last && { batchId: last.batchId, chunkNo: last.chunkNo };
      return { addresses: page.map(blobOfChunk), next };
    },
  };
}

/** Chunks of all batches are in its order. */
export type ChunkPlace = Pick<BatchChunk, 'batchId' | 'chunkNo'>;

function toChunk(row: Record<string, unknown>): BatchChunk;
function toChunk(row: Record<string, unknown> | undefined): BatchChunk | undefined;
function toChunk(row: Record<string, unknown> | undefined): BatchChunk | undefined {
  if (row === undefined) return undefined;
  const { lease_holder: leaseHolder, lease_until: leaseUntil, result } = row;
  const chunk = parseDocument<BatchChunk>(row);
  if (typeof result === 'string') return { ...chunk, result: JSON.parse(result) };
  const tries = Number(row.tries);
  return {
    ...chunk,
    ...(typeof leaseHolder === 'string' && { leaseHolder, leaseUntil: leaseUntil as EpochMs }),
    ...(tries > 0 && { tries }),
  };
}

function reviewRows(database: DatabaseSync) {
  const review = database.prepare(
    'SELECT document FROM batch_review WHERE batch_id = ? AND hit_id = ?',
  );
  return {
    findReview: (batchId: BatchId, hitId: string): HitReview | undefined =>
      parseDocument(review.get(batchId, hitId)),
    listReviews: (page: Asked<'listReviews'>): HitReview[] => {
      const { text, values } = reviewQuery(page);
      const rows = database.prepare(text).all(...values);
      return rows.map((row) => parseDocument<HitReview>(row));
    },
  };
}

function reviewQuery({ batchId, decision, after, toOrdinal, limit }: Asked<'listReviews'>) {
  const conditions = ['batch_id = ?'];
  const values: SQLInputValue[] = [batchId];
  if (decision !== undefined) {
    conditions.push('decision = ?');
    values.push(decision);
  }
  if (after !== undefined) {
    conditions.push('(ordinal, position) > (?, ?)');
    values.push(after.ordinal, after.position);
  }
  if (toOrdinal !== undefined) {
    conditions.push('ordinal < ?');
    values.push(toOrdinal);
  }
  values.push(Math.min(limit, PAGE_ROWS_MAX));
  return {
    text: `SELECT document FROM batch_review WHERE ${conditions.join(' AND ')}
       ORDER BY ordinal, position LIMIT ?`,
    values,
  };
}

export function batchWriter(database: DatabaseSync) {
  const put = batchPut(database);
  const add = database.prepare(
    `INSERT INTO batch_chunk (batch_id, chunk_no, lease_until, document) VALUES (?, ?, 0, ?)
     ON CONFLICT DO NOTHING`,
  );
  // The index by name: otherwise the planner reads the primary key, past all completed chunks.
  const lease = database.prepare(
    `UPDATE batch_chunk SET lease_holder = :holder, lease_until = :until, tries = tries + 1
     WHERE batch_id = :batchId AND chunk_no =
       (SELECT chunk_no FROM batch_chunk INDEXED BY batch_chunk_waiting
        WHERE batch_id = :batchId AND result IS NULL AND lease_until <= :now
        ORDER BY chunk_no LIMIT 1)
     RETURNING ${CHUNK_COLUMNS}`,
  );
  const renew = database.prepare(
    `UPDATE batch_chunk SET lease_until = ? WHERE batch_id = ? AND chunk_no = ? AND
       lease_holder = ? AND result IS NULL`,
  );
  // Only while no other worker has it, so a second give-back has no effect.
  const giveBack = database.prepare(
    `UPDATE batch_chunk SET lease_holder = NULL, lease_until = 0, tries = tries - 1
     WHERE batch_id = ? AND chunk_no = ? AND lease_holder = ? AND result IS NULL`,
  );
  return {
    saveBatch: (batch: Batch, versionExpected: number): boolean => {
      assertNewer(batch, versionExpected);
      assertOpen(batch);
      return put(batch, versionExpected);
    },
    addChunks: (chunks: readonly BatchChunk[]): void => {
      for (const chunk of chunks) {
        assertWaiting(chunk);
        add.run(chunk.batchId, chunk.chunkNo, JSON.stringify(chunk));
      }
    },
    leaseChunk: ({ batchId, holder, now, until }: Asked<'leaseChunk'>): BatchChunk | undefined =>
      toChunk(lease.get({ batchId, holder, now, until })),
    renewChunk: ({ batchId, chunkNo, holder, until }: Asked<'renewChunk'>): boolean =>
      wrote(renew, until, batchId, chunkNo, holder),
    returnChunk: ({ batchId, chunkNo, holder }: Asked<'returnChunk'>): boolean =>
      wrote(giveBack, batchId, chunkNo, holder),
  };
}

export function batchChanges(database: DatabaseSync): (change: BatchChange) => boolean {
  const put = batchPut(database);
  const review = reviewPut(database);
  const done = database.prepare(
    `UPDATE batch_chunk SET result = ?, lease_holder = NULL, lease_until = 0
     WHERE batch_id = ? AND chunk_no = ? AND result IS NULL`,
  );
  return (change) => {
    switch (change.kind) {
      case 'batch.put':
        return put(change.batch, change.versionExpected);
      case 'batch.chunk.done':
        return wrote(done, JSON.stringify(change.result), change.batchId, change.chunkNo);
      case 'batch.review.put':
        return review(change.review, change.versionExpected);
    }
  };
}

/** A batch that has ended stays as it is, and no batch moves to another tenant. */
function batchPut(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO batch (name, status, is_open, requested_at, version, document, batch_id, tenant_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE batch SET name = ?, status = ?, is_open = ?, requested_at = ?, version = ?,
       document = ? WHERE batch_id = ? AND tenant_id = ? AND version = ? AND is_open = 1`,
  );
  return (batch: Batch, expected: number): boolean => {
    const { name, status, requestedAt, version, batchId, tenantId } = batch;
    const isOpen = isOpenStatus(status) ? 1 : 0;
    const document = JSON.stringify(batch);
    const values = [name, status, isOpen, requestedAt, version, document, batchId, tenantId];
    return expected === 0 ? wrote(insert, ...values) : wrote(update, ...values, expected);
  };
}

function reviewPut(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO batch_review (ordinal, position, decision, version, document, batch_id, hit_id)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE batch_review SET ordinal = ?, position = ?, decision = ?, version = ?, document = ?
     WHERE batch_id = ? AND hit_id = ? AND version = ?`,
  );
  return (review: HitReview, expected: number): boolean => {
    const { ordinal, position, decision, version, batchId, hitId } = review;
    const document = JSON.stringify(review);
    const values = [ordinal, position, decision, version, document, batchId, hitId];
    return expected === 0 ? wrote(insert, ...values) : wrote(update, ...values, expected);
  };
}
