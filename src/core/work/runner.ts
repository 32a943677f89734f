/**
 * Does one kind of leased work in this process. Of the offered work it takes rows by turns, as many
 * at once as it may, holds each one during the work, and settles failures by the kind's plan. Any
 * number of processes do the same over one store, and agree by leases alone.
 *
 * It never looks for work itself: a loop (workLoop.ts) offers the waiting work again and again, and
 * the next offer has what one offer missed.
 */
import type { FieldOf, Table, TableRecord, Tables, WorkFields } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Log, LogFields } from '#platform/log';
import { type Attributes, NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import { Failures } from './failures.ts';
import { Hold, WorkLost } from './hold.ts';
import type { Fault, LeasedWork, Waiting } from './leasedWork.ts';
import { dangerOf } from './poison.ts';
import { afterFault, pauseBefore } from './retryPlan.ts';
import type { Room } from './room.ts';
import { LeaseWatch } from './silence.ts';
import { Turns } from './turns.ts';
import type { Runner } from './workLoop.ts';

/** What a runner needs of its process. */
export interface RunnerOptions {
  readonly tables: Pick<Tables, 'claim' | 'giveBack' | 'held' | 'lease' | 'renew' | 'takeOver'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Unique to this process and start. */
  readonly holder: string;
  /** Whether the process of a holder is known to have ended. */
  readonly isGone?: (holder: string) => boolean;
  /** The room of all work that shares the process. */
  readonly room: Room;
  readonly tracer?: Tracer;
}

/** Runs one kind of work. */
export class LeasedRunner<R extends TableRecord, K extends FieldOf<R>> implements Runner {
  readonly #kind: LeasedWork<R, K>;
  readonly #options: RunnerOptions;
  readonly #watch: LeaseWatch<R, K>;
  readonly #stop = new AbortController();
  readonly #turns = new Turns();
  readonly #failures: Failures;
  readonly #pieces = new Map<Promise<void>, Waiting<R, K>>();
  /** Those that are handed on where the worker stops. */
  readonly #holds = new Set<Hold<R, K>>();
  /**
   * Names of work that had nothing to take, or was another worker's. They are kept until some other
   * row is released.
   */
  readonly #dry = new Set<string>();
  #waiting: readonly Waiting<R, K>[] = [];

  constructor(kind: LeasedWork<R, K>, options: RunnerOptions) {
    const { clock, holder, isGone, tables } = options;
    this.#kind = kind;
    this.#options = options;
    this.#failures = new Failures(clock);
    this.#watch = new LeaseWatch<R, K>({
      clock,
      holder,
      leaseMs: kind.times.leaseMs,
      table: kind.table,
      tables,
      ...(isGone !== undefined && { isGone }),
    });
  }

  /** All waiting work, as the store shows it now: it replaces the previous offer. */
  offer(waiting: readonly Waiting<R, K>[]): void {
    this.#waiting = waiting;
    this.#turns.forgetAllBut(waiting);
    this.#turns.learn(waiting);
    this.#failures.forgetAllBut(new Set(waiting.map(({ name }) => name)));
    this.#dry.clear();
    this.#fill();
  }

  /** Frees rows whose worker died, in any lane, so that they wait again. */
  async freeSilent(): Promise<void> {
    const freed = await this.#watch.free(await this.#watch.silent());
    if (freed.length === 0) return;
    const { fieldsOf, what } = this.#kind;
    for (const { record } of freed) {
      this.#options.log.warn(fieldsOf(record), `${what} has lost its worker`);
    }
    this.#kind.freed?.(freed.map(({ record }) => record));
  }

  /** Hands on the rows in work. Resolves once no work is running. */
  async close(): Promise<void> {
    this.#stop.abort(new WorkLost('the worker stops'));
    await Promise.all([...this.#holds].map((hold) => this.#handOn(hold)));
    await Promise.all(this.#pieces.keys());
  }

  #fill(): void {
    while (this.#mayBegin()) {
      const next = this.#turns.next(this.#waiting.filter((one) => this.#isDue(one)));
      if (next === undefined) return;
      this.#begin(next);
    }
  }

  #mayBegin(): boolean {
    if (this.#stop.signal.aborted || !this.#options.room.isOpen) return false;
    return this.#kind.mayTake?.() !== false;
  }

  /** Short work has all room, other work the room that is not kept for it. */
  #hasRoom({ isShort = false }: Waiting<R, K>): boolean {
    const { atOnce, shortBeside = 0 } = this.#kind;
    if (isShort) return this.#pieces.size < atOnce + shortBeside;
    if (shortBeside === 0) return this.#pieces.size < atOnce;
    return [...this.#pieces.values()].filter((one) => one.isShort !== true).length < atOnce;
  }

  #isDue(one: Waiting<R, K>): boolean {
    if (!this.#hasRoom(one)) return false;
    if (this.#dry.has(one.name) || !this.#failures.mayTry(one.name)) return false;
    const inHand = [...this.#pieces.values()];
    if ('key' in one && inHand.some(({ name }) => name === one.name)) return false;
    const { atOncePerTenant = Number.POSITIVE_INFINITY } = this.#kind;
    return inHand.filter(({ tenantId }) => tenantId === one.tenantId).length < atOncePerTenant;
  }

  #begin(next: Waiting<R, K>): void {
    const piece = this.#piece(next, this.#turns.last)
      .catch((error) => {
        this.#putOff(next);
        this.#options.log.warn({ error }, `${this.#kind.what} waits for the store`);
      })
      .finally(() => {
        this.#pieces.delete(piece);
        this.#fill();
      });
    this.#pieces.set(piece, next);
  }

  async #piece(next: Waiting<R, K>, turn: number): Promise<void> {
    const { plan } = this.#kind;
    let hold: Hold<R, K> | undefined;
    try {
      await this.#options.room.beside(async () => {
        hold = await this.#take(next, turn);
        if (hold === undefined) this.#dry.add(next.name);
        else if (dangerOf(plan, hold.lease.tries) === 'none') await this.#run(hold, next);
      });
      if (hold !== undefined) await this.#tryDangerous(hold, next);
    } finally {
      if (hold !== undefined) await this.#settled(hold);
    }
  }

  /**
   * For a row that was begun before and never ended: gives it up, or tries it with nothing beside
   * it.
   */
  async #tryDangerous(hold: Hold<R, K>, next: Waiting<R, K>): Promise<void> {
    const danger = dangerOf(this.#kind.plan, hold.lease.tries);
    if (danger === 'none') return;
    if (danger === 'spent') {
      this.#putOff(next);
      return this.#giveUp(hold, { code: 'internal', isFinal: false });
    }
    const isTried = await this.#options.room.alone(() => this.#run(hold, next));
    if (!isTried) await this.#handOn(hold);
  }

  async #take(next: Waiting<R, K>, turn: number): Promise<Hold<R, K> | undefined> {
    const { clock, holder, tables } = this.#options;
    const { table, times } = this.#kind;
    const leased =
      'key' in next
        ? await tables.claim(table, { holder, key: next.key })
        : (await tables.lease(table, { holder, lane: next.lane, limit: 1, now: clock.now() }))[0];
    if (leased === undefined) return undefined;
    const signal = this.#stop.signal;
    const hold = new Hold({ clock, tables }, table, leased, { signal, times });
    this.#holds.add(hold);
    // Before the work, which may be the end of the process. One that is not stored is lost with it.
    await this.#kind.tookTurn?.(next, turn).catch(() => undefined);
    return hold;
  }

  async #settled(hold: Hold<R, K>): Promise<void> {
    await hold.end();
    this.#holds.delete(hold);
    this.#kind.settled?.();
  }

  async #run(hold: Hold<R, K>, next: Waiting<R, K>): Promise<void> {
    try {
      hold.signal.throwIfAborted();
      await this.#traced(hold);
      this.#dry.clear();
    } catch (error) {
      await this.#settle(hold, next, error);
    }
  }

  /** In the trace of whoever left the work, where its row says so. */
  #traced(hold: Hold<R, K>): Promise<void> {
    const { tracer = NO_TRACER } = this.#options;
    const { fieldsOf, table, work } = this.#kind;
    if (!tracer.isOn) return work(hold);
    const { record } = hold;
    const from = 'traceparent' in record ? String(record.traceparent) : undefined;
    const attributes = attributesOf(fieldsOf(record));
    return tracer.step(table.name, { attributes, from, kind: 'consumer' }, () => work(hold));
  }

  async #settle(hold: Hold<R, K>, next: Waiting<R, K>, error: unknown): Promise<void> {
    if (error instanceof WorkLost || hold.signal.aborted) {
      // A free row would be taken again at once.
      this.#dry.add(next.name);
      return this.#handOn(hold);
    }
    // What has failed is given back with what it came to, also where the worker stops meanwhile.
    this.#holds.delete(hold);
    const { codeOf, fieldsOf, plan, what } = this.#kind;
    const code = codeOf(error);
    const fault = { code, error, isFinal: plan.kindOf(code) === 'final' };
    const after = afterFault(plan, { code, tries: hold.lease.tries });
    this.#options.log.error({ ...fieldsOf(hold.record), code, error }, `${what} was held up`);
    // A row that says when it is due waits by itself, and the others of its lane go on.
    const isAlone = 'lane' in next && this.#kind.table.spec.leased?.due !== undefined;
    if (!isAlone) this.#putOff(next, after.isOver ? undefined : after.pauseMs);
    if (after.isOver) return this.#giveUp(hold, fault);
    const work = await this.#waitingWork(hold, fault, after.pauseMs);
    await hold.giveBack({ isTried: after.isTried, work });
  }

  async #waitingWork(hold: Hold<R, K>, fault: Fault, pauseMs: number): Promise<WorkFields<R>> {
    const { heldUp, table } = this.#kind;
    const due = (table as Table<R, K>).spec.leased?.due;
    return {
      ...(due !== undefined && { [due]: this.#options.clock.now() + pauseMs }),
      ...(await heldUp?.(hold, fault)),
    } as WorkFields<R>;
  }

  async #giveUp(hold: Hold<R, K>, fault: Fault): Promise<void> {
    try {
      await this.#kind.giveUp(hold, fault);
    } catch (error) {
      if (!(error instanceof WorkLost)) throw error; // it had ended already
    }
    // Work that has not ended with it, such as a chunk of a batch, is free for others again.
    await hold.giveBack({ isTried: true });
  }

  /** The try does not count: the work has not failed. */
  async #handOn(hold: Hold<R, K>): Promise<void> {
    const work = this.#stop.signal.aborted ? this.#kind.handedOn?.(hold) : undefined;
    // A row that cannot be given back is found silent, later.
    await hold.giveBack({ isTried: false, ...(work && { work }) }).catch(() => undefined);
  }

  #putOff({ name }: Waiting<R, K>, pauseMs = pauseBefore(this.#kind.plan, 2)): void {
    this.#failures.putOff(name, pauseMs);
  }
}

const attributesOf = ({ batch_id, run_id, source_id, tenant_id }: LogFields): Attributes => ({
  'compliance.batch_id': batch_id,
  'compliance.run_id': run_id,
  'compliance.source_id': source_id,
  'compliance.tenant_id': tenant_id,
});
