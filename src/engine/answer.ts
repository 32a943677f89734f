/**
 * A thread's rows → candidates with their strings, on the caller's thread. Strings are read from
 * the snapshot in shared memory, so only numbers cross threads.
 */
import assert from 'node:assert/strict';
import { ownMonotonicMs } from './deadline.ts';
import { BLOCK } from './messages.ts';
import type { Candidate, EngineAnswer, NormalizedQuery } from './ports.ts';
import type { Snapshot } from './snapshotFormat.ts';
import type { QueryStages } from './stageWatch.ts';
import { COLUMN, ROW_LENGTH } from './topK.ts';

/**
 * The texts of one opened snapshot: ids, cards and published names. Buffers lie over its sections
 * and read shared memory without a copy, so the snapshot must outlive this object.
 */
export class ListText {
  readonly #list: Snapshot;
  readonly #ids: Buffer;
  readonly #cards: Buffer;
  readonly #names: Buffer;

  constructor(list: Snapshot) {
    this.#list = list;
    this.#ids = bufferOver(list.idBytes);
    this.#cards = bufferOver(list.cardBytes);
    this.#names = bufferOver(list.nameBytes);
  }

  get entityCount(): number {
    return this.#list.entitySchema.length;
  }

  get nameCount(): number {
    return this.#list.nameStart.length - 1;
  }

  id(entity: number): string {
    return textOf(this.#ids, this.#list.idStart, entity);
  }

  card(entity: number): string {
    return textOf(this.#cards, this.#list.cardStart, entity);
  }

  /** A published name by its number; empty for -1, which stands for an entity without names. */
  name(name: number): string {
    return name < 0 ? '' : textOf(this.#names, this.#list.nameStart, name);
  }
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(bytes: Buffer, starts: Uint32Array, index: number): string {
  return bytes.toString('utf8', starts[index], starts[index + 1]);
}

function nullable(score: number | undefined): number | null {
  return score === undefined || Number.isNaN(score) ? null : score;
}

/** The text of one list of a call, and the position of its index among the caller's. */
export interface PartText {
  readonly text: ListText;
  readonly index: number;
}

/**
 * One row of an answer block. All but the card is copied at once, because the next query overwrites
 * the block.
 */
class RowCandidate implements Candidate {
  readonly index: number;
  readonly id: string;
  readonly matchedName: string;
  readonly finalScore: number;
  readonly directScore: number;
  readonly nameScore: number;
  readonly phoneticScore: number | null;
  readonly dobScore: number | null;
  readonly nationalityScore: number | null;
  readonly aliasUnfoldScore: number | null;
  readonly sourceTypeBoost: number;
  readonly effectiveWeights: Candidate['effectiveWeights'];
  readonly #text: ListText;
  readonly #entity: number;

  constructor(block: Float64Array, at: number, { text, index }: PartText) {
    const entity = block[at + COLUMN.entity] ?? 0;
    this.#text = text;
    this.#entity = entity;
    this.index = index;
    this.id = text.id(entity);
    this.matchedName = text.name(block[at + COLUMN.name] ?? -1);
    this.finalScore = block[at + COLUMN.finalScore] ?? 0;
    this.directScore = block[at + COLUMN.directScore] ?? 0;
    this.nameScore = block[at + COLUMN.nameScore] ?? 0;
    this.phoneticScore = nullable(block[at + COLUMN.phoneticScore]);
    this.dobScore = nullable(block[at + COLUMN.dobScore]);
    this.nationalityScore = nullable(block[at + COLUMN.nationalityScore]);
    this.aliasUnfoldScore = nullable(block[at + COLUMN.aliasUnfoldScore]);
    this.sourceTypeBoost = block[at + COLUMN.boost] ?? 1;
    // Members stand in code-unit order, as in every candidate: its canonical text is then cheap.
    this.effectiveWeights = {
      alias: block[at + COLUMN.weightAlias] ?? 0,
      dob: block[at + COLUMN.weightDob] ?? 0,
      name: block[at + COLUMN.weightName] ?? 0,
      nationality: block[at + COLUMN.weightNationality] ?? 0,
      phonetic: block[at + COLUMN.weightPhonetic] ?? 0,
    };
  }

  /** The card is read on demand: most callers know the card of an entity already. */
  get card(): string {
    return this.#text.card(this.#entity);
  }
}

/**
 * The answer to `query` with the candidates of a block (messages.ts) in rank order. `parts` are the
 * lists of the call, by the number that a row carries in COLUMN.index. Nothing of the block is
 * kept.
 */
export function readAnswer(
  query: NormalizedQuery,
  block: Float64Array,
  parts: readonly PartText[],
): EngineAnswer {
  const count = block[BLOCK.count] ?? 0;
  const candidates: Candidate[] = [];
  for (let rank = 0; rank < count; rank++) {
    const at = BLOCK.rows + rank * ROW_LENGTH;
    const part = parts[block[at + COLUMN.index] ?? 0];
    assert(part !== undefined, 'a row names a list of its call');
    candidates.push(new RowCandidate(block, at, part));
  }
  const stages = stagesOf(block);
  const truncated = block[BLOCK.truncated] === 1;
  return { candidates, query, truncated, ...(stages !== undefined && { stages }) };
}

function stagesOf(block: Float64Array): QueryStages | undefined {
  const at = (place: number): number => block[place] ?? 0;
  if (at(BLOCK.startMs) === 0) return undefined;
  return {
    endMs: ownMonotonicMs(at(BLOCK.endMs)),
    readMs: ownMonotonicMs(at(BLOCK.readMs)),
    rerankMs: at(BLOCK.rerankMs),
    startMs: ownMonotonicMs(at(BLOCK.startMs)),
  };
}
