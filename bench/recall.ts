/**
 * Recall of the exhaustive answer: which of the entities that scoring every entity puts into the
 * answer, at or over the lowest threshold, does the engine's retrieval give back, with the same
 * scores to the last digit?
 */
import type { ScorerSettings } from '#engine';
import { BLOCK, BLOCK_LENGTH, type TaskQuery } from '../src/engine/messages.ts';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';
import { QueryRunner } from '../src/engine/queryRunner.ts';
import { DIRECT_SCORE_MIN } from '../src/engine/screenList.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';
import type { NoisyQuery } from './names.ts';

interface Recall {
  readonly wanted: number;
  readonly found: number;
  /** Queries made from an entity, and those of them whose answer holds it. */
  readonly known: number;
  readonly knownFound: number;
}

/** One engine on the caller's thread over one snapshot, in the form that a thread uses. */
export function openRunner(snapshot: SharedArrayBuffer): QueryRunner {
  const runner = new QueryRunner();
  runner.useIndexes([{ number: 1, buffer: snapshot }]);
  return runner;
}

/** A task of the one index. */
export function taskOf(query: TaskQuery['query'], settings: ScorerSettings): TaskQuery {
  return { query, settings, indexes: [1], expiresAt: Number.POSITIVE_INFINITY };
}

function rowsOf(block: Float64Array): Map<number, string> {
  const rows = new Map<number, string>();
  for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
    const at = BLOCK.rows + rank * ROW_LENGTH;
    rows.set(block[at + COLUMN.entity] ?? -1, block.slice(at, at + ROW_LENGTH).join());
  }
  return rows;
}

function directOf(row: string): number {
  return Number(row.split(',')[COLUMN.directScore]);
}

export function measureRecall(ask: {
  readonly snapshot: SharedArrayBuffer;
  readonly queries: readonly NoisyQuery[];
  readonly settings: ScorerSettings;
  /** Place of an id in the list, to see whether the entity behind a query is in its answer. */
  readonly entityOf?: ReadonlyMap<string, number>;
}): Recall {
  const runner = openRunner(ask.snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  const least = ask.settings.directScoreMin ?? DIRECT_SCORE_MIN;
  const sum = { wanted: 0, found: 0, known: 0, knownFound: 0 };
  for (const { id, raw } of ask.queries) {
    const task = taskOf(normalizeQuery(raw), ask.settings);
    runner.run(task, block);
    const ours = rowsOf(block);
    runner.run(task, block, true);
    for (const [entity, row] of rowsOf(block)) {
      if (directOf(row) < least) continue;
      sum.wanted += 1;
      if (ours.get(entity) === row) sum.found += 1;
    }
    const entity = id === undefined ? undefined : ask.entityOf?.get(id);
    if (entity === undefined) continue;
    sum.known += 1;
    if (ours.has(entity)) sum.knownFound += 1;
  }
  return sum;
}
