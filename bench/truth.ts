/**
 * The exhaustive answer at a million entities: every entity is looked at, none by an index, and
 * only those are scored whose letters, date and nationality allow them to reach the line at all.
 * The bounds are never below a kernel's answer (test/engine/recall.test.ts holds the same functions
 * to scoring everything), so nothing over the line is missing. Some hundred times slower than the
 * engine.
 */
import type { RawQuery, ScorerSettings } from '#engine';
import { Deadline } from '../src/engine/deadline.ts';
import { Formula } from '../src/engine/formula.ts';
import { KernelHost } from '../src/engine/kernelHost.ts';
import type { ListAsk } from '../src/engine/listAsk.ts';
import { layOutList } from '../src/engine/listMemory.ts';
import { BLOCK, BLOCK_LENGTH } from '../src/engine/messages.ts';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';
import { PreparedQuery } from '../src/engine/preparedQuery.ts';
import { QueryRunner } from '../src/engine/queryRunner.ts';
import { DIRECT_SCORE_MIN, ListScreener } from '../src/engine/screenList.ts';
import { openSnapshot, type Snapshot } from '../src/engine/snapshotFormat.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';

/** An entity and what the re-ranker gives it. */
export interface Scored {
  readonly entity: number;
  readonly direct: number;
  readonly final: number;
}

/** What looking at everything says of one query at a time: `ask` before the others. */
export interface Judge {
  ask(raw: RawQuery): void;
  /** All entities whose directScore reaches `line`: finalScore descending, then by id. */
  overLine(line: number): readonly Scored[];
  /** One entity's scores; undefined where they are not told. */
  scoreOf(entity: number): Scored | undefined;
}

/** The truth of a re-ranker. */
export function judgeOf(snapshot: SharedArrayBuffer, settings: ScorerSettings): Judge {
  return settings.version.startsWith('1.')
    ? new Truth(snapshot, settings)
    : new WholeAnswer(snapshot, settings);
}

/** The exhaustive answer of a re-ranker that has no bounds of this kind: its best 50 alone. */
class WholeAnswer implements Judge {
  readonly #runner = new QueryRunner();
  readonly #settings: ScorerSettings;
  readonly #block = new Float64Array(BLOCK_LENGTH);
  #scored: Scored[] = [];

  constructor(snapshot: SharedArrayBuffer, settings: ScorerSettings) {
    this.#runner.useIndexes([{ number: 1, buffer: snapshot }]);
    this.#settings = settings;
  }

  ask(query: RawQuery): void {
    const block = this.#block;
    const expiresAt = Number.POSITIVE_INFINITY;
    const task = { expiresAt, indexes: [1], query, settings: this.#settings };
    this.#runner.run(task, block, { exhaustive: true });
    this.#scored = Array.from({ length: block[BLOCK.count] ?? 0 }, (_, rank) => {
      const at = BLOCK.rows + rank * ROW_LENGTH;
      const cell = (column: number) => block[at + column] ?? -1;
      return {
        direct: cell(COLUMN.directScore),
        entity: cell(COLUMN.entity),
        final: cell(COLUMN.finalScore),
      };
    });
  }

  overLine(line: number): readonly Scored[] {
    return this.#scored.filter(({ direct }) => direct >= line);
  }

  scoreOf(entity: number): Scored | undefined {
    return this.#scored.find((one) => one.entity === entity);
  }
}

/** One list and one set of settings of re-ranker 1. */
export class Truth implements Judge {
  readonly list: Snapshot;
  readonly #ask: Omit<ListAsk, 'best'>;
  readonly #query = new PreparedQuery();
  readonly #screener = new ListScreener();

  constructor(snapshot: SharedArrayBuffer, settings: ScorerSettings) {
    const memory = layOutList(snapshot, { slots: 1 });
    this.list = openSnapshot(memory.buffer);
    this.#ask = {
      list: this.list,
      host: new KernelHost({ list: this.list, ...memory }),
      index: 0,
      query: this.#query,
      formula: new Formula(settings),
      primaryOnly: settings.phoneticNames === 'primary',
      directScoreMin: settings.directScoreMin ?? DIRECT_SCORE_MIN,
      deadline: new Deadline(),
    };
  }

  ask(raw: RawQuery): void {
    this.#query.set(normalizeQuery(raw));
  }

  /** All entities whose directScore reaches `line`: finalScore descending, then by id. */
  overLine(line: number): Scored[] {
    const found = this.#collect((ask) => this.#screener.scoreEvery(ask, line));
    return found
      .filter(({ direct }) => direct >= line)
      .sort((a, b) => b.final - a.final || a.entity - b.entity);
  }

  /** One entity's scores; undefined where the query's schema leaves it out. */
  scoreOf(entity: number): Scored | undefined {
    return this.#collect((ask) => this.#screener.scoreThese(ask, Uint32Array.of(entity)))[0];
  }

  #collect(run: (ask: ListAsk) => void): Scored[] {
    const found: Scored[] = [];
    this.#ask.host.open(0, undefined);
    run({
      ...this.#ask,
      best: {
        directRequired: () => 0,
        offer: (row) => {
          found.push({
            entity: row[COLUMN.entity] ?? -1,
            direct: row[COLUMN.directScore] ?? 0,
            final: row[COLUMN.finalScore] ?? 0,
          });
          return true;
        },
      },
    });
    return found;
  }
}
