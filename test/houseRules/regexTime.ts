/**
 * Whether a regular expression can take more than linear time over a text, which a stranger's text
 * would make it do (OWASP ASVS 1.3.12).
 *
 * The expression becomes an automaton, with a loop over any character in front where it may begin
 * anywhere. It takes quadratic time or worse where one word leads from a state to itself, from
 * there to another state, and from that to itself: each repetition of the word can then be read
 * either way, and a search that fails tries them all (Weber and Seidl, On the degree of ambiguity
 * of finite automata). States from which every text matches are left out: nothing fails there.
 *
 * Errs on the side of refusal: which of two ways an engine tries first is not looked at.
 */
import { type Automaton, buildAutomaton } from './regexAutomaton.ts';

/** A word that may be repeated, or undefined where the time is linear. */
export function slowWord(source: string, flags: string): string | undefined {
  const automaton = buildAutomaton(source, flags);
  if (!automaton) return '';
  const groups = cycles(automaton);
  const isOneCycle = (a: number, b: number) => groups[a] !== undefined && groups[a] === groups[b];
  if (automaton.doubled.some(([from, to]) => isOneCycle(from, to))) return '';
  for (const [first, p] of groups.entries()) {
    if (p === undefined) continue;
    for (const [second, q] of groups.entries()) {
      if (q === undefined || first === second) continue;
      if (automaton.classOf(first) !== automaton.classOf(second)) continue;
      const word = wordBetween(automaton, groups, first, second);
      if (word !== undefined) return word;
    }
  }
  return undefined;
}

/** By state, the number of the cycle that it lies on; undefined where it lies on none. */
function cycles(automaton: Automaton): (number | undefined)[] {
  const reached = Array.from({ length: automaton.size }, (_, start) => {
    const seen = new Set<number>();
    const open = [start];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (const targets of automaton.next(state)) {
        for (const target of targets) {
          if (!seen.has(target)) open.push(target);
          seen.add(target);
        }
      }
    }
    return seen;
  });
  return reached.map((seen, state) => {
    if (!seen.has(state)) return undefined;
    return Math.min(...[...seen].filter((other) => reached[other]?.has(state)));
  });
}

/** The word that leads from p to p, from p to q and from q to q at once. */
function wordBetween(
  automaton: Automaton,
  groups: readonly (number | undefined)[],
  p: number,
  q: number,
): string | undefined {
  const goal = `${p} ${q} ${q}`;
  const words = new Map([[`${p} ${p} ${q}`, '']]);
  const open: (readonly [number, number, number])[] = [[p, p, q]];
  for (let triple = open.shift(); triple !== undefined; triple = open.shift()) {
    const [a, b, c] = triple;
    const word = words.get(triple.join(' ')) ?? '';
    const [fromA, fromB, fromC] = [automaton.next(a), automaton.next(b), automaton.next(c)];
    for (const [letter, targets] of fromA.entries()) {
      for (const nextA of targets) {
        if (groups[nextA] !== groups[p]) continue;
        for (const nextB of fromB[letter] ?? []) {
          for (const nextC of fromC[letter] ?? []) {
            if (groups[nextC] !== groups[q]) continue;
            const key = `${nextA} ${nextB} ${nextC}`;
            if (words.has(key)) continue;
            const longer = word + automaton.sample(letter);
            if (key === goal) return longer;
            words.set(key, longer);
            open.push([nextA, nextB, nextC]);
          }
        }
      }
    }
  }
  return undefined;
}
