/**
 * A worker's hold on a batch as a whole, while it reads the cohort or writes the reports. Its lease
 * is renewed every few seconds, and work under it stops at `signal` once it is lost. After a worker
 * was killed, another one takes over when the lease ends.
 */
import type { EpochMs } from '#platform/clock';
import { type Batch, hasEnded } from './batch.ts';
import { BatchLost, type BatchPorts, type Holder, updateBatch } from './batchWork.ts';

/** Milliseconds that the work of a killed worker waits (decisions 4.1: 20 s at most). */
export const BATCH_LEASE_MS = 10_000;
export const BATCH_RENEW_MS = 3_000;

type Ports = Pick<BatchPorts, 'batches' | 'clock'>;

const until = ({ clock }: Ports): EpochMs => (clock.now() + BATCH_LEASE_MS) as EpochMs;

/** Whether no worker holds it, or its holder has let the lease end. */
export const isFree = ({ leaseHolder, leaseUntil }: Batch, now: EpochMs): boolean =>
  leaseHolder === undefined || (leaseUntil ?? 0) <= now;

/** The batch, held; undefined where another worker has it, or it has ended. */
export async function claimBatch(
  ports: Ports,
  batch: Batch,
  holder: Holder,
): Promise<Batch | undefined> {
  try {
    return await updateBatch(ports, batch, (found) =>
      hasEnded(found) || !isFree(found, ports.clock.now())
        ? undefined
        : { ...found, leaseHolder: holder, leaseUntil: until(ports) },
    );
  } catch (error) {
    if (error instanceof BatchLost) return undefined;
    throw error;
  }
}

export const withoutLease = ({ leaseHolder: _, leaseUntil: __, ...batch }: Batch): Batch => batch;

export class BatchHold {
  readonly #ports: Ports;
  readonly #holder: Holder;
  /** Fires once the batch is another's, or has ended, or the worker stops. */
  readonly signal: AbortSignal;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #batch: Batch;
  #progress: Partial<Batch> = {};
  #savedMs: number;
  #saving: Promise<void> = Promise.resolve();

  /** `signal`: the worker stops. */
  constructor(
    ports: Ports,
    batch: Batch,
    options: { readonly holder: Holder; readonly renewMs?: number; readonly signal?: AbortSignal },
  ) {
    const stop = options.signal === undefined ? [] : [options.signal];
    this.signal = AbortSignal.any([this.#lost.signal, ...stop]);
    this.#ports = ports;
    this.#holder = options.holder;
    this.#batch = batch;
    this.#savedMs = ports.clock.monotonicMs();
    this.#timer = setInterval(() => this.#save(), options.renewMs ?? BATCH_RENEW_MS);
  }

  /** As it was saved last. */
  get batch(): Batch {
    return this.#batch;
  }

  /** Sets the batch after a commit of the holder's own. */
  async replace(batch: Batch): Promise<void> {
    await this.#saving;
    if (batch.version > this.#batch.version) this.#batch = batch;
  }

  /** Saved with the next renewal. */
  tell(progress: Partial<Pick<Batch, 'rejectedTotal' | 'notice'>>): void {
    this.#progress = { ...this.#progress, ...progress };
  }

  /** No more renewals; the batch as it was saved last. */
  async end(): Promise<Batch> {
    clearInterval(this.#timer);
    await this.#saving;
    return this.#batch;
  }

  /** Lets others have it at once; nothing where it is lost already. */
  async giveBack(notice?: Batch['notice']): Promise<void> {
    const batch = await this.end();
    if (this.#lost.signal.aborted) return;
    try {
      await updateBatch(this.#ports, batch, (found) =>
        found.leaseHolder === this.#holder
          ? { ...withoutLease(found), ...(notice !== undefined && { notice }) }
          : undefined,
      );
    } catch (error) {
      if (!(error instanceof BatchLost)) throw error;
    }
  }

  #save(): void {
    this.#saving = this.#saving.then(() => this.#saveNow());
  }

  async #saveNow(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    try {
      const progress = this.#progress;
      const saved = await updateBatch(this.#ports, this.#batch, (found) =>
        found.leaseHolder === this.#holder
          ? { ...found, ...progress, leaseUntil: until(this.#ports) }
          : undefined,
      );
      if (saved === undefined) return this.#lose('another worker has it');
      this.#batch = saved;
      this.#savedMs = this.#ports.clock.monotonicMs();
    } catch (error) {
      // The store may be back before the lease ends.
      const silentMs = this.#ports.clock.monotonicMs() - this.#savedMs;
      if (error instanceof BatchLost) this.#lose(error.message);
      else if (silentMs >= BATCH_LEASE_MS) this.#lose('its lease could not be renewed', error);
    }
  }

  #lose(detail: string, cause?: unknown): void {
    clearInterval(this.#timer);
    this.#lost.abort(new BatchLost(detail, { cause }));
  }
}
