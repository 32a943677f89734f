/**
 * Screenings of a tenant, latest first. A page merges the walks that its filters name: by verdict,
 * channel, customer or who asked, or by the listed party that was hit. It goes on until it is full,
 * or has looked at so many rows that the rest is the next page's.
 */
import type { PageCursor, Tables, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { foldText } from '#platform/foldText';
import {
  type Channel,
  DECISIONS,
  type Decision,
  earliestAnswered,
  NAME_CHARS_MAX,
  type RegisteredScreening,
  registeredHitTable,
  registeredScreeningTable,
  START_CHARS,
  startLetters,
} from '#slices/screening';

/** Which screenings; a member that is absent matches all. */
export interface ScreeningFilter {
  readonly from?: EpochMs;
  /** Exclusive. */
  readonly to?: EpochMs;
  readonly decisions?: readonly Decision[];
  readonly channel?: Channel;
  /** Id of a listed party that was hit, or the beginning of its name, three letters or more. */
  readonly candidate?: string;
  readonly subjectKey?: string;
}

/** Who may not see all screenings sees those that they asked for, and these. */
export interface SeenBy {
  readonly requestedBy: string;
  /** Ids of screenings whose alert is theirs. */
  readonly assigned: readonly string[];
}

/** Where a screening stands in the order of a list. */
export type ScreeningPlace = Pick<RegisteredScreening, 'occurredAt' | 'screeningId'>;

export interface ScreeningPageAsk {
  readonly tenantId: TenantId;
  readonly filter: ScreeningFilter;
  readonly seenBy?: SeenBy;
  /** Continues behind this one. */
  readonly after?: ScreeningPlace;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Asked before each further step of the walk; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
  readonly now: EpochMs;
}

/**
 * It is short and has a `next` only where EXAMINED_MAX rows were looked at, or it may not read on.
 */
export interface ScreeningPage {
  readonly rows: readonly RegisteredScreening[];
  readonly next?: ScreeningPlace;
}

/** Rows that a page looks at. */
export const EXAMINED_MAX = 5_000;
/** What one step reads of a walk, and resolves together. */
const STEP_ROWS = 200;

interface PagePorts {
  readonly tables: Pick<Tables, 'findMany' | 'page'>;
}

/** A row, or a place whose row is still to be read. */
type Met = ScreeningPlace & {
  readonly row?: RegisteredScreening;
  /** Another name of the same beginning: looked at, and not meant. */
  readonly isOther?: true;
};

export async function readScreeningPage(
  ports: PagePorts,
  ask: ScreeningPageAsk,
): Promise<ScreeningPage> {
  const { after, limit } = ask;
  const merged = mergedWalks(walksOf(ports, ask));
  const found: RegisteredScreening[] = [];
  for (let examined = 0; ; ) {
    const met = await takeFrom(merged, STEP_ROWS, after);
    examined += met.length;
    const rows = await rowsOf(ports, ask.tenantId, met);
    found.push(...rows.filter((row) => passes(row, ask)));
    if (found.length > limit) return pageOf(found.slice(0, limit));
    const last = met.at(-1);
    if (last === undefined || met.length < STEP_ROWS) return { rows: found };
    const isOver = examined >= EXAMINED_MAX || (await ask.mayReadOn?.()) === false;
    if (isOver) return { next: placeOf(last), rows: found };
  }
}

const placeOf = ({ occurredAt, screeningId }: ScreeningPlace): ScreeningPlace => ({
  occurredAt,
  screeningId,
});

function pageOf(rows: readonly RegisteredScreening[]): ScreeningPage {
  const last = rows.at(-1);
  return { rows, ...(last !== undefined && { next: placeOf(last) }) };
}

/** Below zero: `one` comes first. */
const byTime = (one: ScreeningPlace, other: ScreeningPlace): number =>
  other.occurredAt - one.occurredAt ||
  (one.screeningId < other.screeningId ? 1 : Number(one.screeningId !== other.screeningId) * -1);

/** The next so many, each screening once, behind `after`. */
async function takeFrom(
  merged: AsyncGenerator<Met>,
  count: number,
  after: ScreeningPlace | undefined,
): Promise<readonly Met[]> {
  const taken: Met[] = [];
  while (taken.length < count) {
    const { done, value } = await merged.next();
    if (done === true) return taken;
    if (after === undefined || byTime(after, value) < 0) taken.push(value);
  }
  return taken;
}

async function* mergedWalks(walks: readonly AsyncGenerator<Met>[]): AsyncGenerator<Met> {
  const heads = await Promise.all(walks.map(async (walk) => (await walk.next()).value));
  for (let last: string | undefined; ; ) {
    const first = heads
      .filter((head): head is Met => head !== undefined)
      .reduce<Met | undefined>((a, b) => (a !== undefined && byTime(a, b) <= 0 ? a : b), undefined);
    if (first === undefined) return;
    const at = heads.indexOf(first);
    heads[at] = (await walks[at]?.next())?.value;
    // One screening has several hits, and may come by several walks.
    if (first.isOther) yield first;
    else if (first.screeningId !== last) {
      last = first.screeningId;
      yield first;
    }
  }
}

/** Bounds of every walk: what is older than ten years is as if it had never been. */
function boundsOf({ after, filter, now }: ScreeningPageAsk) {
  const ends = [filter.to, after && after.occurredAt + 1].filter((one) => one !== undefined);
  return {
    from: Math.max(filter.from ?? 0, earliestAnswered(now)),
    ...(ends.length > 0 && { to: Math.min(...ends) }),
  };
}

function walksOf(ports: PagePorts, ask: ScreeningPageAsk): readonly AsyncGenerator<Met>[] {
  const { filter, seenBy, tenantId } = ask;
  const { candidate, channel, decisions = DECISIONS, subjectKey } = filter;
  const screenings = (index: string, equal: object, isMerged = false) =>
    walkRows(ports, ask, {
      equal: { tenantId, ...equal },
      index,
      ...(isMerged && { in: { field: 'decision', values: decisions } }),
    });
  if (candidate !== undefined) return walksOfHits(ports, ask, candidate);
  if (subjectKey !== undefined) return [screenings('bySubject', { subjectKey })];
  if (seenBy !== undefined) {
    const { assigned, requestedBy } = seenBy;
    return [screenings('byRequester', { requestedBy }), walkAssigned(ports, ask, assigned)];
  }
  if (channel !== undefined) return [screenings('byChannel', { channel }, true)];
  return [screenings('byDecision', {}, true)];
}

type Walk = Pick<Parameters<Tables['page']>[1], 'equal' | 'in' | 'index'>;

async function* walkRows(
  { tables }: PagePorts,
  ask: ScreeningPageAsk,
  walk: Walk,
): AsyncGenerator<Met> {
  let after: PageCursor | undefined;
  do {
    const page = await tables.page(registeredScreeningTable, pageAsk(ask, walk, after));
    for (const row of page.records) yield { ...placeOf(row), row };
    after = page.next;
  } while (after !== undefined);
}

const pageAsk = (ask: ScreeningPageAsk, walk: Walk, after: PageCursor | undefined) => ({
  ...walk,
  ...boundsOf(ask),
  direction: 'descending' as const,
  limit: STEP_ROWS,
  ...(after !== undefined && { after }),
});

/** Screenings whose alert is somebody's, of which there are few. */
async function* walkAssigned(
  ports: PagePorts,
  ask: ScreeningPageAsk,
  ids: readonly string[],
): AsyncGenerator<Met> {
  const { from, to = Number.POSITIVE_INFINITY } = boundsOf(ask);
  const keys = ids.map((screeningId) => ({ screeningId, tenantId: ask.tenantId }));
  const rows = await ports.tables.findMany(registeredScreeningTable, keys);
  const wanted = rows.filter(({ occurredAt }) => occurredAt >= from && occurredAt < to);
  for (const row of wanted.toSorted(byTime)) yield { ...placeOf(row), row };
}

function walksOfHits(
  ports: PagePorts,
  ask: ScreeningPageAsk,
  candidate: string,
): readonly AsyncGenerator<Met>[] {
  const { tenantId } = ask;
  const entity = walkHits(ports, ask, {
    equal: { ftmId: candidate, tenantId },
    index: 'byEntity',
  });
  const prefix = prefixOf(candidate);
  const { long, short } = START_CHARS;
  const start6 = startLetters(prefix, long);
  const start3 = startLetters(prefix, short);
  if (start3 === undefined) return [entity];
  const walk =
    start6 === undefined
      ? { equal: { start3, tenantId }, index: 'byStart3' }
      : { equal: { start6, tenantId }, index: 'byStart6' };
  return [entity, walkHits(ports, ask, walk, prefix)];
}

/** A beginning of a name as the register keeps names. */
export const prefixOf = (candidate: string): string =>
  [...foldText(candidate)].slice(0, NAME_CHARS_MAX).join('');

async function* walkHits(
  { tables }: PagePorts,
  ask: ScreeningPageAsk,
  walk: Walk,
  prefix = '',
): AsyncGenerator<Met> {
  let after: PageCursor | undefined;
  do {
    const page = await tables.page(registeredHitTable, pageAsk(ask, walk, after));
    for (const { name, ...hit } of page.records) {
      const isMeant = name.startsWith(prefix);
      yield { ...placeOf(hit), ...(!isMeant && { isOther: true }) };
    }
    after = page.next;
  } while (after !== undefined);
}

async function rowsOf(
  { tables }: PagePorts,
  tenantId: TenantId,
  met: readonly Met[],
): Promise<readonly RegisteredScreening[]> {
  const meant = met.filter(({ isOther }) => !isOther);
  const keys = meant.flatMap(({ row, screeningId }) => (row ? [] : [{ screeningId, tenantId }]));
  const read = keys.length === 0 ? [] : await tables.findMany(registeredScreeningTable, keys);
  const known = new Map(read.map((row) => [row.screeningId, row]));
  return meant.flatMap(({ row, screeningId }) => row ?? known.get(screeningId) ?? []);
}

function passes(row: RegisteredScreening, { filter, seenBy }: ScreeningPageAsk): boolean {
  const { channel, decisions, subjectKey } = filter;
  return (
    (decisions === undefined || decisions.includes(row.decision)) &&
    (channel === undefined || row.channel === channel) &&
    (subjectKey === undefined || row.subjectKey === subjectKey) &&
    (seenBy === undefined ||
      row.requestedBy === seenBy.requestedBy ||
      seenBy.assigned.includes(row.screeningId))
  );
}
