/**
 * A thread's rows → candidates with their strings, on the caller's thread. Strings are read from
 * the snapshot in shared memory, so nothing but numbers crosses threads.
 */
import assert from 'node:assert/strict';
import { BLOCK } from './messages.ts';
import type { Candidate, EngineAnswer } from './ports.ts';
import type { Snapshot } from './snapshotFormat.ts';
import { COLUMN, ROW_LENGTH } from './topK.ts';

/** A snapshot with Buffers over its text, which read shared memory without a copy. */
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

  /** A published name; empty for an entity without one. */
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

/** A row of a block, read at once: the block is overwritten by the next query. */
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
    // In code-unit order, as all members of a candidate are: its canonical text is then cheap.
    this.effectiveWeights = {
      alias: block[at + COLUMN.weightAlias] ?? 0,
      dob: block[at + COLUMN.weightDob] ?? 0,
      name: block[at + COLUMN.weightName] ?? 0,
      nationality: block[at + COLUMN.weightNationality] ?? 0,
      phonetic: block[at + COLUMN.weightPhonetic] ?? 0,
    };
  }

  /** Most callers know the card of an entity already. */
  get card(): string {
    return this.#text.card(this.#entity);
  }
}

/** Candidates of a block in rank order. */
export function readAnswer(block: Float64Array, parts: readonly PartText[]): EngineAnswer {
  const count = block[BLOCK.count] ?? 0;
  const candidates: Candidate[] = [];
  for (let rank = 0; rank < count; rank++) {
    const at = BLOCK.rows + rank * ROW_LENGTH;
    const part = parts[block[at + COLUMN.index] ?? 0];
    assert(part !== undefined, 'a row names a list of its call');
    candidates.push(new RowCandidate(block, at, part));
  }
  return { candidates, truncated: block[BLOCK.truncated] === 1 };
}
