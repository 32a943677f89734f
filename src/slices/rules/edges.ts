/**
 * Payments as edges between accounts, for what goes over several of them: money that comes back to
 * where it began, and money that is scattered and gathered again. How much is looked at is bounded;
 * beyond the bound the answer is unknown, never no.
 */
import { byPosition, countsAt, type Entry } from './entry.ts';
import {
  compare,
  type Exact,
  type Fraction,
  type Int,
  minus,
  plus,
  times,
} from './exactNumbers.ts';
import { VISITS_MAX } from './ruleLanguage.ts';

/** A payment from one account to another. */
export interface Edge {
  readonly entry: Entry;
  readonly from: string;
  readonly to: string;
}

/** What was found, and by which payments; undefined: too much to look at. */
export interface Found {
  readonly count: number;
  readonly through: readonly Entry[];
}

/** The edge of a payment; undefined where a side is unknown, or money did not move. */
export function edgeOf(entry: Entry): Edge | undefined {
  const { account, counterparty, direction } = entry.texts;
  if (!entry.isCounted || counterparty === undefined || counterparty === account) return undefined;
  if (direction === 'debit') return { entry, from: account, to: counterparty };
  return direction === 'credit' ? { entry, from: counterparty, to: account } : undefined;
}

/** Payments by who received and who sent them, in the order of events. */
export class Edges {
  readonly #into = new Map<string, Edge[]>();
  readonly #outOf = new Map<string, Edge[]>();

  insert(entry: Entry): void {
    const edge = edgeOf(entry);
    if (edge === undefined) return;
    put(this.#into, edge.to, edge);
    put(this.#outOf, edge.from, edge);
  }

  remove(entry: Entry): void {
    const edge = edgeOf(entry);
    if (edge === undefined) return;
    take(this.#into, edge.to, entry);
    take(this.#outOf, edge.from, entry);
  }

  /** All before a time leave. */
  forget(before: number): void {
    for (const map of [this.#into, this.#outOf]) {
      for (const [key, edges] of map) {
        const place = edges.findIndex(({ entry }) => entry.at >= before);
        if (place < 0) map.delete(key);
        else if (place > 0) edges.splice(0, place);
      }
    }
  }

  /**
   * Payments by which the money of this one came back to whom it goes: each earlier than the next,
   * within the lag, and each amount within the tolerance of the next. A count of 0: none.
   */
  cycle(
    entry: Entry,
    of: { readonly hops: number; readonly lagMs: number; readonly tolerance: Exact },
  ): Found | undefined {
    const closing = edgeOf(entry);
    if (closing === undefined) return { count: 0, through: [] };
    const search = { origin: closing.to, since: entry.at - of.lagMs, visits: 0, ...of };
    const through = this.#back(closing, [closing], search);
    if (through !== undefined) {
      return { count: through.length, through: through.map((edge) => edge.entry) };
    }
    return search.visits > VISITS_MAX ? undefined : { count: 0, through: [] };
  }

  #back(edge: Edge, path: readonly Edge[], search: CycleSearch): readonly Edge[] | undefined {
    for (const before of this.#before(this.#into.get(edge.from), edge.entry, search.since)) {
      search.visits += 1;
      if (search.visits > VISITS_MAX) return undefined;
      if (!countsAt(before.entry, path.at(-1)?.entry ?? edge.entry)) continue;
      if (!isAlike(before.entry.amount, edge.entry.amount, search.tolerance)) continue;
      const way = [before, ...path];
      if (before.from === search.origin) return way;
      const isSeen = path.some(({ from }) => from === before.from);
      if (isSeen || way.length >= search.hops) continue;
      const found = this.#back(before, way, search);
      if (found !== undefined || search.visits > VISITS_MAX) return found;
    }
    return undefined;
  }

  /**
   * Through how many accounts the money of one origin came to whom this payment goes, within the
   * lag, with at least this share arriving by each: of all origins the most.
   */
  gather(entry: Entry, of: { readonly lagMs: number; readonly share: Exact }): Found | undefined {
    const last = edgeOf(entry);
    if (last === undefined) return { count: 0, through: [] };
    const since = entry.at - of.lagMs;
    const arrived = new Map<string, { sum: Int; edges: Edge[]; first: Edge }>();
    let visits = 0;
    for (const edge of this.#before(this.#into.get(last.to), entry, since, true)) {
      visits += 1;
      if (visits > VISITS_MAX) return undefined;
      if (!countsAt(edge.entry, entry)) continue;
      const known = arrived.get(edge.from) ?? { edges: [], first: edge, sum: 0 };
      known.sum = plus(known.sum, edge.entry.amount ?? 0);
      known.edges.push(edge);
      arrived.set(edge.from, known);
    }
    const origins = new Map<string, { count: number; through: Entry[] }>();
    for (const [middle, { edges, sum }] of arrived) {
      const sent = new Map<string, { sum: Int; edges: Edge[] }>();
      // Edges come from the latest back: what was sent on was received before its last payment.
      const upTo = edges[0]?.entry ?? entry;
      for (const edge of this.#before(this.#into.get(middle), upTo, since)) {
        visits += 1;
        if (visits > VISITS_MAX) return undefined;
        if (!countsAt(edge.entry, entry) || edge.from === last.to) continue;
        const known = sent.get(edge.from) ?? { edges: [], sum: 0 };
        known.sum = plus(known.sum, edge.entry.amount ?? 0);
        known.edges.push(edge);
        sent.set(edge.from, known);
      }
      for (const [origin, { edges: first, sum: begun }] of sent) {
        if (compare(sum, times(begun, of.share)) < 0) continue;
        const known = origins.get(origin) ?? { count: 0, through: [] };
        known.count += 1;
        known.through.push(...first.map((edge) => edge.entry), ...edges.map((edge) => edge.entry));
        origins.set(origin, known);
      }
    }
    const best = [...origins].sort(
      ([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1),
    );
    const [[, found] = []] = best;
    return found ?? { count: 0, through: [] };
  }

  /** Payments after this one that money of it may have gone on by; undefined: too many. */
  after(
    entry: Entry,
    of: { readonly hops: number; readonly reachMs: number },
  ): Entry[] | undefined {
    const first = edgeOf(entry);
    const found = new Set<Entry>();
    let front = first === undefined ? [] : [first];
    for (let hop = 0; hop < of.hops && front.length > 0; hop += 1) {
      const next: Edge[] = [];
      for (const edge of front) {
        for (const on of this.#outOf.get(edge.to) ?? []) {
          const isLater = byPosition(on.entry, edge.entry) > 0;
          if (!isLater || on.entry.at > entry.at + of.reachMs || found.has(on.entry)) continue;
          found.add(on.entry);
          next.push(on);
          if (found.size > VISITS_MAX) return undefined;
        }
        // What gathers at the same account looks at payments beside this one, too.
        for (const beside of this.#into.get(edge.to) ?? []) {
          const isLater = byPosition(beside.entry, entry) > 0;
          if (!isLater || beside.entry.at > entry.at + of.reachMs) continue;
          found.add(beside.entry);
          if (found.size > VISITS_MAX) return undefined;
        }
      }
      front = next;
    }
    return [...found];
  }

  /** The latest first. */
  *#before(
    edges: readonly Edge[] | undefined,
    entry: Entry,
    since: number,
    isInclusive = false,
  ): Generator<Edge> {
    if (edges === undefined) return;
    let low = 0;
    let high = edges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = edges[middle];
      const order = row === undefined ? 1 : byPosition(row.entry, entry);
      if (order < 0 || (isInclusive && order === 0)) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= 0; at -= 1) {
      const edge = edges[at];
      if (edge === undefined || edge.entry.at <= since) return;
      yield edge;
    }
  }
}

interface CycleSearch {
  readonly origin: string;
  readonly since: number;
  readonly hops: number;
  readonly tolerance: Exact;
  visits: number;
}

function put(map: Map<string, Edge[]>, key: string, edge: Edge): void {
  const edges = map.get(key);
  if (edges === undefined) {
    map.set(key, [edge]);
    return;
  }
  let place = edges.length;
  while (place > 0 && byPosition(edges[place - 1]?.entry ?? edge.entry, edge.entry) > 0) place -= 1;
  edges.splice(place, 0, edge);
}

function take(map: Map<string, Edge[]>, key: string, entry: Entry): void {
  const edges = map.get(key) ?? [];
  const place = edges.findIndex((edge) => edge.entry === entry);
  if (place >= 0) edges.splice(place, 1);
}

/** Whether an amount is within the tolerance of another, which is the measure. */
export function isAlike(one: Int | undefined, other: Int | undefined, tolerance: Exact): boolean {
  if (one === undefined || other === undefined) return false;
  const difference = minus(one, other);
  const size = difference < 0 ? minus(0, difference) : difference;
  const allowed: Fraction = times(other, tolerance);
  return compare(size, allowed) <= 0;
}
