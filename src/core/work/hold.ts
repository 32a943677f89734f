/**
 * A worker's hold on a row that it has leased. The lease is renewed every few seconds, together
 * with the work's progress, and the work stops at `signal` once the row is lost.
 *
 * A row is lost where another worker has it, where it has ended, or where the lease could not be
 * renewed for its length by this process's own monotonic clock: by then others take the worker for
 * dead (silence.ts). Until then a store that does not answer costs nothing.
 *
 * Renewals run one after another, and the last one is over when `end` resolves. A hold cannot
 * prevent that a worker slept: its commits therefore name the fence (`expected`), or do no harm
 * when repeated.
 */
import type {
  FieldOf,
  Lease,
  LeaseClaim,
  Leased,
  Table,
  TableChange,
  TableRecord,
  Tables,
  WorkFields,
} from '#core/kernel';
import type { Clock } from '#platform/clock';
import { keyOf } from './rowKey.ts';

/** How a kind of work is leased. */
export interface LeaseTimes {
  /** Milliseconds between two renewals by the holder. */
  readonly renewMs: number;
  /**
   * Milliseconds without a renewal after which the holder gives the row up, and others take it for
   * dead.
   */
  readonly leaseMs: number;
}

/** The row has ended, or another worker has it. The work on it stops, and nothing has failed. */
export class WorkLost extends Error {
  override readonly name = 'WorkLost';
}

/** What a hold needs of its process. */
export interface HoldPorts {
  readonly tables: Pick<Tables, 'renew' | 'giveBack'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** The state in which a row is given back. */
export interface GiveBack<R extends TableRecord> {
  /** `false`: this try does not count. */
  readonly isTried: boolean;
  /** A part of the work is done and kept: tries are counted anew. */
  readonly hasGotOn?: true;
  readonly work?: WorkFields<R>;
}

/** A leased row. Create it right after the row was leased, claimed or taken over. */
export class Hold<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  /** Fires with WorkLost once the row is lost or given back, or with the worker's own reason. */
  readonly signal: AbortSignal;
  /** The lease as it was when the row was taken; its fence stays the same. */
  readonly lease: Lease;
  readonly #ports: HoldPorts;
  readonly #table: Table<R, K>;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #record: R;
  #told: WorkFields<R> = {};
  #renewedMs: number;
  #isRenewing = false;
  #queued: Promise<void> | undefined;
  #renewals: Promise<void> = Promise.resolve();

  /** `signal` fires when the worker stops. */
  constructor(
    ports: HoldPorts,
    table: Table<R, K>,
    leased: Leased<R>,
    { signal, times }: { readonly times: LeaseTimes; readonly signal?: AbortSignal },
  ) {
    const stop = signal === undefined ? [] : [signal];
    this.signal = AbortSignal.any([this.#lost.signal, ...stop]);
    this.lease = leased.lease;
    this.#ports = ports;
    this.#table = table;
    this.#times = times;
    this.#record = leased.record;
    this.#renewedMs = ports.clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), times.renewMs);
  }

  /** The record as this hold knows it: as it was taken, plus later saves and replacements. */
  get record(): R {
    return this.#record;
  }

  /** The key of the row. */
  get key(): Pick<R, K> {
    return keyOf(this.#table, this.#record);
  }

  /** The claim that writes beside commits name. */
  get claim(): LeaseClaim {
    const { fence, holder } = this.lease;
    return { fence, holder };
  }

  /** For a commit that only the row's holder may make: stale once another worker has taken it. */
  get expected(): TableChange {
    return this.#table.expect(this.key, { fence: this.lease.fence });
  }

  /** Sets the record after a commit of the holder's own. */
  replace(record: R): void {
    this.#record = record;
  }

  /** Work fields to save with the next renewal. */
  tell(work: WorkFields<R>): void {
    this.#told = { ...this.#told, ...work };
  }

  /**
   * Renews now, with the fields of `tell`. Resolves when the renewal has ended, even in failure.
   */
  saveNow(): Promise<void> {
    // A renewal that waits for its turn includes fields told until then.
    this.#queued ??= this.#renewals.then(() => {
      this.#queued = undefined;
      return this.#renew();
    });
    this.#renewals = this.#queued;
    return this.#queued;
  }

  /** Ends the renewals. The row stays leased until others find it silent. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewals;
  }

  /** Releases the row for others at once, and stops the work. False: it was lost already. */
  async giveBack({ work, ...tried }: GiveBack<R>): Promise<boolean> {
    await this.end();
    if (this.#lost.signal.aborted) return false;
    this.#lose('it was given back');
    return this.#ports.tables.giveBack(this.#table, {
      ...tried,
      claim: this.claim,
      key: this.key,
      work: { ...this.#told, ...work },
    });
  }

  #tick(): void {
    if (!this.#isRenewing) void this.saveNow();
    // The store has not answered since the last tick.
    else if (this.#isSilent()) this.#lose('its lease could not be renewed');
  }

  #isSilent(): boolean {
    return this.#ports.clock.monotonicMs() - this.#renewedMs >= this.#times.leaseMs;
  }

  async #renew(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const askedMs = this.#ports.clock.monotonicMs();
    const work = this.#told;
    this.#told = {};
    this.#isRenewing = true;
    try {
      const ask = { claim: this.claim, key: this.key, work };
      if (!(await this.#ports.tables.renew(this.#table, ask))) {
        return this.#lose('another worker has it, or it has ended');
      }
      this.#renewedMs = askedMs;
      this.#record = withWork(this.#record, work);
    } catch (error) {
      this.#told = { ...work, ...this.#told };
      // The store may be back before another worker takes this one for dead.
      if (this.#isSilent()) this.#lose('its lease could not be renewed', error);
    } finally {
      this.#isRenewing = false;
    }
  }

  #lose(detail: string, cause?: unknown): void {
    clearInterval(this.#timer);
    this.#lost.abort(new WorkLost(detail, { cause }));
  }
}

function withWork<R extends TableRecord>(record: R, work: WorkFields<R>): R {
  const members = Object.entries({ ...record, ...work });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as R;
}
