/**
 * Why an entity scores as it does for a query: which words stand for each other and why, what is
 * left over, and what each term and each attribute adds to z. Made again from the query of the
 * event, the entity of the pinned version and the pinned re-ranker, by the scorer itself, so that
 * it is no part of the evidence and cannot differ from it.
 */
import { buildSnapshot } from '../buildSnapshot.ts';
import type { Deadline } from '../deadline.ts';
import type { IndexEntity, NormalizedQuery } from '../ports.ts';
import { PreparedQuery } from '../preparedQuery.ts';
import { openSnapshot } from '../snapshotFormat.ts';
import type { Alignment, Link } from './alignment.ts';
import { type EntityScore, EntityScorer, identifiedBy } from './entityScorer.ts';
import { placeAt, type Term } from './features.ts';
import { MODEL, scoreOf } from './model.ts';
import type { NamePairs } from './namePairs.ts';
import type { PreparedName } from './preparedName.ts';
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

/** What is added up: terms of the names, bounds, and attributes. */
export type Summand =
  | Term
  | 'start'
  | 'nothing_in_common'
  | 'same_name_bound'
  | 'calibration'
  | 'information_bound'
  | 'date_of_birth'
  | 'nationality'
  | 'gender'
  | 'identifier'
  | 'attributes_bound';

/** A line of the sum. */
export interface TermLine {
  readonly term: Summand;
  /** Four decimals. */
  readonly z: number;
}

/** The score of an entity, taken apart. */
export interface Explanation {
  /** The names as they were compared: the best pair of all. */
  readonly query: string;
  readonly entry: string;
  /** In the order of the query. */
  readonly words: readonly AlignedWords[];
  readonly left_over: { readonly query: readonly string[]; readonly entry: readonly string[] };
  /** Bits of information in the words that both names have. */
  readonly bits: number;
  /** In the order in which they are added; none is 0. They sum to z, to the last decimal. */
  readonly terms: readonly TermLine[];
  /** Four decimals; the score is 1 / (1 + e^-z). */
  readonly z: number;
  /** directScore, of z before it is rounded. */
  readonly score: number;
}

const REASONS = Object.keys(REASON) as (keyof typeof REASON)[];
/** Lines and z are whole numbers of these, so that they add up by hand. */
const TICKS = 10_000;
/** More than sums of float64 in another order differ by. */
const ROUNDING = 1e-6;

/**
 * Explains the scores of entities, in their order; undefined where either side has no name. The
 * query is prepared once for all of them. Throws EngineError as Deadline does, between two.
 */
export function explainEntities(
  query: NormalizedQuery,
  entities: readonly IndexEntity[],
  deadline: Deadline,
): (Explanation | undefined)[] {
  const prepared = new PreparedQuery();
  prepared.set(query, deadline);
  const names = new QueryNames(query);
  const scorer = new EntityScorer(MODEL);
  return entities.map((entity) => {
    deadline.check();
    const list = openSnapshot(buildSnapshot([entity]));
    const identified = identifiedBy(list, query.identifiers ?? []);
    scorer.open(list, [0], { identified, names, normalized: query, prepared });
    const found = scorer.score(0);
    if (found?.query === undefined || found.entry === undefined) return undefined;
    scorer.pairs.score(found.query, found.entry);
    return explained(scorer.pairs, found, { entry: found.entry, query: found.query });
  });
}

interface Pair {
  readonly query: PreparedName;
  readonly entry: PreparedName;
}

function explained(pairs: NamePairs, found: EntityScore, pair: Pair): Explanation {
  const { alignment, features } = pairs;
  const { entry, query } = pair;
  const links = alignment.links.slice(0, alignment.count).sort((a, b) => a.query - b.query);
  const comma = features.isTurnedAtComma ? entry.comma : 0;
  const terms = linesOf(pairs, found, query);
  return {
    query: textOf(query, 0, query.tokens.length),
    entry: textOf(entry, 0, entry.tokens.length),
    words: links.map((link) => alignedWords(link, links, { ...pair, comma })),
    left_over: leftOver(alignment, pair),
    bits: Math.round(pairs.bits * 100) / 100,
    terms,
    z: terms.reduce((sum, { z }) => sum + Math.round(z * TICKS), 0) / TICKS,
    score: scoreOf(found.z),
  };
}

function leftOver(alignment: Alignment, { entry, query }: Pair): Explanation['left_over'] {
  const left = ({ tokens }: PreparedName, taken: number) =>
    tokens.flatMap(({ text }, at) => (((taken >>> at) & 1) === 0 ? [text] : []));
  return { entry: left(entry, alignment.entryTaken), query: left(query, alignment.queryTaken) };
}

/** Every summand in ticks; bounds are what is missing to z after them. */
function linesOf(pairs: NamePairs, found: EntityScore, { kind }: PreparedName): TermLine[] {
  const lines: { readonly term: Summand; readonly ticks: number }[] = [];
  let sum = 0;
  const add = (term: Summand, z: number): void => {
    const ticks = Math.round(z * TICKS);
    sum += ticks;
    if (ticks !== 0) lines.push({ term, ticks });
  };
  /** Roundings of the lines before, a tick or two, go where they are least seen: to the start. */
  const settle = (term: Summand, z: number, isBounded: boolean): void => {
    const missing = Math.round(z * TICKS) - sum;
    if (isBounded) add(term, missing / TICKS);
    else if (missing !== 0) {
      const at = lines.findIndex((line) => line.term === 'start');
      const start = lines[at]?.ticks ?? 0;
      lines.splice(Math.max(0, at), at < 0 ? 0 : 1, { term: 'start', ticks: start + missing });
      sum += missing;
    }
  };
  if (pairs.alignment.count === 0) add('nothing_in_common', found.nameZ);
  else {
    add('start', MODEL.biasOf(kind));
    for (const { term, z } of MODEL.terms(kind, pairs.features.values)) add(term, z);
    if (pairs.raw < pairs.terms) add('same_name_bound', pairs.raw - pairs.terms);
    const calibrated = MODEL.calibrated(kind, pairs.raw);
    add('calibration', calibrated - pairs.raw);
    settle('information_bound', found.nameZ, calibrated - found.nameZ > ROUNDING);
  }
  const { date, gender, identifier, nation } = found.evidence;
  add('date_of_birth', date);
  add('nationality', nation);
  add('gender', gender);
  add('identifier', identifier);
  const unbounded = found.nameZ + date + nation + gender + identifier;
  settle('attributes_bound', found.z, Math.abs(found.z - unbounded) > ROUNDING);
  return lines.map(({ term, ticks }) => ({ term, z: ticks / TICKS }));
}

function alignedWords(
  link: Link,
  links: readonly Link[],
  { comma, entry, query }: Pair & { readonly comma: number },
): AlignedWords {
  const reason = REASONS[link.reason] ?? 'same';
  const place = (of: Link) => placeAt(of.entry, comma, entry.tokens.length);
  const isSwapped = links.some(
    (other) => other !== link && other.query < link.query !== place(other) < place(link),
  );
  return {
    query: textOf(query, link.query, link.queryCount),
    entry: textOf(entry, link.entry, link.entryCount),
    reason: reason === 'same' && isSwapped ? 'swapped' : reason,
    similarity: link.alike / 1000,
  };
}

function textOf({ tokens }: PreparedName, from: number, count: number): string {
  return tokens
    .slice(from, from + count)
    .map(({ text }) => text)
    .join(' ');
}
