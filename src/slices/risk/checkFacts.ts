/** Whether facts that somebody gives are what the catalogue says. */
import type { Violation } from '#core/kernel';
import { type Fact, factOf, isList, wordsOf } from './facts.ts';

const wrong = (pointer: string, code: string, detail: string): Violation => ({
  code,
  detail,
  pointer,
});

/** Everything that is wrong; pointers are into the facts. */
export function checkFacts(facts: Readonly<Record<string, unknown>>): Violation[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const fact = factOf(name);
    if (fact === undefined) {
      return [wrong(`/${name}`, 'unknown-member', 'expected a fact of the catalogue')];
    }
    const detail = expectedOf(fact, value);
    return detail === undefined ? [] : [wrong(`/${name}`, 'type', detail)];
  });
}

function expectedOf(fact: Fact, value: unknown): string | undefined {
  if (isList(fact)) {
    if (!Array.isArray(value)) return 'expected a list';
    if (new Set(value).size !== value.length) return 'expected each value once';
    const single = { ...fact, kind: 'text' } as const;
    const words = wordsOf(fact);
    return value
      .map((one) => expectedOf(words === undefined ? single : { ...single, words }, one))
      .find((one) => one !== undefined);
  }
  if (fact.kind === 'boolean') return typeof value === 'boolean' ? undefined : TRUTH;
  if (fact.kind === 'integer') {
    return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : WHOLE;
  }
  const words = wordsOf(fact);
  if (typeof value !== 'string' || value === '') return 'expected a text';
  return words === undefined || words.includes(value)
    ? undefined
    : 'expected a value that the fact may have';
}

const TRUTH = 'expected true or false';
const WHOLE = 'expected a whole number from 0';
