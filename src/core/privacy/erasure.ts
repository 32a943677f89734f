/**
 * What becomes of a person's data when he is erased: the second half of the seam of holdings. Each
 * slice says what it would do and does it. The slice `privacy` asks for the plan, has it approved,
 * and has it carried out: at once, again whenever a duty ends, and again after the restore of an
 * old backup. So carrying out is harmless to repeat, and does what is due by then.
 */
import type { Actor } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import type { DataSubject } from './dataSubject.ts';

/** What is done with rows: taken away, kept under a pseudonym, or kept as they are. */
export const ERASURE_ACTIONS = ['delete', 'pseudonymise', 'keep'] as const;
/** One of ERASURE_ACTIONS. */
export type ErasureAction = (typeof ERASURE_ACTIONS)[number];

/**
 * Why: nothing demands it any more; a law demands it until a day; it is part of signed evidence
 * that stands or falls as a whole.
 */
export const ERASURE_REASONS = ['no_duty', 'legal_duty', 'evidence'] as const;
/** One of ERASURE_REASONS. */
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/** Rows of one store with one fate. */
export interface PlannedErasure {
  readonly action: ErasureAction;
  readonly rows: number;
  readonly why: ErasureReason;
  /** When the last duty of these rows ends; they are erased then. */
  readonly until?: EpochMs;
  /**
   * Carried out and never told: that there are such rows would tell of a suspicion (AMLR 73). The
   * plan that people see, and the dates that it gives, are the same without them.
   */
  readonly isUntold?: true;
}

/** As of when, and by which duty. */
export interface ErasureTerms {
  readonly now: EpochMs;
  /** What came later than this is of another relation, and stays. */
  readonly asOf: EpochMs;
  /** For so many years after its relation has ended what the law wants is kept. */
  readonly retentionYears: number;
  /**
   * What `custody` of the same holding gave before anything was erased; absent where nothing has
   * been approved yet, and in vaults of a former release.
   */
  readonly custody?: object;
}

/** An erasure that was approved. */
export interface ErasureOrder extends ErasureTerms {
  readonly actor: Actor;
  /** Stands for the person in what is kept. */
  readonly pseudonym: string;
  /** For the open part of entries: names the request, never the person. */
  readonly reason: string;
}

/** What a holding does when a person is erased. */
export interface HoldingErasure {
  plan(subject: DataSubject, terms: ErasureTerms): Promise<readonly PlannedErasure[]>;
  /** Does all that is due by now; harmless to repeat. */
  erase(subject: DataSubject, order: ErasureOrder): Promise<void>;
  /**
   * What must be found again while a duty lasts, and `erase` takes out of its place, or out of what
   * it is found by: identifiers, keys, places. It lies in the identity vault before anything is
   * erased, and comes back with the terms.
   */
  custody?(subject: DataSubject, terms: Pick<ErasureTerms, 'asOf'>): Promise<object | undefined>;
  /** Every reference of a person that it knows: whom a restore brings back is found by it. */
  references?(tenantId: DataSubject['tenantId']): AsyncIterable<string>;
}

/** The end of a duty: calendar years, so that leap days count. */
export function dutyEnd(from: EpochMs, { retentionYears }: Pick<ErasureTerms, 'retentionYears'>) {
  const at = new Date(from);
  at.setUTCFullYear(at.getUTCFullYear() + retentionYears);
  return at.getTime() as EpochMs;
}

/** Rows by their fate: those whose duty lasts, under `kept`, and those that go. */
export function plannedByDuty(
  ends: readonly EpochMs[],
  { kept, now }: { readonly kept: 'keep' | 'pseudonymise'; readonly now: EpochMs },
): readonly PlannedErasure[] {
  const lasting = ends.filter((end) => end > now);
  const over = ends.length - lasting.length;
  return [
    ...(over > 0 ? [{ action: 'delete', rows: over, why: 'no_duty' } as const] : []),
    ...(lasting.length > 0
      ? [
          {
            action: kept,
            rows: lasting.length,
            until: Math.max(...lasting) as EpochMs,
            why: 'legal_duty',
          } as const,
        ]
      : []),
  ];
}
