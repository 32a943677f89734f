/**
 * The gate of a model: lists are searched with it, and each figure has a bound. A model that parts
 * pairs well may still find the wrong party, or everybody: so no model ships on pairs alone. The
 * bench shows the same figures of every version.
 */
import { seededRandom } from '../../bench/random.ts';
import {
  COMMON_WORDS,
  naturalOf,
  PLANTED_KINDS,
  planted,
  publishedQueries,
  transposed,
  withAttributes,
  wronglyDated,
} from './listFigures.ts';
import { byName, type ListRun } from './listRun.ts';
import type { ScriptRuns } from './scriptRuns.ts';
import { lineOf, type Seeker, shareFrom } from './seeker.ts';

/** Bound of a figure: it must not be below `least`, or above `most`. */
export interface Bound {
  readonly least?: number;
  readonly most?: number;
}

/**
 * Bounds by figure; a figure of one list or script has the bound of what stands before its `:`, or
 * one of its own where that is not reached (docs/decisions/0049-reranker-2.md says why).
 */
export const BOUNDS: Readonly<Record<string, Bound>> = {
  'alias verbatim, first': { least: 0.998 },
  'alias verbatim, first: EU_CFSP': { least: 0.995 },
  'alias verbatim, first: OFAC_SDN': { least: 0.995 },
  'natural order, first': { least: 0.998 },
  'one transposition, first': { least: 0.985 },
  'one transposition, over the line of .3 % of clean names': { least: 0.985 },
  'clean names, a match from .92': { most: 0.002 },
  'clean customers, a hit from .60': { most: 0.08 },
  'clean customers with a date, a hit from .60': { most: 0.02 },
  'clean customers with date and nationality, a hit from .60': { most: 0.01 },
  'clean customers, for review from .85': { most: 0.0035 },
  'clean Arabic customers, a hit from .60': { most: 0.12 },
  'clean Arabic customers with a date, a hit from .60': { most: 0.03 },
  'clean Arabic customers with date and nationality, a hit from .60': { most: 0.02 },
  'clean Arabic customers, for review from .85': { most: 0.01 },
  'planted person, a hit from .60': { least: 0.99 },
  'planted person, a hit from .60: first letter moved': { least: 0.88 },
  'planted person, a hit from .60: nickname': { least: 0.7 },
  'planted person, a hit from .60: one typo': { least: 0.98 },
  'Arabic single name to Latin, first': { least: 0.92 },
  'Arabic single name from Latin, first': { least: 0.92 },
  'Arabic whole name, first': { least: 0.98 },
  'Arabic whole name, first: to Latin': { least: 0.95 },
  'Arabic whole name, first: from Latin': { least: 0.97 },
  'Arabic whole name, found from .60': { least: 0.93 },
  'Arabic whole name, found from .92: to Latin': { least: 0.77 },
  'Arabic whole name, found from .92: from Latin': { least: 0.75 },
  'name of another script, first': { least: 0.8 },
  'name of another script, first: kanji': { least: 0.8 },
  'word of another script, first': { least: 0.8 },
  'word of another script, first: Han': { least: 0.75 },
  'common word alone, best score': { most: 0.5 },
};

/** Names that no list has. */
export interface Clean {
  readonly us: readonly string[];
  readonly global: readonly string[];
  readonly companies: readonly string[];
  readonly arabic: readonly string[];
}

/** What is searched. */
export interface GateData {
  /** All lists in one index, as batches are screened. */
  readonly all: ListRun;
  /** Each list by itself. */
  readonly lists: ReadonlyMap<string, ListRun>;
  readonly clean: Clean;
  /** Absent where the words of other scripts are. */
  readonly scripts?: ScriptRuns;
  /** Queries of each kind. */
  readonly count: number;
}

/** Figures by name. */
export type Figures = ReadonlyMap<string, number>;

const SEED = 17;
const HIT = 0.6;
const REVIEW = 0.85;
const MATCH = 0.92;
const CLEAN_SHARE = 0.003;
/** Sums of float64 shares are compared with this much room. */
const ROOM = 1e-9;

/** All figures of one version. */
export function gateFigures(seeker: Seeker, data: GateData): Figures {
  const figures = new Map<string, number>();
  listFigures(seeker, data, figures);
  cleanFigures(seeker, data, figures);
  plantedFigures(seeker, data, figures);
  data.scripts?.figures(seeker, figures);
  const common = COMMON_WORDS.map((word) => byName(word));
  figures.set('common word alone, best score', Math.max(0, ...seeker.topScores(data.all, common)));
  return figures;
}

function listFigures(
  seeker: Seeker,
  { count, lists }: GateData,
  figures: Map<string, number>,
): void {
  for (const [name, run] of lists) {
    const verbatim = publishedQueries(run, count);
    const natural = publishedQueries(run, count, naturalOf);
    figures.set(`alias verbatim, first: ${name}`, seeker.firstShare(run, verbatim));
    if (natural.length > 0) {
      figures.set(`natural order, first: ${name}`, seeker.firstShare(run, natural));
    }
  }
}

function cleanFigures(seeker: Seeker, { all, clean }: GateData, figures: Map<string, number>) {
  const random = seededRandom(SEED);
  const people = [...clean.us, ...clean.global].map((name) => byName(name, { schema: 'Person' }));
  const us = people.slice(0, clean.us.length);
  const global = people.slice(clean.us.length);
  const usScores = seeker.topScores(all, us);
  const globalScores = seeker.topScores(all, global, { areKnown: true });
  const companies = clean.companies.map((name) => byName(name, { schema: 'Company' }));
  const companyScores = seeker.topScores(all, companies, { areKnown: true });
  figures.set('clean names, a match from .92: US', shareFrom(usScores, MATCH));
  figures.set('clean names, a match from .92: global', shareFrom(globalScores, MATCH));
  figures.set('clean names, a match from .92: companies', shareFrom(companyScores, MATCH));
  const byNameAlone = [...usScores, ...globalScores];
  figures.set('clean customers, a hit from .60', shareFrom(byNameAlone, HIT));
  figures.set('clean customers, for review from .85', shareFrom(byNameAlone, REVIEW));
  for (const [nations, label] of [
    ['none', 'a date'],
    ['any', 'date and nationality'],
  ] as const) {
    const dated = people.map((raw) => withAttributes(raw, random, nations));
    const scores = [
      ...seeker.topScores(all, dated.slice(0, us.length)),
      ...seeker.topScores(all, dated.slice(us.length), { areKnown: true }),
    ];
    figures.set(`clean customers with ${label}, a hit from .60`, shareFrom(scores, HIT));
  }
  arabicFigures(seeker, all, clean.arabic, figures);
}

function arabicFigures(
  seeker: Seeker,
  all: ListRun,
  names: readonly string[],
  figures: Map<string, number>,
): void {
  if (names.length === 0) return;
  const random = seededRandom(SEED + 1);
  const people = names.map((name) => byName(name, { schema: 'Person' }));
  const alone = seeker.topScores(all, people);
  figures.set('clean Arabic customers, a hit from .60', shareFrom(alone, HIT));
  figures.set('clean Arabic customers, for review from .85', shareFrom(alone, REVIEW));
  for (const [nations, label] of [
    ['none', 'a date'],
    ['arab', 'date and nationality'],
  ] as const) {
    const dated = people.map((raw) => withAttributes(raw, random, nations));
    const scores = seeker.topScores(all, dated);
    figures.set(`clean Arabic customers with ${label}, a hit from .60`, shareFrom(scores, HIT));
  }
}

function plantedFigures(
  seeker: Seeker,
  { all, clean, count, lists }: GateData,
  figures: Map<string, number>,
): void {
  const main = lists.get('OFAC_SDN') ?? all;
  const slipped = planted(main, count, SEED + 1, transposed, { primaryOnly: true });
  const people = [...clean.us, ...clean.global].map((name) => byName(name, { schema: 'Person' }));
  const line = lineOf(
    [
      ...seeker.topScores(main, people.slice(0, clean.us.length)),
      ...seeker.topScores(main, people.slice(clean.us.length), { areKnown: true }),
    ],
    CLEAN_SHARE,
  );
  const over = shareFrom(seeker.ownScores(main, slipped), line);
  figures.set('one transposition, first', seeker.firstShare(main, slipped));
  figures.set('one transposition, over the line of .3 % of clean names', over);
  Object.entries(PLANTED_KINDS).forEach(([kind, change], at) => {
    const queries = planted(all, count, SEED + 2 + at, change, { primaryOnly: kind === 'exact' });
    // Invented lists may have nobody with a short name.
    if (queries.length === 0) return;
    const share = shareFrom(seeker.ownScores(all, queries), HIT);
    figures.set(`planted person, a hit from .60: ${kind}`, share);
  });
  const dated = wronglyDated(all, count, SEED + 9);
  const share = shareFrom(seeker.ownScores(all, dated), HIT);
  figures.set('planted person, a hit from .60: wrong digit in the date', share);
}

/** The bound of a figure; undefined for one that has none. */
export function boundOf(figure: string): Bound | undefined {
  return BOUNDS[figure] ?? BOUNDS[figure.split(':')[0] ?? ''];
}

/** Figures that are out of their bounds, in words; none: the model may ship. */
export function refusals(figures: Figures): string[] {
  return [...figures].flatMap(([figure, value]) => {
    const { least, most } = boundOf(figure) ?? {};
    if (least !== undefined && value < least - ROOM) {
      return [`${figure}: ${value.toFixed(4)}, expected at least ${least}`];
    }
    return most !== undefined && value > most + ROOM
      ? [`${figure}: ${value.toFixed(4)}, expected at most ${most}`]
      : [];
  });
}
