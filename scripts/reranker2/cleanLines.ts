/**
 * Where the lines of a model are: each of the scores .60, .85 and .92 is given the z that its share
 * of clean names reaches, so that a threshold says how many people who are on no list it stops.
 */
import {
  type KindModel,
  LINE_Z,
  Model,
  type ModelData,
  zByBits,
} from '../../src/engine/reranker2/model.ts';
import { rerankerTwo } from '../../src/engine/reranker2/reranker.ts';
import type { NameKind } from '../../src/engine/reranker2/wordFacts.ts';
import { byName, type Found, type ListRun, SETTINGS } from './listRun.ts';
import { isListed } from './seeker.ts';

/** A line of use. */
export type Line = keyof typeof LINE_Z;
/** z of the terms by line. */
export type Lines = Readonly<Record<Line, number>>;

/** Shares of clean names that may reach each line. */
export const SHARES: Readonly<Record<'Person' | 'Company', Lines>> = {
  Company: { hit: 0.02, match: 0.001, review: 0.002 },
  Person: { hit: 0.01, match: 0.001, review: 0.002 },
};
/** How far z may be stretched between lines: they are no steps. */
const STRETCH = { least: 0.4, most: 2 } as const;
/** Candidates under this have no part in any line: z of the terms is under .62. */
const SEEN_MIN = 0.65;
const LINES = Object.keys(LINE_Z) as readonly Line[];

/** z is that of the terms alone: neither shifted, nor bounded by information. */
class TermsAlone extends Model {
  override shifted(_kind: NameKind, raw: number): number {
    return raw;
  }
}

/** Clean names of one kind and source. */
export interface CleanSource {
  readonly names: readonly string[];
  readonly schema: 'Person' | 'Company';
  /** Names that differ from the one they find by spelling alone are taken for that party. */
  readonly areKnown: boolean;
}

/** What each name finds: candidates by the terms alone. */
export type CleanFound = readonly (readonly Found[])[];

/** Searches the names. */
export function findClean(
  run: ListRun,
  model: ModelData,
  { areKnown, names, schema }: CleanSource,
): CleanFound {
  const rerank = rerankerTwo(new TermsAlone(model));
  const settings = { ...SETTINGS, directScoreMin: SEEN_MIN };
  return names.flatMap((name) => {
    const all = run.search(rerank, byName(name, { schema }), settings);
    const isOne = areKnown && all[0] !== undefined && isListed(name, all[0].matchedName);
    return isOne ? [] : [all];
  });
}

/** z of the terms from which at most the given shares of the names reach each line. */
export function linesOf(
  found: CleanFound,
  schema: CleanSource['schema'],
  shares: Lines = SHARES[schema],
): Lines {
  const kind = schema === 'Person' ? 'person' : 'entity';
  const at = (line: Line) => [line, lineOf(found, kind, line, shares[line])] as const;
  return Object.fromEntries(LINES.map(at)) as Lines;
}

/** The z, in hundredths, that at most `share` of the names reach by a candidate of enough bits. */
function lineOf(found: CleanFound, kind: NameKind, line: Line, share: number): number {
  const best = found.map((all) =>
    Math.max(0, ...all.filter(({ bits }) => zByBits(kind, bits) >= LINE_Z[line]).map(({ z }) => z)),
  );
  const first = best.sort((a, b) => b - a)[Math.floor(share * best.length)] ?? 0;
  return (Math.floor(first * 100) + 1) / 100;
}

/** A model with its lines there. */
export function withLines(model: KindModel, { hit, match, review }: Lines): KindModel {
  const rounded = (value: number, digits: number) => Math.round(value * digits) / digits;
  const stretched = (z: number, terms: number) =>
    rounded(Math.min(STRETCH.most, Math.max(STRETCH.least, z / Math.max(0.01, terms))), 100);
  return {
    ...model,
    shift: rounded(review - LINE_Z.review + 0.005, 100),
    stretch: {
      hit: stretched(LINE_Z.review - LINE_Z.hit, review - hit),
      match: stretched(LINE_Z.match - LINE_Z.review, match - review),
    },
  };
}
