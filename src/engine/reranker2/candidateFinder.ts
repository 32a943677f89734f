/**
 * The entities of a list that re-ranker 2 scores, found by the words that they share with a query:
 * each word that the query has, or a word that it may stand for, gives its rarity in the list, and
 * the entities with the most of it come first (native/votes.ts). What re-ranker 1 would score them
 * plays no part: it compares whole names, and one that has the query's rare word behind two others
 * was not among its best.
 */
import { SCHEMA_CODE } from '../attributeCodes.ts';
import { isRemoved } from '../overlayFormat.ts';
import type { PreparedQuery, StandIns } from '../preparedQuery.ts';
import type { OpenList } from '../rerankAsk.ts';
import { TOKENS_MAX } from './preparedName.ts';
import { isStopWord, legalKind, standInsOf } from './wordFacts.ts';

/** Entities of one list that are scored at most. */
export const CANDIDATES_MAX = 128;
/**
 * The same for a query of several spellings, of which an entity has one, and all give votes: what
 * is shared by one spelling alone stands behind.
 */
export const SPELT_CANDIDATES_MAX = 512;
/** Names of a query from which on it is one of several spellings. */
const SPELLINGS_MIN = 4;
/** Entities with a name of the query's letters, in any order, that come before all others. */
const WHOLE_MAX = 64;
/** Entities behind those with a name that the query's only word abbreviates. */
const ACRONYMS_MAX = 32;
/**
 * Postings of rare words that are read whole; of commoner ones those count that rarer ones found.
 */
const POSTINGS_MAX = 16_000;
/** Words are sought in other spellings too, whether the list has them or not, and joined ones. */
const WIDE = 2;
/** Letters of an acronym. */
const ACRONYM = { least: 3, most: 6 } as const;

/** Entities of a list that may be meant. */
export interface Candidates {
  /** Those that share most with the query first. */
  readonly entities: readonly number[];
  /** What stands behind others is hardly likelier than they are; of several spellings it may be. */
  readonly areRanked: boolean;
}

/** The candidates of a list. */
export function findCandidates(
  { host, list, removed }: OpenList,
  slot: number,
  query: PreparedQuery,
): Candidates {
  const { schema } = query;
  const isSought = (entity: number): boolean =>
    (schema === 0 || list.entitySchema[entity] === schema) && !isRemoved(removed, entity);
  host.open(slot, removed);
  query.handTo(host, (tokens, at) => standIns(tokens, at, schema));
  host.attributes.fill(0);
  host.attributes[0] = schema;
  const { kernels } = host;
  const whole = kernels.addWholeNames(0, WHOLE_MAX);
  const first =
    schema === SCHEMA_CODE.Person ? whole : kernels.addAcronyms(whole, whole + ACRONYMS_MAX);
  const named = [...host.entities.subarray(0, first)].filter(isSought);
  const areRanked = query.names.length < SPELLINGS_MIN;
  const most = areRanked ? CANDIDATES_MAX : SPELT_CANDIDATES_MAX;
  const count = kernels.countShared(kernels.makeUnits(WIDE), POSTINGS_MAX, most);
  const shared = host.entities.subarray(0, count);
  return { areRanked, entities: [...new Set([...named, ...shared])].slice(0, most) };
}

type Tokens = Parameters<StandIns>[0];

/** What a word of a name may stand for in names of this schema, or of any (0). */
function standIns(tokens: Tokens, at: number, schema: number): readonly string[] {
  if (at >= TOKENS_MAX) return [];
  const word = tokens[at]?.text ?? '';
  const { Company, Person } = SCHEMA_CODE;
  const ofPersons = schema === 0 || schema === Person ? standInsOf(word, 'person') : [];
  const ofOthers = schema === Person ? [] : standInsOf(word, 'entity');
  const short = at === 0 && (schema === 0 || schema === Company) ? acronymOf(tokens) : undefined;
  return [...ofPersons, ...ofOthers, ...(short === undefined ? [] : [short])];
}

/** First letters of a company's words, if they may be its name. */
function acronymOf(tokens: Tokens): string | undefined {
  const own = tokens.filter(
    ({ text }) => text.length > 1 && !isStopWord(text) && legalKind(text) === undefined,
  );
  if (own.length < ACRONYM.least || own.length > ACRONYM.most) return undefined;
  return own.map(({ text }) => text.charAt(0)).join('');
}
