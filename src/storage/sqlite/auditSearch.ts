/**
 * The search of the audit trail. Each range is read off an index that holds its seqs in order, and
 * ranges are merged here: a sort over several of them would read all first. Only the events that
 * are wanted are fetched then, for a body has 12 KB.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AuditStore, EventSearch, SealedEvent } from '#core/audit';
import type { ChainId, EventId } from '#core/kernel';
import { PAGE_ROWS_MAX } from '../limits.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './auditStore.ts';
import { ACTOR } from './migrations/m0012AuditSearch.ts';

/** As `type` of the trail names screenings, which have no action. */
const SCREENING = 'screening';
const ACTOR_OF_E = ACTOR.replaceAll('body', 'e.body');
const TARGET_OF_E = "CASE WHEN json_valid(e.body) THEN json_extract(e.body, '$.target') END";

/** Conditions of the ranges, each with the index that holds it in the order of seq. */
const RANGES = {
  action: { by: 'audit_event_by_action', where: 'AND e.action = ?' },
  actor: { by: 'audit_event_by_actor', where: `AND ${ACTOR_OF_E} = ? AND e.action = ?` },
  actorScreenings: {
    by: 'audit_event_by_actor',
    where: `AND ${ACTOR_OF_E} = ? AND e.action IS NULL`,
  },
  all: { by: 'audit_event_by_seq', where: '' },
  screenings: { by: 'audit_event_of_screenings', where: 'AND e.action IS NULL' },
  target: {
    by: 'audit_event_by_target',
    where: `AND e.action IS NOT NULL AND ${TARGET_OF_E} = ?`,
  },
} as const;

interface Range {
  readonly name: keyof typeof RANGES;
  readonly values: readonly SQLInputValue[];
}

type Statements = Readonly<Record<keyof typeof RANGES, StatementSync>>;

/** The statements of one order, a closed set. */
function statementsOf(database: DatabaseSync, order: 'ASC' | 'DESC'): Statements {
  const made = Object.entries(RANGES).map(([name, { by, where }]) => {
    const text = `SELECT e.seq FROM audit_event AS e INDEXED BY ${by}
      WHERE e.chain = ? ${where} AND e.seq BETWEEN ? AND ? ORDER BY e.seq ${order} LIMIT ?`;
    return [name, database.prepare(text)] as const;
  });
  return Object.fromEntries(made) as Statements;
}

export function auditSearch(database: DatabaseSync) {
  const ordered = { asc: statementsOf(database, 'ASC'), desc: statementsOf(database, 'DESC') };
  const chainOf = database.prepare('SELECT id FROM chain WHERE chain_id = ?');
  const nextAction = database.prepare(
    `SELECT e.action FROM audit_event AS e INDEXED BY audit_event_by_actor
     WHERE e.chain = ? AND ${ACTOR_OF_E} = ? AND e.action > ? ORDER BY e.action LIMIT 1`,
  );
  const seqOfScreening = database.prepare(
    'SELECT e.seq FROM audit_event AS e WHERE e.chain = ? AND e.screening_id = ?',
  );
  const bySeq = database.prepare(`SELECT ${EVENT_COLUMNS} AND e.seq = ?`);
  const byId = database.prepare(`SELECT ${EVENT_COLUMNS} AND e.event_id = ?`);

  /** Actions of an actor, each found by one seek behind the one before. */
  function actionsOf(chain: number, actor: string): string[] {
    const found: string[] = [];
    for (let last = ''; ; last = found.at(-1) ?? '') {
      const row = nextAction.get(chain, actor, last);
      if (row === undefined) return found;
      found.push(row.action as string);
    }
  }

  function rangesOf(chain: number, { actions, actor }: EventSearch): readonly Range[] {
    if (actor !== undefined) {
      const named = actions ?? [...actionsOf(chain, actor), SCREENING];
      return named.map((action) =>
        action === SCREENING
          ? { name: 'actorScreenings', values: [actor] }
          : { name: 'actor', values: [actor, action] },
      );
    }
    if (actions === undefined) return [{ name: 'all', values: [] }];
    return actions.map((action) =>
      action === SCREENING
        ? { name: 'screenings', values: [] }
        : { name: 'action', values: [action] },
    );
  }

  function seqsOf(chain: number, search: EventSearch): number[] {
    const { fromSeq, limit, order, target, toSeq } = search;
    const read = ({ name, values }: Range): number[] =>
      ordered[order][name]
        .all(chain, ...values, fromSeq, toSeq, limit)
        .map(({ seq }) => seq as number);
    if (target === undefined) return rangesOf(chain, search).flatMap(read);
    const screened = seqOfScreening.get(chain, target)?.seq as number | undefined;
    const isWithin = screened !== undefined && screened >= fromSeq && screened <= toSeq;
    return [...read({ name: 'target', values: [target] }), ...(isWithin ? [screened] : [])];
  }

  const oneOf = (row: Record<string, unknown> | undefined): SealedEvent | undefined =>
    row && toEvent(row as unknown as EventRow);
  return {
    searchEvents: (search: EventSearch): Awaited<ReturnType<AuditStore['searchEvents']>> => {
      assert(search.limit >= 1 && search.limit <= PAGE_ROWS_MAX, `search: limit ${search.limit}`);
      const chain = chainOf.get(search.chainId)?.id as number | undefined;
      if (chain === undefined) return [];
      const sign = search.order === 'asc' ? 1 : -1;
      const seqs = seqsOf(chain, search).sort((one, other) => sign * (one - other));
      return seqs
        .slice(0, search.limit)
        .flatMap((seq) => oneOf(bySeq.get(search.chainId, seq)) ?? []);
    },
    findByEventId: (chainId: ChainId, eventId: EventId): SealedEvent | undefined =>
      oneOf(byId.get(chainId, eventId)),
  };
}
