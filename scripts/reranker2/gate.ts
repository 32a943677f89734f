/**
 * The gate of a model: lists are searched with it, and each figure has a bound. A model that parts
 * pairs well may still find the wrong party, or everybody: so no model ships on pairs alone.
 */
import { seededRandom } from '../../bench/random.ts';
import type { Rerank } from '../../src/engine/rerankAsk.ts';
import {
  COMMON_WORDS,
  firstShare,
  ownScores,
  planted,
  shareFrom,
  topScores,
  transposed,
  withAttributes,
} from './listFigures.ts';
import { byName, type ListRun } from './listRun.ts';

/** Bound of a figure: it must not be below `least`, or above `most`. */
export interface Bound {
  readonly least?: number;
  readonly most?: number;
}

/** What each model must reach on lists. */
export const BOUNDS = {
  'alias verbatim, first': { least: 0.99 },
  'alias verbatim, a hit from .60': { least: 0.99 },
  'one transposition, first': { least: 0.98 },
  'one transposition, a hit from .60': { least: 0.97 },
  'wrong digit in the date, a hit from .60': { least: 0.98 },
  'clean names, a hit from .60': { most: 0.08 },
  'clean names, a match from .92': { most: 0.005 },
  'clean names with a date, a hit from .60': { most: 0.02 },
  'clean companies, a match from .92': { most: 0.005 },
  'common word alone, best score': { most: 0.5 },
} as const satisfies Readonly<Record<string, Bound>>;

/** A figure that BOUNDS has. */
export type Figure = keyof typeof BOUNDS;

/** Names that no list has. */
export interface Clean {
  readonly persons: readonly string[];
  readonly companies: readonly string[];
}

const SEED = 17;
const HIT = 0.6;
const MATCH = 0.92;
/** Sums of float64 shares are compared with this much room. */
const ROOM = 1e-9;

/** All figures of a re-ranker over one index; `count` queries of each kind. */
export function gateFigures(
  run: ListRun,
  rerank: Rerank,
  { clean, count }: { readonly clean: Clean; readonly count: number },
): Record<Figure, number> {
  const random = seededRandom(SEED);
  const exact = planted(run, count, SEED, (name) => name);
  const slipped = planted(run, count, SEED + 1, transposed);
  const dated = exact.flatMap(({ id, raw }) => {
    const date = run.entities.find((entity) => entity.id === id)?.datesOfBirth[0] ?? '';
    const isFull = /^\d{4}-\d\d-\d\d$/.test(date);
    return isFull ? [{ id, raw: { ...raw, dob: withWrongDigit(date) } }] : [];
  });
  const persons = clean.persons.map((name) => byName(name, { schema: 'Person' }));
  const companies = clean.companies.map((name) => byName(name, { schema: 'Company' }));
  const alone = topScores(run, rerank, persons);
  const withDate = persons.map((raw) => withAttributes(raw, random, false));
  const common = topScores(
    run,
    rerank,
    COMMON_WORDS.map((word) => byName(word)),
  );
  return {
    'alias verbatim, first': firstShare(run, rerank, exact),
    'alias verbatim, a hit from .60': shareFrom(ownScores(run, rerank, exact), HIT),
    'clean companies, a match from .92': shareFrom(topScores(run, rerank, companies), MATCH),
    'clean names with a date, a hit from .60': shareFrom(topScores(run, rerank, withDate), HIT),
    'clean names, a hit from .60': shareFrom(alone, HIT),
    'clean names, a match from .92': shareFrom(alone, MATCH),
    'common word alone, best score': Math.max(0, ...common),
    'one transposition, a hit from .60': shareFrom(ownScores(run, rerank, slipped), HIT),
    'one transposition, first': firstShare(run, rerank, slipped),
    'wrong digit in the date, a hit from .60': shareFrom(ownScores(run, rerank, dated), HIT),
  };
}

/** The last digit of the year, or of the day, is another one. */
function withWrongDigit(date: string): string {
  const at = Number(date.charAt(9)) % 2 === 0 ? 3 : 9;
  const digit = (Number(date.charAt(at)) + 1) % 10;
  const wrong = date.slice(0, at) + digit + date.slice(at + 1);
  return wrong.endsWith('00') ? `${wrong.slice(0, 9)}1` : wrong;
}

/** Figures that are out of their bounds, in words; none: the model may ship. */
export function refusals(figures: Readonly<Record<Figure, number>>): string[] {
  return (Object.entries(BOUNDS) as [Figure, Bound][]).flatMap(([figure, { least, most }]) => {
    const value = figures[figure];
    if (least !== undefined && value < least - ROOM) {
      return [`${figure}: ${value.toFixed(4)}, expected at least ${least}`];
    }
    return most !== undefined && value > most + ROOM
      ? [`${figure}: ${value.toFixed(4)}, expected at most ${most}`]
      : [];
  });
}
