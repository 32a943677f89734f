/**
 * Whether a list that was read whole may come into force. A file can be perfect in form and wrong
 * in substance: empty, of another source, dated in a year to come. Nothing is screened against an
 * entity that it removes, and every later answer looks CLEAR.
 */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import type { Allowances } from './importPorts.ts';
import type { LostRelations, MergedFacts } from './mergeList.ts';
import type { ShrinkRelease } from './ports.ts';
import { covers } from './shrinkRelease.ts';

/** Share of the entities in force that an import may remove without a release. */
export const REMOVED_SHARE_MAX = 0.1;
/** Entities that may lose their relations on the smallest list. */
const UNRELATED_MIN = 4;
/** A publisher east of us may be a day ahead. */
const AHEAD_MS_MAX = 36 * 3_600_000;

/** Form of a day: `2026-02-28`. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const isDay = (text: string): boolean => {
  const at = DAY.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && toTimestamp(at as EpochMs).startsWith(text);
};

/**
 * Throws `list-stale` for an older release, `list-damaged` for one dated in the future or on no
 * day of the calendar. A wrong year in force would refuse every genuine release after it.
 */
export function refuseReleaseDate(
  releaseDate: string,
  source: ListSource,
  context: { readonly now: EpochMs; readonly allow: Allowances },
): void {
  if (!isDay(releaseDate)) {
    const detail = `release date: expected a day of the calendar, got '${releaseDate}'`;
    throw new DomainError('list-damaged', { detail });
  }
  const latest = toTimestamp((context.now + AHEAD_MS_MAX) as EpochMs).slice(0, 10);
  if (releaseDate > latest) {
    throw new DomainError('list-damaged', {
      detail: `release date: expected ${latest} or earlier, got ${releaseDate}`,
    });
  }
  const inForce = source.active?.releaseDate;
  if (context.allow.older || inForce === undefined || releaseDate >= inForce) return;
  throw new DomainError('list-stale', {
    detail: `release date: expected ${inForce} or later, got ${releaseDate}`,
  });
}

/**
 * Throws `list-stale` for a signed bundle that is older than the one in force: of two of one
 * release date, a carried medium may bring the former back.
 */
export function refuseOlderBundle(
  { bundledAt }: { readonly bundledAt?: string },
  { active }: ListSource,
  allow: Pick<Allowances, 'older'>,
): void {
  const inForce = active?.bundledAt;
  if (allow.older || bundledAt === undefined || inForce === undefined) return;
  if (Date.parse(bundledAt) >= Date.parse(inForce)) return;
  throw new DomainError('list-stale', {
    detail: `bundle: expected one fetched at ${inForce} or later, got ${bundledAt}`,
  });
}

/** Throws `list-stale` for a delta that does not start from the version in force. */
export function refuseDelta(
  { basedOn }: { readonly basedOn?: string },
  { active }: ListSource,
): void {
  if (active === undefined) {
    throw new DomainError('list-stale', {
      detail: 'a delta changes a list that is in force: expected the full list first',
    });
  }
  if (basedOn === undefined || basedOn === active.releaseDate) return;
  throw new DomainError('list-stale', {
    detail: `a delta of the release of ${basedOn}: in force is that of ${active.releaseDate}`,
  });
}

/** How many of the entities in force may be removed without a release. */
const removedMaxOf = ({ active }: ListSource): number =>
  Math.floor((active?.entityCount ?? 0) * REMOVED_SHARE_MAX);

/** A list without its relations says nothing of related parties any more. */
const unrelatedMaxOf = ({ of }: LostRelations): number =>
  Math.max(UNRELATED_MIN, Math.floor(of * REMOVED_SHARE_MAX));

type Losses = Pick<MergedFacts, 'counts' | 'unrelated'>;

export const hasLostRelations = ({ unrelated }: Losses): boolean =>
  unrelated.lost > unrelatedMaxOf(unrelated);

export const isShrunk = (losses: Losses, source: ListSource): boolean =>
  losses.counts.removed > removedMaxOf(source) || hasLostRelations(losses);

/**
 * Throws `list-damaged` for a list without entities, `list-shrunk` for one that lost too many of
 * them, or their relations. `loss` is what would be removed, where that is too much: a release
 * covers only that.
 */
export function refuseShrunk(
  losses: Losses,
  source: ListSource,
  allow: Pick<Allowances, 'shrink' | 'shrinkReleased'> & { readonly loss?: ShrinkRelease },
): void {
  const { counts, unrelated } = losses;
  if (counts.entities === 0) {
    throw new DomainError('list-damaged', { detail: 'entities: expected at least one, got none' });
  }
  if (allow.shrink || !isShrunk(losses, source)) return;
  const { loss, shrinkReleased: released } = allow;
  if (released !== undefined && loss !== undefined && covers(released, loss)) return;
  if (counts.removed <= removedMaxOf(source)) {
    throw new DomainError('list-shrunk', {
      detail:
        `entities that lose all their relations: expected at most ${unrelatedMaxOf(unrelated)} ` +
        `of ${unrelated.of}, got ${unrelated.lost}; is the file whole?`,
    });
  }
  const most = `at most ${removedMaxOf(source)} of ${source.active?.entityCount ?? 0}`;
  const expected =
    released === undefined
      ? most
      : `${most}, or the ${released.removedCount} of the file that was released (SHA-256 ` +
        `${released.fileSha256})`;
  throw new DomainError('list-shrunk', {
    detail:
      `entities removed: expected ${expected}, got ${counts.removed}` +
      `${released && loss ? ` of the file ${loss.fileSha256}` : ''}; ` +
      'is it the file of this source?',
  });
}
