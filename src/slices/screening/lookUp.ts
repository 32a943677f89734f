/**
 * Entries of the lists in force by what a person types: for finding an entry, never instead of a
 * screening. Nothing is written, nobody is cleared by it, and the answer says so. The engine's side
 * is declared again in src/engine/ports.ts; the two fit structurally.
 */
import { DomainError } from '#core/kernel';
import { rethrowRefusal } from './engineRefusal.ts';
import { selectLists } from './lists.ts';
import type { ListsState } from './ports.ts';

/** Characters of what was typed. */
export const LOOKUP_TEXT_CHARS_MAX = 100;
export const NO_SCREENING =
  'A look-up by text, not a screening: nothing was written, and nobody is clear by it.';
const RELEVANCE_DECIMALS = 3;
/** Greater than every rank of the engine's. */
const RANKS = 1_100;

export interface LookupPlace {
  readonly rank: number;
  readonly id: string;
  /** Place of the index among those that were asked. */
  readonly index: number;
}

export interface LookupAsk {
  readonly text: string;
  readonly limit: number;
  readonly after?: LookupPlace | undefined;
}

export interface LookupCaller {
  /** Whose turn it takes: a tenant. */
  readonly turn: string;
  /** Fires when the client goes away; a look-up that still waits is then dropped. */
  readonly signal?: AbortSignal | undefined;
}

export interface LookupRow extends LookupPlace {
  readonly card: string;
  readonly matchedName: string;
}

export interface LookupAnswer {
  /** By rank, then id, then place of the index. */
  readonly rows: readonly LookupRow[];
  readonly hasMore: boolean;
  readonly isTruncated: boolean;
  /** What was typed has no letter and no digit. */
  readonly isEmpty: boolean;
}

export interface LookupPorts<Index extends object> {
  readonly inForce: () => ListsState<Index>;
  readonly lookUp: (
    indexes: readonly Index[],
    ask: LookupAsk,
    by: LookupCaller,
  ) => Promise<LookupAnswer>;
}

/** Where the next page begins: lists may come and go meanwhile, so they are named. */
export interface EntityPlace {
  readonly rank: number;
  readonly id: string;
  readonly list: string;
}

export interface TextAsk {
  readonly text: string;
  readonly limit: number;
  readonly list?: string | undefined;
  readonly sandbox: boolean;
  readonly after?: EntityPlace | undefined;
  readonly caller: LookupCaller;
}

export interface FoundEntities {
  readonly body: object;
  readonly next: EntityPlace | undefined;
}

/**
 * Rejects with `name-empty`, `list-unknown`, `list-unavailable`, `engine-queue-full`,
 * `deadline-exceeded` or `body-aborted`.
 */
export async function lookUpEntities<Index extends object>(
  { inForce, lookUp }: LookupPorts<Index>,
  { after, caller, limit, list, sandbox, text }: TextAsk,
): Promise<FoundEntities> {
  const codes = list === undefined ? undefined : [list];
  const lists = selectLists(inForce(), codes, { pointer: '/list', sandbox });
  const sources = lists.map(({ version }) => version.sourceId as string);
  const answer = await lookUp(
    lists.map(({ index }) => index),
    { limit, text, ...(after !== undefined && { after: placeIn(sources, after) }) },
    caller,
  ).catch(rethrowRefusal);
  if (answer.isEmpty) throw nothingTyped();
  const last = answer.rows.at(-1);
  return {
    body: {
      data: answer.rows.map((row) => presentRow(row, sources[row.index] ?? '')),
      notice: NO_SCREENING,
      truncated: answer.isTruncated,
    },
    next:
      last && answer.hasMore
        ? { id: last.id, list: sources[last.index] ?? '', rank: last.rank }
        : undefined,
  };
}

/** Sources ascend, so a list that is gone has its place between two others. */
function placeIn(sources: readonly string[], { id, list, rank }: EntityPlace): LookupPlace {
  return { id, index: sources.filter((source) => source <= list).length - 1, rank };
}

interface Card {
  readonly categories: readonly string[];
  readonly primary_name: string;
  readonly schema: string;
}

function presentRow({ card, id, matchedName, rank }: LookupRow, list: string): object {
  const { categories, primary_name, schema } = JSON.parse(card) as Card;
  return {
    ftm_id: id,
    list,
    primary_name,
    matched_name: matchedName,
    schema,
    categories,
    relevance: Number((1 - rank / RANKS).toFixed(RELEVANCE_DECIMALS)),
  };
}

function nothingTyped(): DomainError {
  const detail = 'expected at least one letter or digit';
  const violations = [{ code: 'format', detail, pointer: '?q' }];
  return new DomainError('name-empty', { detail, violations });
}
