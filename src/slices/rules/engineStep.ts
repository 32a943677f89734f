/** What one step of an engine came to. */
import type { UnknownReason } from './values.ts';

/** Why a rule said nothing of some transactions. */
export interface NotEvaluated {
  readonly ruleId: string;
  readonly reason: UnknownReason;
  readonly count: number;
}

/** What a step of the engine came to. */
export interface EngineStep {
  /** Alerts that are new or say something else now, by their names, in order. */
  readonly changed: readonly string[];
  /** Names of alerts by the transactions that trigger them, of those that were taken. */
  readonly triggered: ReadonlyMap<number, readonly string[]>;
  readonly notEvaluated: readonly NotEvaluated[];
  /** Too old for any window. */
  readonly tooLate: number;
  /** Came after later ones of a subject. */
  readonly late: number;
  /** Alerts, by name, that came of one that was late, or of what was evaluated again after it. */
  readonly lateAlerts: ReadonlySet<string>;
  /** Numbers of those that left more to evaluate again than is done at once. */
  readonly deferredBy: readonly number[];
}

/** What a step notes on its way. */
export interface Noted {
  readonly deferredBy: Set<number>;
  readonly changed: Set<string>;
  readonly lateAlerts: Set<string>;
  readonly triggered: Map<number, Set<string>>;
  readonly unknown: Map<string, number>;
  tooLate: number;
  late: number;
}

/** Nothing yet. */
export const newNoted = (): Noted => ({
  changed: new Set(),
  deferredBy: new Set(),
  late: 0,
  lateAlerts: new Set(),
  tooLate: 0,
  triggered: new Map(),
  unknown: new Map(),
});

/** One more of this name. */
export const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** As it is handed out, in orders that do not depend on how it came. */
export function stepOf({
  changed,
  deferredBy,
  late,
  lateAlerts,
  tooLate,
  triggered,
  unknown,
}: Noted): EngineStep {
  return {
    changed: [...changed].sort(),
    deferredBy: [...deferredBy].sort((one, other) => one - other),
    late,
    lateAlerts,
    notEvaluated: [...unknown]
      .map(([name, times]) => {
        const [ruleId = '', reason = ''] = name.split('|');
        return { count: times, reason: reason as UnknownReason, ruleId };
      })
      .sort((one, other) => (one.ruleId + one.reason < other.ruleId + other.reason ? -1 : 1)),
    tooLate,
    triggered: new Map([...triggered].map(([tseq, names]) => [tseq, [...names].sort()])),
  };
}
