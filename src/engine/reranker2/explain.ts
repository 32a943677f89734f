/**
 * Why a name of a query and a name of an entity score as they do, in words: which words stand for
 * each other and why, what is left over, and what each term adds. Made again from the names and the
 * pinned version, so that it is no part of the evidence.
 */
import { roundScore } from '#platform/roundScore';
import { SCHEMA_CODE } from '../attributeCodes.ts';
import { foldName, listForms } from '../foldName.ts';
import type { IndexEntity, NormalizedQuery } from '../ports.ts';
import type { Link } from './alignment.ts';
import { ClosestSpelling, isSpelt } from './closestSpelling.ts';
import type { Term } from './features.ts';
import { kindOf } from './listNames.ts';
import { MODEL, MODEL_SHIFTS, scoreOf } from './model.ts';
import { NamePairs } from './namePairs.ts';
import { type PreparedName, prepareName } from './preparedName.ts';
import { wordsBeforeComma } from './publishedComma.ts';
import { QueryNames } from './queryNames.ts';
import { REASON } from './tokenSimilarity.ts';

/** Why words stand for each other. */
export type Reason = keyof typeof REASON | 'swapped';

/** Words that stand for each other. */
export interface AlignedWords {
  readonly query: string;
  readonly entry: string;
  readonly reason: Reason;
  /** 0..1 */
  readonly similarity: number;
}

/** The score of two names, taken apart. */
export interface Explanation {
  /** The names as they were compared. */
  readonly query: string;
  readonly entry: string;
  readonly words: readonly AlignedWords[];
  readonly leftOver: { readonly query: readonly string[]; readonly entry: readonly string[] };
  /** What the model starts from, what each term adds, and the shift: together z of the names. */
  readonly bias: number;
  readonly terms: readonly { readonly term: Term; readonly z: number }[];
  readonly shift: number;
  /** z of the names, no higher than their information allows. */
  readonly z: number;
  /** Bits of information in the words that both names have. */
  readonly bits: number;
  /** The score of the names alone, without the evidence of attributes. */
  readonly score: number;
}

const REASONS = Object.keys(REASON) as (keyof typeof REASON)[];

/** Explains the best pair of the query's names with one published name. */
export function explainNames(
  query: Pick<NormalizedQuery, 'names' | 'natural' | 'spelt'>,
  entry: { readonly name: string; readonly schema: IndexEntity['schema'] },
): Explanation | undefined {
  const kind = kindOf(SCHEMA_CODE[entry.schema]);
  const pairs = new NamePairs(MODEL);
  const folded = foldName(entry.name, kind === 'person' ? 'person' : 'entity');
  const forms = listForms(folded).map((form) => {
    const words = form.split(' ');
    const comma = kind === 'person' ? wordsBeforeComma(entry.name, words) : 0;
    return prepareName(words, kind, comma);
  });
  let best: { query: PreparedName; entry: PreparedName; z: number; raw: number } | undefined;
  const take = (name: PreparedName, form: PreparedName): void => {
    pairs.score(name, form);
    const isBetter =
      best === undefined ||
      pairs.shifted > best.z ||
      (pairs.shifted === best.z && pairs.raw > best.raw);
    if (isBetter) best = { entry: form, query: name, raw: pairs.raw, z: pairs.shifted };
  };
  const names = new QueryNames(query).of(kind);
  for (const form of forms) for (const name of names) take(name, form);
  const spelling = new ClosestSpelling(query.names);
  const own = names[0];
  for (const form of forms) {
    for (const name of spelling.towards(form)) take(name, form);
    const text = textOf(form, 0, form.tokens.length);
    if (!spelling.isEmpty || own === undefined || !isSpelt(text)) continue;
    for (const spelt of new ClosestSpelling([text]).towards(own)) take(own, spelt);
  }
  if (best === undefined) return undefined;
  pairs.score(best.query, best.entry);
  return explained(pairs, best.query, best.entry);
}

function explained(pairs: NamePairs, query: PreparedName, entry: PreparedName): Explanation {
  const { alignment, features } = pairs;
  const links = alignment.links.slice(0, alignment.count).sort((a, b) => a.query - b.query);
  const left = ({ tokens }: PreparedName, taken: number) =>
    tokens.flatMap(({ text }, at) => (((taken >>> at) & 1) === 0 ? [text] : []));
  return {
    bias: MODEL.biasOf(query.kind),
    bits: Math.round(features.bits * 100) / 100,
    entry: textOf(entry, 0, entry.tokens.length),
    leftOver: {
      entry: left(entry, alignment.entryTaken),
      query: left(query, alignment.queryTaken),
    },
    query: textOf(query, 0, query.tokens.length),
    score: scoreOf(pairs.shifted),
    shift: query.kind === 'person' ? MODEL_SHIFTS.person : MODEL_SHIFTS.entity,
    terms: MODEL.terms(query.kind, features.values),
    words: links.map((link) => alignedWords(link, links, query, entry)),
    z: roundScore(pairs.shifted),
  };
}

function alignedWords(
  link: Link,
  links: readonly Link[],
  query: PreparedName,
  entry: PreparedName,
): AlignedWords {
  const reason = REASONS[link.reason] ?? 'same';
  return {
    entry: textOf(entry, link.entry, link.entryCount),
    query: textOf(query, link.query, link.queryCount),
    reason: reason === 'same' && isSwapped(link, links) ? 'swapped' : reason,
    similarity: link.alike / 1000,
  };
}

/** Whether another pair of words stands before it in one name and behind it in the other. */
function isSwapped(link: Link, links: readonly Link[]): boolean {
  return links.some(
    (other) => other !== link && other.query < link.query !== other.entry < link.entry,
  );
}

function textOf({ tokens }: PreparedName, from: number, count: number): string {
  return tokens
    .slice(from, from + count)
    .map(({ text }) => text)
    .join(' ');
}
