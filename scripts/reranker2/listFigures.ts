/**
 * What a re-ranker finds on real lists, and how often it is wrong: the figures that pairs cannot
 * show. Used by the gate, and by the bench beside re-ranker 1.
 */
import { pick, type Random, seededRandom } from '../../bench/random.ts';
import type { RawQuery } from '../../src/engine/ports.ts';
import type { Rerank } from '../../src/engine/rerankAsk.ts';
import { byName, type Found, type ListRun } from './listRun.ts';
import { isLatin } from './noise.ts';

/** A query made from an entity of the list. */
interface Planted {
  readonly id: string;
  readonly raw: RawQuery;
}

/** Two neighbouring letters of one word changed round; undefined where no word is fit. */
export function transposed(name: string, random: Random): string | undefined {
  const places: number[] = [];
  for (let at = 1; at < name.length; at++) {
    const pair = name.slice(at - 1, at + 1);
    const isInside = /[a-z]/i.test(name.charAt(at - 2)) || /[a-z]/i.test(name.charAt(at + 1));
    if (
      /^[a-z]{2}$/i.test(pair) &&
      pair.charAt(0).toLowerCase() !== pair.charAt(1).toLowerCase() &&
      isInside
    )
      places.push(at);
  }
  if (places.length === 0) return undefined;
  const at = pick(random, places);
  return name.slice(0, at - 1) + name.charAt(at) + name.charAt(at - 1) + name.slice(at + 1);
}

/** `count` queries from Latin names of persons of the list, changed by `change`. */
export function planted(
  run: ListRun,
  count: number,
  seed: number,
  change: (name: string, random: Random) => string | undefined,
): Planted[] {
  const random = seededRandom(seed);
  const people = run.entities.filter(({ schema }) => schema === 'Person');
  const out: Planted[] = [];
  for (let turn = 0; out.length < count && turn < 20 * count; turn++) {
    const entity = pick(random, people);
    const names = entity.names.filter((name) => isLatin(name) && name.trim().includes(' '));
    if (names.length === 0) continue;
    const name = change(pick(random, names), random);
    if (name !== undefined) out.push({ id: entity.id, raw: byName(name, { schema: 'Person' }) });
  }
  return out;
}

/** Share whose entity is first, or has the score of the first. */
export function firstShare(run: ListRun, rerank: Rerank, queries: readonly Planted[]): number {
  const right = queries.filter(({ id, raw }) => {
    const found = run.search(rerank, raw);
    const own = found.find((one) => one.id === id);
    return own !== undefined && own.finalScore === found[0]?.finalScore;
  });
  return right.length / Math.max(1, queries.length);
}

/** Score of each query's own entity; 0 where it is not among the candidates. */
export function ownScores(run: ListRun, rerank: Rerank, queries: readonly Planted[]): number[] {
  return queries.map(
    ({ id, raw }) => run.search(rerank, raw).find((one) => one.id === id)?.directScore ?? 0,
  );
}

/** Best score of each name. */
export function topScores(run: ListRun, rerank: Rerank, queries: readonly RawQuery[]): number[] {
  return queries.map((raw) => top(run.search(rerank, raw)));
}

function top(found: readonly Found[]): number {
  return found.reduce((best, { directScore }) => Math.max(best, directScore), 0);
}

/** Share of the scores that reach a line. */
export function shareFrom(scores: readonly number[], line: number): number {
  return scores.filter((score) => score >= line).length / Math.max(1, scores.length);
}

/** The line that at most `share` of the scores reach. */
export function lineOf(scores: readonly number[], share: number): number {
  const ranked = [...scores].sort((a, b) => b - a);
  const last = ranked[Math.floor(share * scores.length)] ?? 0;
  return last + 1e-9;
}

const NATIONS = (
  'US GB FR DE IT ES BR MX IN CN JP RU TR EG NG ZA TN MA DZ SA AE ' +
  'IR IQ PK BD ID PH VN KR CO AR PL UA SE NL BE CH AT GR'
).split(' ');

/** A clean customer with an invented date of birth, and nationality where asked for. */
export function withAttributes(raw: RawQuery, random: Random, hasNation: boolean): RawQuery {
  const two = (value: number) => String(value).padStart(2, '0');
  const [year, month, day] = [65, 12, 28].map((most) => Math.floor(random() * most));
  const dob = `${1940 + (year ?? 0)}-${two(1 + (month ?? 0))}-${two(1 + (day ?? 0))}`;
  return { ...raw, dob, ...(hasNation && { nationality: pick(random, NATIONS) }) };
}

/** Words that names have in common: none of them alone means anybody. */
export const COMMON_WORDS = (
  'Ali Mohammed Ahmed Hassan Hussein Khan Kim Ivan Jose Maria Abdullah Ibrahim ' +
  'Group International Corp Company Trading Bank General Holdings Limited Foundation ' +
  'Services Industries Investment Haji Sheikh Al Bin Abu'
).split(' ');
