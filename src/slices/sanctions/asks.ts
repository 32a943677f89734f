/** What sanctions ask of their process: threads that check events and draw reports. */
import type { KeyRing } from '#core/audit';
import { adapter, port, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { CheckedEvent, EventTask } from './checkEvents.ts';
import type { ScreeningReport } from './reportDocument.ts';

/** Who waits for the check; a tenant's checks take its turns. */
export interface CheckCaller {
  readonly turn: string;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

/**
 * Checks events in a thread of its own, which starts with the first, in turns of tenants. Rejects
 * with `deadline-exceeded`, `engine-queue-full` or `body-aborted`.
 */
export interface EventThread {
  check(task: EventTask, by: CheckCaller): Promise<readonly CheckedEvent[]>;
  close(): Promise<void>;
}

export const eventThread = adapter<(of: { readonly keyRing: KeyRing }) => Promise<EventThread>>();

/**
 * Draws reports in a thread of its own, which starts with the first, in turns of tenants. Rejects
 * as EventThread does.
 */
export interface ReportThread {
  /** `text`: the report as JSON. */
  draw(text: string, by: CheckCaller): Promise<Uint8Array>;
  close(): Promise<void>;
}

export const reportThread = adapter<() => Promise<ReportThread>>();

/** The pages of a report, on the spot. The same report always gives the same bytes. */
export const drawReport = adapter<(report: ScreeningReport) => Promise<Uint8Array>>();

/** How far known customers are compared with the lists in force. */
export interface RescreeningFigures {
  /** Those of the last walk through all that has ended; null where there was none. */
  readonly customers: number | null;
  /** How many of them are compared with what is in force; null where there are none. */
  readonly coveredPct: number | null;
  /**
   * Seconds since the oldest list version that they are not all compared with; 0: there is none.
   */
  readonly lagS: number;
  /** Listed parties that runs of the period have found. */
  readonly alertsCreated: number;
}

/** Unanswered: nobody watches customers. */
export const rescreeningFigures = port<
  (ask: {
    readonly tenantId: TenantId;
    readonly from: EpochMs;
    readonly to: EpochMs;
  }) => Promise<RescreeningFigures | undefined>
>(() => async () => undefined);
