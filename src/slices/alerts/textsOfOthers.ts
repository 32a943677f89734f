/**
 * An alert about a listed party is about every customer in whose payments it was found. When one of
 * them is erased, what people wrote of another alone is no word of his: it names that customer, by
 * the tenant's reference, and not him. A text that names nobody so cannot be told apart, and goes.
 */
import type { DataSubject } from '#core/privacy';
import { subjectKeyOfRef } from '#slices/screening';
import { SCREENED_RULES } from './alert.ts';
import type { CustomersOfPayments } from './asks.ts';
import type { Alert } from './tables.ts';

/** Whether texts are of another customer alone. */
export type IsOfOthers = (texts: readonly string[]) => boolean;

const NONE: IsOfOthers = () => false;
/** What no reference begins or ends with, where one stands in brackets, quotes or a sentence. */
const ODD = /[^\p{L}\p{N}]/u;

/** Payments that cannot be read any more name nobody: what is written of their customers goes. */
export async function textsOfOthers(
  customersOfPayments: CustomersOfPayments,
  { cause, ruleId = '', tenantId }: Alert,
  { subjectKey, subjectRef }: DataSubject,
): Promise<IsOfOthers> {
  if (cause.kind !== 'screening' || !SCREENED_RULES.includes(ruleId)) return NONE;
  const own = subjectRef === undefined ? subjectKey : subjectKeyOfRef(tenantId, subjectRef);
  if (own === undefined) return NONE;
  const { keys } = await customersOfPayments({ screeningId: cause.screeningId, tenantId });
  const others = new Set(keys);
  others.delete(own);
  if (others.size === 0) return NONE;
  return (texts) => {
    const named = texts.flatMap(wordsOf).map((word) => subjectKeyOfRef(tenantId, word));
    return named.some((key) => others.has(key)) && !texts.some(isOwn) && !named.includes(own);
  };

  // A reference with spaces is no word.
  function isOwn(text: string): boolean {
    return subjectRef !== undefined && text.includes(subjectRef);
  }
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/\s/u).flatMap((word) => [word, trimmed(word)]);

function trimmed(word: string): string {
  const letters = [...word];
  const first = letters.findIndex((one) => !ODD.test(one));
  const last = letters.findLastIndex((one) => !ODD.test(one));
  return letters.slice(Math.max(0, first), last + 1).join('');
}
