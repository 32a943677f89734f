/**
 * Who is meant by a name in a remark. Remarks name entries that come later in the file, so every
 * name of the file is remembered until its end: as two hashes and the entry's position, 12 bytes,
 * since a large file has millions of names and a few thousand that anybody asks for.
 *
 * 64 bits of hash decide; of a million names and a thousand questions, one in 10^10 files would
 * hold a wrong answer.
 */

/** The name of several entries. */
export const AMBIGUOUS = '';

/** Names of which the answer is kept. */
const ANSWERS_MAX = 20_000;
const BLOCK_NAMES = 16 * 1024;
const FIELDS = 3;
const NOBODY = -1;
const SEVERAL = -2;

interface Wanted {
  readonly secondHash: number;
  /** Position of the entry whose own name it is, and of the one whose alias it is. */
  own: number;
  alias: number;
}

export class RelationNames {
  readonly #ids: string[] = [];
  readonly #own = new NameBlocks();
  readonly #aliases = new NameBlocks();
  readonly #wanted = new Map<number, Wanted[]>();
  /** By the name that was asked for: many entries name the same few. */
  readonly #answers = new Map<string, string | undefined>();

  /** Names added next are those of this entry. */
  begin(id: string): void {
    this.#ids.push(id);
  }

  addOwn(name: string): void {
    this.#own.add(name, this.#ids.length - 1);
  }

  addAlias(name: string): void {
    this.#aliases.add(name, this.#ids.length - 1);
  }

  /** Asks for a name; after `resolve`, `find` answers. */
  want(name: string): void {
    if (this.#answers.has(name)) return;
    if (this.#answers.size < ANSWERS_MAX) this.#answers.set(name, undefined);
    for (const spelling of spellings(name)) {
      const first = firstHash(spelling);
      const known = this.#wanted.get(first);
      const secondHash = secondHashOf(spelling);
      if (known?.some((wanted) => wanted.secondHash === secondHash)) continue;
      const wanted: Wanted = { secondHash, own: NOBODY, alias: NOBODY };
      if (known) known.push(wanted);
      else this.#wanted.set(first, [wanted]);
    }
  }

  resolve(): void {
    this.#own.each((first, second, position) => {
      const wanted = this.#find(first, second);
      if (wanted) wanted.own = merged(wanted.own, position);
    });
    this.#aliases.each((first, second, position) => {
      const wanted = this.#find(first, second);
      if (wanted) wanted.alias = merged(wanted.alias, position);
    });
  }

  /** An entry's own name goes before an alias; AMBIGUOUS where several have it. */
  find(name: string): string | undefined {
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const answer = this.#answer(name);
    if (answer !== undefined && this.#answers.has(name)) this.#answers.set(name, answer);
    return answer;
  }

  #answer(name: string): string | undefined {
    const found = spellings(name).map((spelling) =>
      this.#find(firstHash(spelling), secondHashOf(spelling)),
    );
    for (const kind of ['own', 'alias'] as const) {
      const position = found.find((wanted) => wanted && wanted[kind] !== NOBODY)?.[kind];
      if (position !== undefined) return position === SEVERAL ? AMBIGUOUS : this.#ids[position];
    }
    return undefined;
  }

  #find(first: number, second: number): Wanted | undefined {
    return this.#wanted.get(first)?.find((wanted) => wanted.secondHash === second);
  }
}

/** A sentence's full stop may have been lost or gained: `HERJEZ LTDA.` stands as `HERJEZ LTDA`. */
function spellings(name: string): readonly string[] {
  const bare = name.replace(/\.$/, '');
  return [name, bare, `${bare}.`];
}

const merged = (known: number, position: number): number =>
  known === NOBODY || known === position ? position : SEVERAL;

class NameBlocks {
  readonly #blocks: Int32Array[] = [];
  #count = 0;

  add(name: string, position: number): void {
    const at = (this.#count % BLOCK_NAMES) * FIELDS;
    if (at === 0) this.#blocks.push(new Int32Array(BLOCK_NAMES * FIELDS));
    const block = this.#blocks.at(-1) ?? new Int32Array(0);
    // Both hashes in one pass: this is done for every name of the file.
    let first = FIRST_SEED;
    let second = name.length;
    for (let index = 0; index < name.length; index++) {
      const unit = name.charCodeAt(index);
      first = firstStep(first, unit);
      second = secondStep(second, unit);
    }
    block[at] = first;
    block[at + 1] = second;
    block[at + 2] = position;
    this.#count++;
  }

  each(visit: (first: number, second: number, position: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      const block = this.#blocks[Math.floor(index / BLOCK_NAMES)] ?? new Int32Array(0);
      const at = (index % BLOCK_NAMES) * FIELDS;
      visit(block[at] ?? 0, block[at + 1] ?? 0, block[at + 2] ?? 0);
    }
  }
}

const FIRST_SEED = 0x811c9dc5 | 0;

/** FNV-1a over code units. */
const firstStep = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** Of another family: shift, xor and multiply, as MurmurHash does. */
function secondStep(hash: number, unit: number): number {
  const mixed = Math.imul((hash << 5) ^ (hash >>> 27) ^ unit, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function firstHash(text: string): number {
  let hash = FIRST_SEED;
  for (let index = 0; index < text.length; index++) hash = firstStep(hash, text.charCodeAt(index));
  return hash;
}

function secondHashOf(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index++) hash = secondStep(hash, text.charCodeAt(index));
  return hash;
}
