/**
 * The evidence: its reads, and the writes beside appendGroup. Every statement starts from a chain,
 * and none changes an event.
 */
import type { DatabaseSync } from 'node:sqlite';
import type {
  AuditStore,
  ChainHead,
  Checkpoint,
  IdempotencyRecord,
  SealedEvent,
} from '#core/audit';
import type { ChainId, EventId, ScreeningId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { PAGE_ROWS_MAX, PURGE_ROWS_MAX } from '../limits.ts';
import { chainHead } from './chainHead.ts';
import { parseDocument } from './rows.ts';

export const EVENT_COLUMNS = `
  e.seq, e.event_id, e.type, e.occurred_at, e.screening_id, e.action, e.decision, e.hash, e.body,
  o.open
  FROM chain AS c JOIN audit_event AS e ON e.chain = c.id
  LEFT JOIN audit_open AS o ON o.chain = e.chain AND o.seq = e.seq
  WHERE c.chain_id = ?`;

type EventPage = Parameters<AuditStore['readEvents']>[0];
type TargetsAsk = Parameters<AuditStore['lastEntries']>[0];

export interface EventRow {
  readonly seq: number;
  readonly event_id: string;
  readonly type: string;
  readonly occurred_at: number;
  readonly screening_id: string | null;
  readonly action: string | null;
  readonly decision: string | null;
  readonly hash: string;
  readonly body: string;
  readonly open: string | null;
}

export function auditReader(database: DatabaseSync) {
  const heads = chainHead(database);
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} AND e.seq >= ? ORDER BY e.seq ASC LIMIT ?`,
  );
  const pageOfAction = database.prepare(
    `SELECT ${EVENT_COLUMNS} AND e.action = ? AND e.seq >= ? ORDER BY e.seq ASC LIMIT ?`,
  );
  const bySeq = database.prepare(`SELECT ${EVENT_COLUMNS} AND e.seq = ?`);
  // Word for word as in the index.
  const lastOfTarget = database.prepare(
    `SELECT ${EVENT_COLUMNS} AND e.action IS NOT NULL
       AND CASE WHEN json_valid(e.body) THEN json_extract(e.body, '$.target') END = ?
     ORDER BY e.seq DESC LIMIT 1`,
  );
  const byScreening = database.prepare(`SELECT ${EVENT_COLUMNS} AND e.screening_id = ?`);
  const idempotency = database.prepare(
    'SELECT * FROM idempotency WHERE scope = ? AND created_at >= ?',
  );
  const checkpoint = database.prepare(
    `SELECT k.document FROM chain AS c JOIN audit_checkpoint AS k ON k.chain = c.id
     WHERE c.chain_id = ? ORDER BY k.seq DESC, k.rowid DESC LIMIT 1`,
  );
  const begun = database.prepare(
    `SELECT chain_id, seq, hash, checkpoint_seq FROM chain
     WHERE seq > 0 AND (seq > checkpoint_seq OR ? = 'all') ORDER BY chain_id`,
  );
  const toEvents = (rows: unknown): SealedEvent[] => (rows as EventRow[]).map(toEvent);

  return {
    findHead: heads.find,
    heldHeads: heads.held,
    head: heads.head,
    readEvents: ({ action, chainId, fromSeq, limit }: EventPage): SealedEvent[] => {
      const count = Math.min(limit, PAGE_ROWS_MAX);
      return toEvents(
        action === undefined
          ? page.all(chainId, fromSeq, count)
          : pageOfAction.all(chainId, action, fromSeq, count),
      );
    },
    lastEntries: ({ chainId, targets }: TargetsAsk): (SealedEvent | undefined)[] =>
      targets.map((target) => toEvents(lastOfTarget.all(chainId, target))[0]),
    findBySeq: (chainId: ChainId, seq: number): SealedEvent | undefined =>
      toEvents(bySeq.all(chainId, seq))[0],
    findByScreening: (chainId: ChainId, id: ScreeningId): SealedEvent | undefined =>
      toEvents(byScreening.all(chainId, id))[0],
    findByScreenings: (
      chainId: ChainId,
      ids: readonly ScreeningId[],
    ): ReadonlyMap<ScreeningId, SealedEvent> =>
      new Map(ids.flatMap((id) => toEvents(byScreening.all(chainId, id)).map((one) => [id, one]))),
    findIdempotency: (scope: string, notBefore: EpochMs): IdempotencyRecord | undefined =>
      toIdempotency(idempotency.get(scope, notBefore)),
    latestCheckpoint: (chainId: ChainId): Checkpoint | undefined =>
      parseDocument(checkpoint.get(chainId)),
    listChains: (
      which: 'all' | 'past-checkpoint',
    ): { chainId: ChainId; head: ChainHead; checkpointSeq: number }[] =>
      begun.all(which).map((row) => ({
        chainId: row.chain_id as ChainId,
        head: { seq: row.seq as number, hash: row.hash as string },
        checkpointSeq: row.checkpoint_seq as number,
      })),
  };
}

export function auditWriter(database: DatabaseSync) {
  const heads = chainHead(database);
  const erase = database.prepare(
    `DELETE FROM audit_open
     WHERE chain = (SELECT id FROM chain WHERE chain_id = ?) AND seq = ?`,
  );
  const purge = database.prepare(
    `DELETE FROM idempotency WHERE rowid IN
       (SELECT rowid FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  );
  const insertCheckpoint = database.prepare(
    'INSERT INTO audit_checkpoint (chain, seq, document) VALUES (?, ?, ?)',
  );
  const moveCheckpoint = database.prepare(
    'UPDATE chain SET checkpoint_seq = max(checkpoint_seq, ?) WHERE id = ?',
  );

  return {
    takeHead: heads.takeHead,
    releaseHead: heads.releaseHead,
    eraseOpen: (chainId: ChainId, seq: number): boolean => erase.run(chainId, seq).changes === 1,
    /** One step; the caller repeats it until it answers less than PURGE_ROWS_MAX. */
    purgeIdempotency(createdBefore: EpochMs): number {
      return Number(purge.run(createdBefore, PURGE_ROWS_MAX).changes);
    },
    saveCheckpoint(checkpoint: Checkpoint): void {
      const { id } = heads.findOrInsert(checkpoint.tenant_id as ChainId);
      insertCheckpoint.run(id, checkpoint.seq, JSON.stringify(checkpoint));
      moveCheckpoint.run(checkpoint.seq, id);
    },
  };
}

export function toEvent(row: EventRow): SealedEvent {
  return {
    seq: row.seq,
    eventId: row.event_id as EventId,
    type: row.type as SealedEvent['type'],
    occurredAt: row.occurred_at as EpochMs,
    ...(row.screening_id === null ? {} : { screeningId: row.screening_id as ScreeningId }),
    ...(row.action === null ? {} : { action: row.action }),
    ...(row.decision === null ? {} : { decision: row.decision }),
    hash: row.hash,
    body: row.body,
    ...(row.open === null ? {} : { open: row.open }),
  };
}

function toIdempotency(row: Record<string, unknown> | undefined): IdempotencyRecord | undefined {
  if (row === undefined) return undefined;
  return {
    scope: row.scope as string,
    fingerprint: row.fingerprint as string,
    createdAt: row.created_at as EpochMs,
    answer: JSON.parse(row.answer as string) as IdempotencyRecord['answer'],
  };
}
