/**
 * Matches a text against a pattern of a schema, whole. All ways are followed at once, so the time
 * is that of the text times the pattern, whatever an FIU has written: a pattern such as
 * `(.*[A-Za-z]+).*` takes others minutes on a long narrative.
 */
import type { CharSet, PatternNode, PatternPiece } from './patternSyntax.ts';
import { PatternFault } from './patternSyntax.ts';

/** States of one pattern, repetitions written out. */
const STATES_MAX = 20_000;

interface State {
  /** Absent: it goes on without a character. */
  readonly test?: (code: number) => boolean;
  next: number[];
}

/** A pattern that texts are compared with. */
export interface PatternMatcher {
  matches(text: string): boolean;
}

/** Throws PatternFault for a pattern of too many states. */
export function patternMatcher(branches: readonly (readonly PatternPiece[])[]): PatternMatcher {
  const builder = new MatcherBuilder();
  const end = builder.add({ next: [] });
  const start = builder.branches(branches, end);
  const { states } = builder;
  return { matches: (text) => run(states, start, { end, text }) };
}

/** Builds from the end to the beginning: each part knows what follows it. */
class MatcherBuilder {
  readonly states: State[] = [];

  add(state: State): number {
    if (this.states.length >= STATES_MAX) throw new PatternFault('too many repetitions');
    return this.states.push(state) - 1;
  }

  branches(branches: readonly (readonly PatternPiece[])[], then: number): number {
    return this.add({ next: branches.map((pieces) => this.#sequence(pieces, then)) });
  }

  #sequence(pieces: readonly PatternPiece[], then: number): number {
    return pieces.reduceRight((after, piece) => this.#piece(piece, after), then);
  }

  #piece({ max, min, node }: PatternPiece, then: number): number {
    let start = then;
    if (max === undefined) {
      const loop: State = { next: [then] };
      start = this.add(loop);
      loop.next.push(this.#node(node, start));
    } else {
      for (let left = max - min; left > 0; left--) {
        start = this.add({ next: [then, this.#node(node, start)] });
      }
    }
    for (let left = min; left > 0; left--) start = this.#node(node, start);
    return start;
  }

  #node(node: PatternNode, then: number): number {
    if (node.kind === 'branches') return this.branches(node.of, then);
    const test = node.kind === 'any' ? isAny : (code: number) => isIn(node, code);
    return this.add({ next: [then], test });
  }
}

function run(
  states: readonly State[],
  start: number,
  { end, text }: { readonly end: number; readonly text: string },
): boolean {
  const seen = new Int32Array(states.length).fill(-1);
  let step = 0;
  let current = reach(states, [start], seen, step);
  for (const char of text) {
    if (current.length === 0) return false;
    const code = char.codePointAt(0) ?? 0;
    step++;
    const next = current.flatMap((at) => {
      const { next: to, test } = states[at] as State;
      return test?.(code) === true ? to : [];
    });
    current = reach(states, next, seen, step);
  }
  return current.includes(end);
}

/** All states that are reached without a character. */
function reach(
  states: readonly State[],
  from: readonly number[],
  seen: Int32Array,
  step: number,
): number[] {
  const found: number[] = [];
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === step) continue;
    seen[at] = step;
    found.push(at);
    const state = states[at] as State;
    if (state.test === undefined) open.push(...state.next);
  }
  return found;
}

const isAny = (code: number): boolean => code !== 0x0a && code !== 0x0d;

function isIn({ escapes, isNegated, ranges }: CharSet, code: number): boolean {
  const isNamed =
    ranges.some(([from, to]) => code >= from && code <= to) ||
    escapes.some((letter) => isOfKind(letter, code));
  return isNamed !== isNegated;
}

const DIGIT = /^\p{Nd}$/u;
const NO_WORD = /^[\p{P}\p{Z}\p{C}]$/u;
const NAME_START = /^[\p{L}_:]$/u;
const NAME = /^[\p{L}\p{M}\p{Nd}_:.\-·]$/u;

function isOfKind(letter: string, code: number): boolean {
  const char = String.fromCodePoint(code);
  switch (letter) {
    case 'd':
      return DIGIT.test(char);
    case 'D':
      return !DIGIT.test(char);
    case 's':
      return ' \t\n\r'.includes(char);
    case 'S':
      return !' \t\n\r'.includes(char);
    case 'w':
      return !NO_WORD.test(char);
    case 'W':
      return NO_WORD.test(char);
    case 'i':
      return NAME_START.test(char);
    case 'I':
      return !NAME_START.test(char);
    case 'c':
      return NAME.test(char);
    default:
      return !NAME.test(char);
  }
}
