/**
 * A query as re-ranker 1.1 reads it: as 1.0 does, and each name of a person also without its
 * titles, wherever they stand (decisions 2.3), and of a company with the legal form that was meant.
 * Says too whether all that it names is common words.
 */
import { commonWordsIn, commonWordsOf } from './commonWords.ts';
import type { Deadline } from './deadline.ts';
import { latinWords } from './foldName.ts';
import { NAMES_MAX } from './limits.ts';
import { withMendedForm } from './mistypedForms.ts';
import { joinNameWords, TITLES } from './nameWords.ts';
import { normalizeQuery, TRANSLITERATIONS_MAX } from './normalizeQuery.ts';
import type { NormalizedQuery, RawQuery } from './ports.ts';

/** A name keeps at least this many words beside its titles. */
const PLAIN_MIN = 2;

/** Throws EngineError `deadline-exceeded`. */
export function normalizeByName(query: RawQuery, deadline?: Deadline): NormalizedQuery {
  const read = normalizeQuery(query, deadline);
  const given = [query.name, ...query.transliterations.slice(0, TRANSLITERATIONS_MAX)];
  const more = [
    ...(query.schema === 'Company' ? [] : read.names.flatMap(withoutTitles)),
    ...(query.schema !== 'Person' && hasMistypedForm(read.names)
      ? given.flatMap((name) => withMeantForm(name, deadline))
      : []),
  ];
  const names = more.length === 0 ? read.names : [...new Set([...read.names, ...more])];
  const [only = ''] = read.names;
  // One name in Latin letters is folded already.
  const common =
    read.names.length === 1
      ? [commonWordsIn([only])]
      : given.map((name) => commonWordsOf(name, deadline));
  const isCommon = read.names.length > 0 && common.every((words) => words !== undefined);
  return {
    ...read,
    names: names.slice(0, NAMES_MAX),
    ...(isCommon && { common_words: common.includes('several') ? 'several' : 'one' }),
  };
}

function withoutTitles(name: string): string[] {
  const tokens = name.split(' ');
  const kept = tokens.filter((token) => !TITLES.has(token));
  return kept.length < tokens.length && kept.length >= PLAIN_MIN ? [kept.join(' ')] : [];
}

/** Folding leaves a mistyped word as it is. */
const hasMistypedForm = (names: readonly string[]): boolean =>
  names.some((name) => withMendedForm(name.split(' ')) !== undefined);

function withMeantForm(name: string, deadline: Deadline | undefined): string[] {
  const mended = withMendedForm(latinWords(name, deadline));
  return mended === undefined ? [] : [joinNameWords(mended, 'entity')];
}
