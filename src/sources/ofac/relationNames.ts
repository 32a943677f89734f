/**
 * Which entry a name in a remark means. Remarks name entries that come later in the file, so every
 * name of the file is remembered until its end: as two hashes and the entry's position, 12 bytes,
 * since a large file has millions of names, and only a few thousand are looked up. Many of them go
 * to the disk where the scratch file does.
 *
 * 64 bits of hash decide. With a million names and a thousand questions, one in 10^10 files would
 * get a wrong answer.
 */
import type { ScratchBlock, ScratchFile } from '../scratchFile.ts';
import type { UidList } from './uidList.ts';
import { ALIAS, NOBODY, OWN, SEVERAL, WantedNames } from './wantedNames.ts';

/** The name of several entries. */
export const AMBIGUOUS = '';

/** Names of which the answer is kept. */
const ANSWERS_MAX = 20_000;
const BLOCK_NAMES = 4 * 1024;
const FIELDS = 3;

export class RelationNames {
  readonly #uids: UidList;
  readonly #own: NameBlocks;
  readonly #aliases: NameBlocks;
  readonly #wanted = new WantedNames();
  /** Answers by name: many entries name the same few. */
  readonly #answers = new Map<string, string | undefined>();

  /** Names are those of the entry whose uid was added last. */
  constructor(uids: UidList, scratch: ScratchFile) {
    this.#uids = uids;
    this.#own = new NameBlocks(scratch);
    this.#aliases = new NameBlocks(scratch);
  }

  addOwn(name: string): void {
    this.#own.add(name, this.#uids.size - 1);
  }

  addAlias(name: string): void {
    this.#aliases.add(name, this.#uids.size - 1);
  }

  /** Asks for a name; after `resolve`, `find` answers. */
  want(name: string): void {
    if (this.#answers.has(name)) return;
    if (this.#answers.size < ANSWERS_MAX) this.#answers.set(name, undefined);
    for (const spelling of spellings(name)) {
      this.#wanted.want(firstHash(spelling), secondHashOf(spelling));
    }
  }

  /** May be called once. */
  async resolve(): Promise<void> {
    await this.#own.take((hashes, position) => this.#wanted.found(OWN, hashes, position));
    await this.#aliases.take((hashes, position) => this.#wanted.found(ALIAS, hashes, position));
  }

  /** The uid; an entry's own name comes before an alias. AMBIGUOUS where several have it. */
  find(name: string): string | undefined {
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const answer = this.#answer(name);
    if (answer !== undefined && this.#answers.has(name)) this.#answers.set(name, answer);
    return answer;
  }

  #answer(name: string): string | undefined {
    for (const kind of [OWN, ALIAS] as const) {
      for (const spelling of spellings(name)) {
        const position = this.#wanted.holder(kind, firstHash(spelling), secondHashOf(spelling));
        if (position === SEVERAL) return AMBIGUOUS;
        if (position !== NOBODY) return this.#uids.at(position);
      }
    }
    return undefined;
  }
}

/** A sentence's full stop may have been lost or gained: `HERJEZ LTDA.` stands as `HERJEZ LTDA`. */
function spellings(name: string): readonly string[] {
  const bare = name.replace(/\.$/, '');
  return [name, bare, `${bare}.`];
}

type VisitName = (hashes: readonly [number, number], position: number) => void;

class NameBlocks {
  readonly #scratch: ScratchFile;
  readonly #full: ScratchBlock[] = [];
  /** The block that is being filled, and how far. */
  #open = new Int32Array(BLOCK_NAMES * FIELDS);
  #used = 0;

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch;
  }

  add(name: string, position: number): void {
    if (this.#used === this.#open.length) {
      this.#full.push(this.#scratch.keep(Buffer.from(this.#open.buffer)));
      this.#open = new Int32Array(BLOCK_NAMES * FIELDS);
      this.#used = 0;
    }
    const block = this.#open;
    // Both hashes in one pass: this is done for every name of the file.
    let first = FIRST_SEED;
    let second = name.length;
    for (let index = 0; index < name.length; index++) {
      const unit = upperCase(name.charCodeAt(index));
      first = firstStep(first, unit);
      second = secondStep(second, unit);
    }
    block[this.#used] = first;
    block[this.#used + 1] = second;
    block[this.#used + 2] = position;
    this.#used += FIELDS;
  }

  /** May be called once: each block is released when it was read. */
  async take(visit: VisitName): Promise<void> {
    for (const full of this.#full.splice(0)) {
      const { buffer } = await this.#scratch.take(full);
      visitNames(new Int32Array(buffer), visit);
    }
    visitNames(this.#open.subarray(0, this.#used), visit);
    this.#used = 0;
  }
}

function visitNames(block: Int32Array, visit: VisitName): void {
  for (let at = 0; at < block.length; at += FIELDS) {
    visit([block[at] ?? 0, block[at + 1] ?? 0], block[at + 2] ?? 0);
  }
}

const FIRST_SEED = 0x811c9dc5 | 0;

/** `Iran Air` is who is listed as IRAN AIR. */
const upperCase = (unit: number): number => (unit >= 0x61 && unit <= 0x7a ? unit - 0x20 : unit);

/** FNV-1a over code units. */
const firstStep = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** A hash of another family: shift, xor and multiply, as in MurmurHash. */
function secondStep(hash: number, unit: number): number {
  const mixed = Math.imul((hash << 5) ^ (hash >>> 27) ^ unit, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function firstHash(text: string): number {
  let hash = FIRST_SEED;
  for (let index = 0; index < text.length; index++) {
    hash = firstStep(hash, upperCase(text.charCodeAt(index)));
  }
  return hash;
}

function secondHashOf(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index++) {
    hash = secondStep(hash, upperCase(text.charCodeAt(index)));
  }
  return hash;
}
