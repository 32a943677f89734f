/**
 * How far back an engine keeps transactions. What no window of its rules can reach any more is
 * forgotten, and changes nothing. Where there are still more than memory is meant to have, the
 * oldest leave, too: a rule that looks back behind them says from then on that it does not know
 * (`history:not-held`), never no.
 */
import type { RulePlan } from './compileRule.ts';
import { DAY_MS } from './spans.ts';

/** Forgotten down to here, so that not every transaction forgets one other. */
const KEPT_TENTHS = 9;
/** Between two looks for what nobody reaches; also how far clocks of gateways may differ. */
const LOOK_EVERY_MS = DAY_MS;

/** What a look has found. */
export interface Forgetting {
  /** Transactions of earlier times leave. */
  readonly before: number;
  /** Alerts whose last trigger is earlier leave: nothing changes them any more. */
  readonly alertsBefore: number;
}

/** Decides what leaves. A function of what was taken, so that a second evaluation does alike. */
export class Horizon {
  readonly #plan: Pick<RulePlan, 'reachMs' | 'suppressMs'>;
  readonly #heldMax: number;
  readonly #lateMs: number;
  /** Earlier ones may be missing though windows reach them. */
  #cut: number;
  #received = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    plan: Pick<RulePlan, 'reachMs' | 'suppressMs'>,
    of: { readonly cut?: number | undefined; readonly heldMax: number; readonly lateMs: number },
  ) {
    this.#plan = plan;
    this.#heldMax = of.heldMax;
    this.#lateMs = of.lateMs;
    this.#cut = of.cut ?? Number.NEGATIVE_INFINITY;
  }

  /** Undefined: nothing left that a window reaches. */
  get cut(): number | undefined {
    return this.#cut === Number.NEGATIVE_INFINITY ? undefined : this.#cut;
  }

  /** Whether all that a look back by so much could find is there. */
  isHeld(at: number, reachMs: number): boolean {
    return reachMs === 0 || at - reachMs >= this.#cut;
  }

  /** One was taken that came at this time: whoever is late from now on is late after it. */
  note(receivedAt: number): void {
    if (receivedAt > this.#received) this.#received = receivedAt;
  }

  /** Whether there are more than memory is meant to have. */
  isOver(size: number): boolean {
    return size > this.#heldMax;
  }

  /** What is to be forgotten now; undefined: nothing. */
  look(size: number, timesOf: () => Float64Array): Forgetting | undefined {
    const isDue = this.#received - this.#lookedAt >= LOOK_EVERY_MS;
    if (!isDue && !this.isOver(size)) return undefined;
    if (isDue) this.#lookedAt = this.#received;
    if (this.isOver(size)) this.#cutTo(timesOf().sort());
    const late = this.#received - this.#lateMs - LOOK_EVERY_MS;
    return {
      alertsBefore: late - this.#plan.suppressMs,
      before: Math.max(late - this.#plan.reachMs, this.#cut),
    };
  }

  /** The bound holds whatever the times are: of equal ones all leave. */
  #cutTo(times: Float64Array): void {
    const reached = this.#received - this.#lateMs - LOOK_EVERY_MS - this.#plan.reachMs;
    const first = times.findIndex((at) => at >= reached);
    // What leaves anyway may be enough.
    if (first > 0 && times.length - first <= this.#heldMax) return;
    const place = times.length - Math.floor((this.#heldMax * KEPT_TENTHS) / 10);
    const at = times[place] ?? Number.NEGATIVE_INFINITY;
    const staying = times.length - times.findIndex((one) => one >= at);
    const cut = staying > this.#heldMax ? at + 1 : at;
    if (cut > this.#cut) this.#cut = cut;
  }
}
