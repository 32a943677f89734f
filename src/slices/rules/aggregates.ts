/**
 * Aggregates over exact windows of event time. A sliding window is left open and right closed and
 * holds the transaction itself unless it says otherwise; of equal times those with a smaller number
 * are before it. Each also says which transactions it was taken of.
 */
import { isAlike } from './edges.ts';
import type { Entry, Position } from './entry.ts';
import {
  asFraction,
  compare,
  type Exact,
  fractionOf,
  over,
  plus,
  rootOf,
  times,
} from './exactNumbers.ts';
import type { Aggregate, RuleWindow, SubjectKind } from './ruleLanguage.ts';
import type { Slice, Track } from './series.ts';
import { type Evaluation, type Lets, type Params, readerOf, type UnknownReason } from './values.ts';

/** A part of the line of time, in milliseconds. */
export interface Reach {
  readonly from: number;
  readonly to: number;
}

/** A compiled aggregate. */
export interface Figure {
  readonly name: string;
  readonly spec: Aggregate;
  readonly value: (of: Evaluation) => Exact | undefined;
  /** The transactions that it was taken of, in order; empty where it counts none. */
  readonly contributors: (of: Evaluation) => Iterable<Entry>;
  /** Its window at a transaction, left open; undefined: it has none of its own. */
  readonly reach: (of: Evaluation) => Reach | undefined;
}

/** Where an aggregate finds its transactions. */
export interface Placed {
  readonly by: SubjectKind;
  /** The number of its track. */
  readonly track: number;
  readonly span: (text: string) => number;
  readonly params: Params;
  readonly lets: Lets;
}

/** What a window holds of one subject at one transaction. */
interface Held {
  readonly track: Track;
  readonly slice: Slice;
  readonly at: Position;
  readonly without?: Entry;
}

type Take = (held: Held, of: Evaluation) => Exact | undefined;

const note = ({ unknown }: Evaluation, reason: UnknownReason): undefined => {
  unknown.add(reason);
  return undefined;
};

/** Compiles one that was checked. */
export function compileAggregate(name: string, spec: Aggregate, placed: Placed): Figure {
  const { agg } = spec;
  if (agg === 'ratio') return ratioFigure(name, spec, placed);
  if (agg === 'cycle' || agg === 'gather') return edgeFigure(name, spec, placed);
  const window = windowOf(spec);
  const reach = reachBy(window, placed);
  const find = heldBy(window, placed, reach);
  const take = takeOf(spec, placed);
  return {
    contributors: (of) => {
      const held = find(of);
      return held === undefined ? [] : held.track.each(held.slice, held.at, held.without);
    },
    name,
    reach,
    spec,
    value: (of) => {
      const held = find(of);
      if (held === undefined) return note(of, 'value:missing');
      return take(held, of);
    },
  };
}

/** The window of an aggregate; those with a lag look back by it. */
export const windowOf = ({ lag, window }: Aggregate): RuleWindow =>
  window ?? (lag === undefined ? {} : { sliding: lag });

/** Where a window lies at a transaction; spans are read once. */
function reachBy(
  { calendar, sliding = 'P0D', until }: RuleWindow,
  { span }: Placed,
): (of: Evaluation) => Reach {
  const length = span(sliding);
  const ends = until === undefined ? 0 : span(until);
  return ({ calendar: zone, entry: { at } }) => ({
    from: calendar === undefined ? at - ends - length : zone.startOf(calendar, at) - 1,
    to: at - ends,
  });
}

function heldBy(
  { self }: RuleWindow,
  { by, track: number }: Placed,
  reach: (of: Evaluation) => Reach,
): (of: Evaluation) => Held | undefined {
  return (of) => {
    const { entry } = of;
    const track = entry.series[by]?.tracks[number];
    if (track === undefined) return undefined;
    const { from, to } = reach(of);
    const upTo = to === entry.at ? entry : { at: to, tseq: Number.POSITIVE_INFINITY };
    const slice = track.slice(from, upTo);
    return { at: entry, slice, track, ...(self === false && { without: entry }) };
  };
}

function takeOf(spec: Aggregate, placed: Placed): Take {
  const { agg } = spec;
  if (agg === 'count' || agg === 'near_below') return counted;
  if (agg === 'sum') return summed;
  if (agg === 'avg') return average;
  if (agg === 'max' || agg === 'min') return extreme(agg === 'max' ? 1 : -1);
  if (agg === 'stddev') return deviation;
  if (agg === 'distinct') return distinct(String(spec.of));
  if (agg === 'fan') return distinct('counterparty');
  if (agg === 'first_seen') return firstSeen(spec, placed);
  if (agg === 'since_last') return sinceLast;
  if (agg === 'round_share') return roundShare(constant(spec.unit, placed));
  if (agg === 'same_amount') return sameAmount(constant(spec.tolerance, placed));
  return inOut;
}

/** A literal or a parameter, which is the same at every transaction. */
function constant(operand: Aggregate['unit'], { params }: Placed): Exact {
  const read = readerOf(operand ?? 0, params, new Map());
  return read(undefined as never) as Exact;
}

const counted: Take = ({ at, slice, track, without }, of) =>
  track.count(slice, at, without) ?? note(of, 'fx:missing');

const summed: Take = ({ at, slice, track, without }, of) =>
  track.sum(slice, at, without) ?? note(of, 'fx:missing');

const average: Take = (held, of) => {
  const count = counted(held, of);
  const sum = summed(held, of);
  if (count === undefined || sum === undefined) return undefined;
  return over(sum, count) ?? note(of, 'value:missing');
};

/** Rows one by one, and whether a rate is missing to know them. */
function rowsOf({ at, slice, track, without }: Held): readonly Entry[] | undefined {
  if (track.isUnsure(slice, at)) return undefined;
  return [...track.each(slice, at, without)];
}

const extreme =
  (sign: 1 | -1): Take =>
  (held, of) => {
    const rows = rowsOf(held);
    if (rows === undefined) return note(of, 'fx:missing');
    let best: Exact | undefined;
    for (const { amount } of rows) {
      if (amount === undefined) return note(of, 'fx:missing');
      if (best === undefined || compare(amount, best) * sign > 0) best = amount;
    }
    return best ?? note(of, 'value:missing');
  };

/** Population, not sample; the root is rounded down to a minor unit of the sum. */
const deviation: Take = (held, of) => {
  const rows = rowsOf(held);
  if (rows === undefined) return note(of, 'fx:missing');
  let sum = 0n;
  let squares = 0n;
  for (const { amount } of rows) {
    if (amount === undefined) return note(of, 'fx:missing');
    const value = BigInt(amount);
    sum += value;
    squares += value * value;
  }
  const count = BigInt(rows.length);
  if (count === 0n) return note(of, 'value:missing');
  return { d: count, n: rootOf(count * squares - sum * sum) };
};

const distinct =
  (field: string): Take =>
  (held, of) => {
    const rows = rowsOf(held);
    if (rows === undefined) return note(of, 'fx:missing');
    const seen = new Set<string>();
    for (const { texts } of rows) {
      const value = texts[field as keyof typeof texts];
      if (value !== undefined) seen.add(value);
    }
    return seen.size;
  };

/** How many values of the window were not there in what is looked back on before it. */
function firstSeen({ history = 'P0D', of: field }: Aggregate, { span }: Placed): Take {
  const back = span(history);
  const name = String(field) as 'counterparty' | 'counterparty_country';
  return (held, of) => {
    const rows = rowsOf(held);
    if (rows === undefined) return note(of, 'fx:missing');
    const fresh = new Set<string>();
    for (const { texts } of rows) {
      const value = texts[name];
      if (value !== undefined) fresh.add(value);
    }
    if (fresh.size === 0) return 0;
    const { at, slice, track } = held;
    const earlier = { from: track.slice(at.at - back, at).from, to: slice.from };
    if (track.isUnsure(earlier, at)) return note(of, 'fx:missing');
    for (const { texts } of track.each(earlier, at)) {
      const value = texts[name];
      if (value !== undefined && fresh.delete(value) && fresh.size === 0) return 0;
    }
    return fresh.size;
  };
}

/** Milliseconds since the one before, which is not the transaction itself. */
const sinceLast: Take = ({ at, slice, track }, of) => {
  if (track.isUnsure(slice, at)) return note(of, 'fx:missing');
  let last: Entry | undefined;
  for (const one of track.each(slice, at, of.entry)) last = one;
  return last === undefined ? note(of, 'value:missing') : at.at - last.at;
};

const roundShare =
  (unit: Exact): Take =>
  (held, of) => {
    const rows = rowsOf(held);
    if (rows === undefined) return note(of, 'fx:missing');
    const { d, n } = asFraction(unit);
    const round = rows.filter(({ own, ownUnit }) => {
      const step = n * BigInt(ownUnit);
      return step > 0n && own !== 0 && (BigInt(own) * d) % step === 0n;
    });
    return over(round.length, rows.length) ?? 0;
  };

const sameAmount =
  (tolerance: Exact): Take =>
  (held, of) => {
    const rows = rowsOf(held);
    if (rows === undefined || of.entry.amount === undefined) return note(of, 'fx:missing');
    return rows.filter(({ amount }) => isAlike(amount, of.entry.amount, tolerance)).length;
  };

/** What went out after the first of what came in, as a part of that. */
const inOut: Take = (held, of) => {
  const rows = rowsOf(held);
  if (rows === undefined) return note(of, 'fx:missing');
  let into: Exact = 0;
  let out: Exact = 0;
  for (const { amount, texts } of rows) {
    if (amount === undefined) return note(of, 'fx:missing');
    if (texts.direction === 'credit') into = plus(into, amount);
    else if (texts.direction === 'debit' && into !== 0) out = plus(out, amount);
  }
  return over(out, into) ?? 0;
};

function ratioFigure(name: string, spec: Aggregate, { lets, params }: Placed): Figure {
  const [one = 0, other = 0] = Array.isArray(spec.of) ? spec.of : [];
  const left = readerOf(one, params, lets);
  const right = readerOf(other, params, lets);
  const factor = spec.times === undefined ? undefined : fractionOf(spec.times);
  return {
    contributors: () => [],
    name,
    reach: () => undefined,
    spec,
    value: (of) => {
      const [a, b] = [left(of), right(of)];
      if (a === undefined || b === undefined) return undefined;
      const quotient = over(a as Exact, b as Exact);
      if (quotient === undefined) return note(of, 'value:missing');
      return factor === undefined ? quotient : times(quotient, factor);
    },
  };
}

function edgeFigure(name: string, spec: Aggregate, placed: Placed): Figure {
  const lagMs = placed.span(spec.lag ?? 'P0D');
  const hops = spec.hops ?? 2;
  const tolerance = constant(spec.tolerance, placed);
  const share = constant(spec.share, placed);
  const find = ({ edges, entry }: Evaluation) =>
    spec.agg === 'cycle'
      ? edges?.cycle(entry, { hops, lagMs, tolerance })
      : edges?.gather(entry, { lagMs, share });
  return {
    contributors: (of) => find(of)?.through ?? [],
    name,
    reach: ({ entry: { at } }) => ({ from: at - lagMs, to: at }),
    spec,
    value: (of) => find(of)?.count ?? note(of, 'budget:exceeded'),
  };
}
