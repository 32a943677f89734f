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

function candidateAt(block: Float64Array, at: number, parts: readonly PartText[]): Candidate {
  const entity = block[at + COLUMN.entity] ?? 0;
  const part = parts[block[at + COLUMN.index] ?? 0];
  assert(part !== undefined, 'a row names a list of its call');
  const { index, text } = part;
  return {
    index,
    id: text.id(entity),
    // Most callers know the card of an entity already.
    get card() {
      return text.card(entity);
    },
    matchedName: text.name(block[at + COLUMN.name] ?? -1),
    finalScore: block[at + COLUMN.finalScore] ?? 0,
    directScore: block[at + COLUMN.directScore] ?? 0,
    nameScore: block[at + COLUMN.nameScore] ?? 0,
    phoneticScore: nullable(block[at + COLUMN.phoneticScore]),
    dobScore: nullable(block[at + COLUMN.dobScore]),
    nationalityScore: nullable(block[at + COLUMN.nationalityScore]),
    aliasUnfoldScore: nullable(block[at + COLUMN.aliasUnfoldScore]),
    sourceTypeBoost: block[at + COLUMN.boost] ?? 1,
    effectiveWeights: {
      name: block[at + COLUMN.weightName] ?? 0,
      phonetic: block[at + COLUMN.weightPhonetic] ?? 0,
      dob: block[at + COLUMN.weightDob] ?? 0,
      nationality: block[at + COLUMN.weightNationality] ?? 0,
      alias: block[at + COLUMN.weightAlias] ?? 0,
    },
  };
}

/** Candidates of a block in rank order. */
export function readAnswer(block: Float64Array, parts: readonly PartText[]): EngineAnswer {
  const count = block[BLOCK.count] ?? 0;
  const candidates: Candidate[] = [];
  for (let rank = 0; rank < count; rank++) {
    const at = BLOCK.rows + rank * ROW_LENGTH;
    candidates.push(candidateAt(block, at, parts));
  }
  return { candidates, truncated: block[BLOCK.truncated] === 1 };
}
