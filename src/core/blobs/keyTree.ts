/**
 * Keys of many subjects out of one seed, any of which can be destroyed alone: a binary tree, whose
 * two children are the halves of SHA-512 over their parent (a puncturable PRF after Goldreich,
 * Goldwasser and Micali). Ten million keys are stored as one seed. To destroy one, the seeds above
 * it are replaced by those beside its way down, from which it cannot be computed.
 */
import { hash } from 'node:crypto';

/** A seed that is kept, and its place: `index` among the 2^depth nodes of its depth. */
export interface TreeSeed {
  readonly depth: number;
  readonly index: number;
  readonly seed: Buffer;
}

/** A place in a tree. */
export type TreePlace = Pick<TreeSeed, 'depth' | 'index'>;

const DOMAIN = Buffer.from('data-key-tree-v1\0');
const SEED_BYTES = 32;

function childrenOf(seed: Uint8Array): readonly [Buffer, Buffer] {
  const both = hash('sha512', Buffer.concat([DOMAIN, seed]), 'buffer');
  return [both.subarray(0, SEED_BYTES), both.subarray(SEED_BYTES)];
}

/** Whether the first place is the second one, or above it. */
const isAbove = (one: TreePlace, other: TreePlace): boolean =>
  one.depth <= other.depth &&
  Math.floor(other.index / 2 ** (other.depth - one.depth)) === one.index;

/** Which child of the node at `depth` leads to the place. */
const turnAt = ({ depth: last, index }: TreePlace, depth: number): 0 | 1 =>
  Math.floor(index / 2 ** (last - depth - 1)) % 2 === 0 ? 0 : 1;

/** The seed of a place; undefined where it was destroyed. */
export function seedAt(kept: readonly TreeSeed[], place: TreePlace): Buffer | undefined {
  const top = kept.find((one) => isAbove(one, place));
  let seed = top?.seed;
  for (let depth = top?.depth ?? 0; seed !== undefined && depth < place.depth; depth++) {
    seed = childrenOf(seed)[turnAt(place, depth)];
  }
  return seed;
}

/** The seeds to keep so that all but this place, and what is below it, can be computed. */
export function withoutSeed(kept: readonly TreeSeed[], place: TreePlace): readonly TreeSeed[] {
  const top = kept.find((one) => isAbove(one, place));
  if (top === undefined) return kept.filter((one) => !isAbove(place, one));
  const beside: TreeSeed[] = [];
  let { index, seed } = top;
  for (let { depth } = top; depth < place.depth; depth++) {
    const turn = turnAt(place, depth);
    const children = childrenOf(seed);
    const other = turn === 0 ? 1 : 0;
    beside.push({ depth: depth + 1, index: index * 2 + other, seed: children[other] });
    index = index * 2 + turn;
    seed = children[turn];
  }
  return [...kept.filter((one) => one !== top), ...beside];
}

/** The seeds of one depth below a node, quick where they are asked for in their order. */
export class LeafSeeds {
  readonly #depth: number;
  /** For each depth both children of the node on the way, and the index of the first. */
  readonly #way: { first: number; children: readonly [Buffer, Buffer] }[];
  readonly #root: Buffer;

  constructor(root: Uint8Array, depth: number) {
    this.#root = Buffer.from(root);
    this.#depth = depth;
    this.#way = [];
  }

  at(index: number): Buffer {
    let seed = this.#root;
    for (let depth = 1; depth <= this.#depth; depth++) {
      const here = Math.floor(index / 2 ** (this.#depth - depth));
      const first = here - (here % 2);
      let step = this.#way[depth];
      if (step?.first !== first) {
        step = { children: childrenOf(seed), first };
        this.#way[depth] = step;
        this.#way.length = depth + 1;
      }
      seed = step.children[here === first ? 0 : 1];
    }
    return seed;
  }
}
