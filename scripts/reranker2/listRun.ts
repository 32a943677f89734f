/**
 * Searches real lists with any re-ranker, as a thread of the engine does: what pairs of names
 * cannot show is how often names of people who are on no list are hits.
 */
import type { IndexEntity } from '#engine';
import { canonicalJson } from '#platform/canonicalJson';
import { type ListEntity, toIndexEntity } from '#slices/lists';
import { buildSnapshot } from '../../src/engine/buildSnapshot.ts';
import { Deadline } from '../../src/engine/deadline.ts';
import { KernelHost } from '../../src/engine/kernelHost.ts';
import { layOutList } from '../../src/engine/listMemory.ts';
import type { RawQuery, ScorerSettings } from '../../src/engine/ports.ts';
import { PreparedQuery } from '../../src/engine/preparedQuery.ts';
import { sliceText } from '../../src/engine/queryRunner.ts';
import type { OpenList, Rerank } from '../../src/engine/rerankAsk.ts';
import { normalizeFor, prepareFor } from '../../src/engine/rerankers.ts';
import { openSnapshot } from '../../src/engine/snapshotFormat.ts';
import { COLUMN, ROW_LENGTH, TopK } from '../../src/engine/topK.ts';
import { entitiesOf, LISTS, type ListSource } from './dataFolder.ts';

/** The settings that ship. */
export const SETTINGS: ScorerSettings = {
  boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  topN: 50,
  version: '2.0.0',
  weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
};

/** An entity that was found. */
export interface Found {
  readonly id: string;
  readonly place: number;
  readonly directScore: number;
  readonly finalScore: number;
  /** The published name that it was found by. */
  readonly matchedName: string;
  /** As thresholds see it, and the bits of information in the words that both names have. */
  readonly z: number;
  readonly bits: number;
}

/** A query by name alone. */
export function byName(name: string, more: Partial<RawQuery> = {}): RawQuery {
  return { name, transliterations: [], ...more };
}

/** Entities of the named lists as the engine takes them; ids carry their source. */
export async function indexEntities(sources: readonly ListSource[]): Promise<IndexEntity[]> {
  const all: IndexEntity[] = [];
  for (const source of sources) {
    for (const entity of await entitiesOf(source)) all.push(indexed(source, entity));
  }
  return all.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function indexed(source: ListSource, entity: ListEntity): IndexEntity {
  const index = toIndexEntity(Buffer.from(canonicalJson(entity)));
  return { ...index, card: '', id: `${source}/${index.id}` };
}

/** All four lists. */
export function allLists(): Promise<IndexEntity[]> {
  return indexEntities(Object.keys(LISTS) as ListSource[]);
}

/** One index that re-rankers search. */
export class ListRun {
  readonly entities: readonly IndexEntity[];
  readonly open: OpenList;
  readonly #prepared = new PreparedQuery();
  readonly #best = new TopK();
  readonly #deadline = new Deadline();

  constructor(entities: readonly IndexEntity[]) {
    this.entities = entities;
    const memory = layOutList(buildSnapshot(entities), { slots: 1 });
    const list = openSnapshot(memory.buffer);
    this.open = { host: new KernelHost({ list, ...memory }), list, removed: undefined };
  }

  /** The candidates of a query, best first, as the re-ranker orders them. */
  search(rerank: Rerank, raw: RawQuery, settings: ScorerSettings = SETTINGS): Found[] {
    this.#deadline.set(Number.POSITIVE_INFINITY, undefined);
    const query = normalizeFor(settings.version, raw, this.#deadline);
    prepareFor(settings.version, query, { deadline: this.#deadline, prepared: this.#prepared });
    const directScoreMin = settings.directScoreMin ?? 0.7;
    this.#best.reset({
      answerScoreMin: settings.answerScoreMin,
      directScoreMin,
      idOrder: () => 0,
      size: settings.topN,
    });
    if (query.names.length === 0) return [];
    rerank({
      best: this.#best,
      deadline: this.#deadline,
      directScoreMin,
      lists: [this.open],
      normalized: query,
      query: this.#prepared,
      settings,
      slot: 0,
    });
    const rows = new Float64Array(settings.topN * ROW_LENGTH);
    this.#best.write(rows, 0);
    return Array.from({ length: this.#best.count }, (_, rank) => this.#found(rows, rank));
  }

  #found(rows: Float64Array, rank: number): Found {
    const { list } = this.open;
    const at = (column: keyof typeof COLUMN) => rows[rank * ROW_LENGTH + COLUMN[column]] ?? 0;
    const place = at('entity');
    const name = at('name');
    return {
      bits: at('bits'),
      directScore: at('directScore'),
      finalScore: at('finalScore'),
      id: this.entities[place]?.id ?? '',
      matchedName: name < 0 ? '' : sliceText(list.nameBytes, list.nameStart, name),
      place,
      z: at('z'),
    };
  }
}
