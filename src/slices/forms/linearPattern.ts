/**
 * Patterns on the server: by RE2, in time that grows with the text alone. A program is kept as long
 * as it is used; none is larger than what the grammar lets a pattern be.
 */
import { RE2JS } from 're2js';
import type { MatchesOf } from './evaluateForm.ts';
import { re2Source, readPattern } from './pattern.ts';

/** Patterns that a process keeps; the one that was made first leaves first. */
const KEPT_MAX = 1_000;

/** One for a process. */
export function linearPatterns(): MatchesOf {
  const kept = new Map<string, (text: string) => boolean>();
  return (pattern) => {
    const known = kept.get(pattern);
    if (known !== undefined) return known;
    const program = RE2JS.compile(re2Source(readPattern(pattern)));
    const matches = (text: string): boolean => program.matches(text);
    kept.set(pattern, matches);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return matches;
  };
}
