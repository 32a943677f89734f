/**
 * Patterns that take a backtracking engine long: a browser has no other. A repeat whose inside can
 * match the same text in two ways takes exponential time; two repeats beside each other that share
 * characters take the product of their lengths. Both are seen in the automaton of the pattern, in
 * which a repeat in braces stands as a loop.
 */
import {
  type CharSet,
  type NamedClass,
  PATTERN_PRODUCT_MAX,
  PATTERN_REPEATS_MAX,
  type PatternNode,
  sizeOf,
} from './pattern.ts';

/** Steps that a look takes; a pattern that needs more is refused as if it were slow. */
const STEPS_MAX = 500_000;
/** States that a repeat of an exact number is written out to; a longer one stands as a loop. */
const UNROLLED_MAX = 100;

/** Why the pattern may take long; undefined: it does not. */
export function slowReason(node: PatternNode): string | undefined {
  const automaton = new Automaton(node);
  const budget = { steps: STEPS_MAX };
  if (automaton.isExponential(budget)) return 'a repeat that matches a text in more than one way';
  const product = automaton.sharedRepeats(budget);
  if (budget.steps <= 0) return 'pattern with so many repeats that share characters';
  if (product > PATTERN_PRODUCT_MAX) return 'repeats beside each other that share characters';
  return undefined;
}

interface Budget {
  steps: number;
}

/** Positions that a part begins with and ends with, and whether it matches nothing at all. */
interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isEmpty: boolean;
}

/** The automaton of Glushkov: a state for each set of the pattern, and who may follow whom. */
class Automaton {
  readonly #sets: CharSet[] = [];
  readonly #follow: Set<number>[] = [];
  /** The longest that the innermost loop of a position is; 0: it is in none. */
  readonly #loop: number[] = [];
  #isDoubled = false;

  constructor(node: PatternNode) {
    this.#add(node, 0);
  }

  #add(node: PatternNode, loop: number): Part {
    if ('set' in node) return this.#addSet(node.set, loop);
    if ('anyOf' in node) {
      const parts = node.anyOf.map((one) => this.#add(one, loop));
      return {
        first: parts.flatMap(({ first }) => first),
        isEmpty: parts.some(({ isEmpty }) => isEmpty),
        last: parts.flatMap(({ last }) => last),
      };
    }
    if ('sequence' in node) {
      return node.sequence.map((one) => this.#add(one, loop)).reduce((a, b) => this.#join(a, b));
    }
    const { max, min, repeat } = node;
    if (max === 1) return { ...this.#add(repeat, loop), ...(min === 0 && { isEmpty: true }) };
    if (min === max && sizeOf(repeat) * max <= UNROLLED_MAX) {
      return this.#add({ sequence: Array(max).fill(repeat) }, loop);
    }
    const length = Math.min(max, PATTERN_REPEATS_MAX);
    const part = this.#add(repeat, Math.max(length, loop));
    this.#link(part.last, part.first);
    return { ...part, isEmpty: part.isEmpty || min === 0 };
  }

  #addSet(set: CharSet, loop: number): Part {
    const at = this.#sets.push(set) - 1;
    this.#follow.push(new Set());
    this.#loop.push(loop);
    return { first: [at], isEmpty: false, last: [at] };
  }

  #join(one: Part, other: Part): Part {
    this.#link(one.last, other.first);
    return {
      first: one.isEmpty ? [...one.first, ...other.first] : one.first,
      isEmpty: one.isEmpty && other.isEmpty,
      last: other.isEmpty ? [...one.last, ...other.last] : other.last,
    };
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const one of from) {
      const follow = this.#follow[one];
      for (const next of to) {
        // A loop within a loop: the same step is one of either.
        if (follow?.has(next)) this.#isDoubled = true;
        follow?.add(next);
      }
    }
  }

  #next(at: number): ReadonlySet<number> {
    return this.#follow[at] ?? new Set();
  }

  #shares(...positions: readonly number[]): boolean {
    const sets = positions.map((at) => this.#sets[at]).filter((one) => one !== undefined);
    return sets.every((one, place) => sets.slice(place + 1).every((other) => overlap(one, other)));
  }

  /** Whether some state comes back to itself by two ways over one text. */
  isExponential(budget: Budget): boolean {
    if (this.#isDoubled) return true;
    return this.#sets.some((_, at) => this.#loop[at] !== 0 && this.#comesBackTwice(at, budget));
  }

  #comesBackTwice(start: number, budget: Budget): boolean {
    // Pairs of states over one text, and whether the two ways have parted.
    const seen = new Set<string>();
    const open: [number, number, boolean][] = [[start, start, false]];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      const [one, other, hasParted] = pair;
      for (const a of this.#next(one)) {
        for (const b of this.#next(other)) {
          if (--budget.steps < 0) return true;
          if (!this.#shares(a, b)) continue;
          const parted = hasParted || a !== b;
          if (parted && a === start && b === start) return true;
          const key = `${a},${b},${parted}`;
          if (seen.has(key)) continue;
          seen.add(key);
          open.push([a, b, parted]);
        }
      }
    }
    return false;
  }

  /** The lengths of all loops that pass a text on to another one, multiplied. */
  sharedRepeats(budget: Budget): number {
    const loops = this.#sets.map((_, at) => at).filter((at) => this.#loop[at] !== 0);
    const sharing = new Set<number>();
    for (const from of loops) {
      for (const to of loops) {
        if (from !== to && this.#passesOn(from, to, budget)) sharing.add(from).add(to);
      }
    }
    return [...sharing].reduce((product, at) => product * (this.#loop[at] ?? 1), 1);
  }

  /** Whether one text stays in the loop of `from`, comes from it to `to`, and stays in that one. */
  #passesOn(from: number, to: number, budget: Budget): boolean {
    const seen = new Set<string>();
    const open: [number, number, number][] = [[from, from, to]];
    for (let triple = open.pop(); triple !== undefined; triple = open.pop()) {
      const [stays, passes, there] = triple;
      for (const a of this.#next(stays)) {
        for (const b of this.#next(passes)) {
          for (const c of this.#next(there)) {
            if (--budget.steps < 0) return true;
            if (!this.#shares(a, b, c)) continue;
            if (a === from && b === to && c === to) return true;
            const key = `${a},${b},${c}`;
            if (seen.has(key)) continue;
            seen.add(key);
            open.push([a, b, c]);
          }
        }
      }
    }
    return false;
  }
}

const ASCII_MAX = 0x7f;

/** What is not ASCII is taken to overlap unless two names say that it cannot. */
function overlap(one: CharSet, other: CharSet): boolean {
  return (
    one.ranges.some(([from, to]) =>
      other.ranges.some(([start, end]) => from <= end && start <= to),
    ) ||
    one.ranges.some((range) => other.named.some((name) => isIn(range, name))) ||
    other.ranges.some((range) => one.named.some((name) => isIn(range, name))) ||
    one.named.some((name) => other.named.some((second) => !areApart(name, second)))
  );
}

const ASCII_OF: Readonly<Record<NamedClass, readonly (readonly [number, number])[]>> = {
  L: [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  N: [[0x30, 0x39]],
  'Script=Arabic': [],
  'Script=Latin': [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
};

const isIn = ([from, to]: readonly [number, number], name: NamedClass): boolean =>
  to > ASCII_MAX || ASCII_OF[name].some(([start, end]) => from <= end && start <= to);

const APART: ReadonlySet<string> = new Set(['L,N', 'Script=Arabic,Script=Latin']);
const areApart = (one: NamedClass, other: NamedClass): boolean =>
  APART.has([one, other].sort().join(','));
