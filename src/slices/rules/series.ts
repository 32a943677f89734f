/**
 * Transactions of one subject in the order of events, with running sums: a figure over a window is
 * two searches and a difference. Each filter of a rule has a track of its own, which holds only
 * what passes it. Whatever comes late is put in at its place.
 */
import { type Int, minus, plus } from './exactNumbers.ts';
import type { SubjectKind } from './ruleLanguage.ts';

/** The order of events: by time, and where times are equal by number. */
export interface Position {
  readonly at: number;
  readonly tseq: number;
}

/** What is known of a customer at a time. */
export interface EntryFacts {
  readonly riskTier?: string;
  readonly residence?: string;
  /** A month's, in minor units of the base currency; absent also where no rate is known. */
  readonly expectedTurnover?: Int;
  /** Milliseconds since the beginning of the day on which the account was opened. */
  readonly age?: number;
}

/** Members that are texts. */
export interface EntryTexts {
  readonly account: string;
  readonly currency: string;
  readonly direction: string;
  readonly status: string;
  readonly channel?: string;
  readonly counterparty?: string;
  readonly counterparty_country?: string;
  readonly customer?: string;
  readonly customer_type?: string;
  readonly product?: string;
  readonly purpose?: string;
}

/** An amount as it was sent. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** What no rate was known for, by this version of the tenant's rates and those before it. */
export interface Unrated {
  readonly amount?: Money;
  readonly turnover?: Money;
  readonly ratesVersion: number;
}

/** A transaction in memory. */
export interface Entry extends Position {
  readonly txId: string;
  readonly receivedAt: number;
  readonly texts: EntryTexts;
  /** Minor units of the base currency; undefined where no rate is known. */
  readonly amount: Int | undefined;
  /** Minor units of its own currency, and how many of them are one unit. */
  readonly own: Int;
  readonly ownUnit: number;
  /** Countries of all parties and agents. */
  readonly countries: readonly string[];
  /** What screening said of them, without CLEAR. */
  readonly verdicts: readonly string[];
  /** Terms of the table in its free text: `place:crimea`. */
  readonly terms: readonly string[];
  /** Absent where one of the countries is unknown. */
  readonly crossBorder?: boolean;
  readonly infoMissing: boolean;
  readonly facts: EntryFacts;
  readonly unrated?: Unrated;
  /** Whether it moved money: it is no reversal, and was not rejected. */
  readonly isCounted: boolean;
  /** The body of which it came, and the version of its key when it was read; of the log alone. */
  readonly ingest?: { readonly ingestId: string; readonly keyVersion: number };
  /** The id that it reverses. */
  readonly reverses?: string;
  /** From here on it is as if it had not been. */
  reversedFrom?: Position;
  /** The windows that hold it; set by the engine. */
  readonly series: Partial<Record<SubjectKind, Series>>;
}

/** Negative, zero or positive, as for sorting. */
export const byPosition = (one: Position, other: Position): number =>
  one.at - other.at || one.tseq - other.tseq;

/** Whether an entry counts for what is evaluated at this place. */
export const countsAt = ({ reversedFrom }: Entry, at: Position): boolean =>
  reversedFrom === undefined || byPosition(reversedFrom, at) > 0;

/** Says whether a transaction passes; undefined where a value is missing for it. */
export type Filter = (entry: Entry) => boolean | undefined;

/** What the transactions of a kind of subject are sorted into. */
export interface TrackPlan {
  readonly filter: Filter;
}

/** A window as places in a track, the end excluded. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

/** Those of one subject that pass a filter. */
export class Track {
  readonly rows: Entry[] = [];
  /** Sum of the amounts before each place, and of all behind the last. */
  readonly #sums: Int[] = [0];
  /** Rows that a sum cannot simply take: reversed, without an amount, or perhaps none of them. */
  readonly #odd = new Set<Entry>();
  /** Rows of which nobody knows whether they pass, since no rate is known. */
  readonly #unsure = new Set<Entry>();

  insert(entry: Entry, isUnsure: boolean): void {
    const last = this.rows.at(-1);
    const place =
      last === undefined || byPosition(last, entry) < 0 ? this.rows.length : this.#after(entry);
    if (place === this.rows.length) this.rows.push(entry);
    else this.rows.splice(place, 0, entry);
    if (isUnsure) this.#unsure.add(entry);
    if (isUnsure || entry.amount === undefined || entry.reversedFrom) this.#odd.add(entry);
    this.#sumFrom(place);
  }

  remove(entry: Entry): void {
    const place = this.rows.indexOf(entry);
    if (place < 0) return;
    this.rows.splice(place, 1);
    this.#odd.delete(entry);
    this.#unsure.delete(entry);
    this.#sums.length = this.rows.length + 1;
    this.#sumFrom(place);
  }

  /** All before a time leave at once: what is left keeps its differences. */
  forget(before: number): void {
    const place = this.#firstAbove(before - 1);
    if (place === 0) return;
    for (const one of this.rows.splice(0, place)) {
      this.#odd.delete(one);
      this.#unsure.delete(one);
    }
    this.#sums.splice(0, place);
  }

  /** For an entry that was reversed since. */
  noteOdd(entry: Entry): void {
    if (this.rows.includes(entry)) this.#odd.add(entry);
  }

  /** Places whose time is above `after` and which are at or before the position. */
  slice(after: number, upTo: Position): Slice {
    return { from: this.#firstAbove(after), to: this.#after(upTo) };
  }

  /** Whether nothing of a window has to be looked at one by one. */
  #isEven(): boolean {
    return this.#odd.size === 0;
  }

  /**
   * How many count at this position; undefined where a rate is missing to know it. `without` is
   * left out.
   */
  count(slice: Slice, at: Position, without?: Entry): number | undefined {
    const { from, to } = slice;
    if (from >= to) return 0;
    const own = without !== undefined && this.#holds(slice, without) ? 1 : 0;
    if (this.#isEven()) return to - from - own;
    let gone = 0;
    for (const one of this.#odd) {
      if (one === without || !this.#holds(slice, one)) continue;
      if (!countsAt(one, at)) gone += 1;
      else if (this.#unsure.has(one)) return undefined;
    }
    return to - from - own - gone;
  }

  /** The sum of their amounts, likewise. */
  sum(slice: Slice, at: Position, without?: Entry): Int | undefined {
    const { from, to } = slice;
    if (from >= to) return 0;
    let sum = minus(this.#sums[to] ?? 0, this.#sums[from] ?? 0);
    if (without !== undefined && this.#holds(slice, without)) {
      sum = minus(sum, without.amount ?? 0);
    }
    if (this.#isEven()) return sum;
    for (const one of this.#odd) {
      if (one === without || !this.#holds(slice, one)) continue;
      if (!countsAt(one, at)) sum = minus(sum, one.amount ?? 0);
      else if (this.#unsure.has(one) || one.amount === undefined) return undefined;
    }
    return sum;
  }

  /** Those that count, in order. */
  *each({ from, to }: Slice, at: Position, without?: Entry): Generator<Entry> {
    for (let place = from; place < to; place += 1) {
      const entry = this.rows[place];
      if (entry !== undefined && entry !== without && countsAt(entry, at)) yield entry;
    }
  }

  /** Whether it is unknown, for want of a rate, which of the window pass. */
  isUnsure(slice: Slice, at: Position): boolean {
    if (this.#unsure.size === 0) return false;
    return [...this.#unsure].some((one) => this.#holds(slice, one) && countsAt(one, at));
  }

  #holds({ from, to }: Slice, entry: Entry): boolean {
    const first = this.rows[from];
    const last = this.rows[to - 1];
    if (first === undefined || last === undefined) return false;
    if (byPosition(first, entry) > 0 || byPosition(last, entry) < 0) return false;
    return this.rows[this.#after(entry) - 1] === entry;
  }

  /** The first place behind this position. */
  #after(position: Position): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rows[middle];
      if (row !== undefined && byPosition(row, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first place whose time is above this one. */
  #firstAbove(time: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.rows[middle]?.at ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sumFrom(place: number): void {
    for (let at = place; at < this.rows.length; at += 1) {
      this.#sums[at + 1] = plus(this.#sums[at] ?? 0, this.rows[at]?.amount ?? 0);
    }
  }
}

/** All tracks of one subject. */
export class Series {
  /** Keyed digest of the subject: how it stands in evidence. Made when it is first needed. */
  key: string | undefined;
  readonly id: string;
  readonly tracks: readonly Track[];
  /** What moved no money: it is evaluated, and counts in no window. */
  readonly uncounted = new Track();

  constructor(id: string, plans: readonly TrackPlan[]) {
    this.id = id;
    this.tracks = plans.map(() => new Track());
  }

  insert(entry: Entry, plans: readonly TrackPlan[]): void {
    if (!entry.isCounted) {
      this.uncounted.insert(entry, false);
      return;
    }
    for (const [at, { filter }] of plans.entries()) {
      const passes = filter(entry);
      // What a sender left out nobody will ever know; a rate may still come.
      const isUnsure = passes === undefined && entry.amount === undefined;
      if (passes === true || isUnsure) this.tracks[at]?.insert(entry, isUnsure);
    }
  }

  remove(entry: Entry): void {
    for (const track of [this.uncounted, ...this.tracks]) track.remove(entry);
  }

  /** Whether nothing is left. */
  forget(before: number): boolean {
    const all = [this.uncounted, ...this.tracks];
    for (const track of all) track.forget(before);
    return all.every(({ rows }) => rows.length === 0);
  }

  noteOdd(entry: Entry): void {
    for (const track of this.tracks) track.noteOdd(entry);
  }
}
