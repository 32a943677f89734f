/**
 * Sends what is due. A worker leases blocks of deliveries from the lanes of endpoints, tenant by
 * tenant in turns, as many as caps and rates allow, and each slot that falls free is filled again.
 * Only the store says what is due; a wake-up saves the time until the next look. Rows of a dead
 * worker are found by their silence.
 *
 * A row is held without renewals while its attempt is made, which ends before its lease does; a
 * commit that has to wait for the store renews it (flush.ts).
 */
import type { RateLimiter } from '#core/identity';
import { LEASE_ROWS_MAX, type Leased, type TenantId } from '#core/kernel';
import { Failures, LeaseWatch, type Runner } from '#core/work';
import type { CallResult } from '#platform/outbound/callOut';
import { type SecretBox, SecretUnreadable } from '#platform/secretBox';
import { endedUnsent, type JudgedAttempt, judgedAttempt, signAttempt } from './attempt.ts';
import type { EndpointCache } from './endpointCache.ts';
import type { EndpointHealth } from './endpointHealth.ts';
import { AttemptFlush } from './flush.ts';
import { hasExpired } from './judgeAttempt.ts';
import { MessageCache } from './messageCache.ts';
import type { WebhookPorts } from './ports.ts';
import { Slots } from './sendSlots.ts';
import type { SecretSigner } from './signing.ts';
import { deliveryTable, type WebhookDelivery, type WebhookEndpoint } from './tables.ts';
import { TenantTokens } from './tenantTokens.ts';

/** Milliseconds without a sign of its holder after which a row is another worker's. */
export const DELIVERY_LEASE_MS = 45_000;
const LANES_PAGE = 500;
/** Tenants whose deliveries are leased at once: a look waits for the store, and not for itself. */
const TAKING_AT_ONCE = 4;
/** Milliseconds for which a tenant is left out whose settings or deliveries cannot be read. */
const FAILED_MS = 2_000;

/** A way to one endpoint: its connections, kept for as long as it is configured so. */
export interface EndpointCaller {
  readonly signers: readonly SecretSigner[];
  /** Never rejects. */
  call(message: {
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  }): Promise<CallResult>;
}

export interface DispatchPorts extends WebhookPorts {
  readonly endpoints: EndpointCache;
  readonly health: EndpointHealth;
  readonly secrets: SecretBox;
  readonly callerOf: (endpoint: WebhookEndpoint) => Promise<EndpointCaller>;
  readonly limiter: RateLimiter;
  readonly perSecondOf: (tenantId: TenantId) => Promise<number>;
  readonly keptArrivals: () => Promise<ReadonlySet<string>>;
  readonly holder: string;
  readonly isGone?: (holder: string) => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly onAttempt?: (judged: JudgedAttempt) => void;
}

type Lane = readonly [tenantId: TenantId, endpointId: string];

/** The deliveries that this process sends. */
export class Dispatcher implements Runner {
  readonly #ports: DispatchPorts;
  readonly #flush: AttemptFlush;
  readonly #messages: MessageCache;
  readonly #slots = new Slots();
  readonly #tokens: TenantTokens;
  readonly #sending = new Set<Promise<void>>();
  readonly #failed: Failures;
  readonly #watch: LeaseWatch<WebhookDelivery, 'deliveryId' | 'tenantId'>;
  /** Tenants of which more may be due than they had slots for. */
  readonly #short = new Set<TenantId>();
  #isClosed = false;
  /** Called when slots have fallen free that lanes are waiting for. */
  onFree: () => void = () => undefined;

  constructor(ports: DispatchPorts) {
    this.#ports = ports;
    this.#flush = new AttemptFlush(ports);
    this.#messages = new MessageCache(ports.tables, ports.secrets);
    this.#tokens = new TenantTokens(ports.limiter, ports.clock);
    this.#failed = new Failures(ports.clock);
    const { clock, holder, isGone, tables } = ports;
    this.#watch = new LeaseWatch({
      clock,
      holder,
      leaseMs: DELIVERY_LEASE_MS,
      table: deliveryTable,
      tables,
      ...(isGone !== undefined && { isGone }),
    });
  }

  /** One look: takes what is due and may be sent now. The sending itself goes on after it. */
  async look(): Promise<void> {
    if (this.#isClosed) return;
    const lanes = await this.#dueLanes();
    this.#failed.forgetAllBut(new Set(lanes.map(([tenantId]) => tenantId)));
    const turns = this.#slots.inTurns(lanes).values();
    await Promise.all(Array.from({ length: TAKING_AT_ONCE }, () => this.#takeTurns(turns)));
  }

  /** Tenants one after another, of those whose turn has not come. */
  async #takeTurns(turns: Iterator<readonly [TenantId, readonly string[]]>): Promise<void> {
    for (let turn = turns.next(); turn.done !== true; turn = turns.next()) {
      const [tenantId, endpointIds] = turn.value;
      if (!this.#failed.mayTry(tenantId)) continue;
      await this.#take(tenantId, endpointIds).catch((error: unknown) => {
        // It holds up nobody behind it, and is told of once in a while.
        this.#failed.putOff(tenantId, FAILED_MS);
        this.#ports.onFailure(error);
      });
    }
  }

  async freeSilent(): Promise<void> {
    await this.#watch.free(await this.#watch.silent());
  }

  /** Resolves once nothing is under way, and all that came of it is written. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) {
      this.#flush.now();
      await Promise.race(this.#sending);
    }
  }

  /** What is under way is sent to its end: it will have been received. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #dueLanes(): Promise<readonly Lane[]> {
    const { clock, tables } = this.#ports;
    const lanes: Lane[] = [];
    for (;;) {
      const last = lanes.at(-1);
      const ask = { limit: LANES_PAGE, now: clock.now(), ...(last && { after: last }) };
      const page = await tables.lanes(deliveryTable, ask);
      lanes.push(...(page as readonly Lane[]));
      if (page.length < LANES_PAGE) return lanes;
    }
  }

  async #take(tenantId: TenantId, endpointIds: readonly string[]): Promise<void> {
    const shares = this.#slots.shares(tenantId, endpointIds);
    const wanted = shares.reduce((sum, [, count]) => sum + count, 0);
    if (wanted === 0) {
      this.#short.add(tenantId);
      return;
    }
    const perSecond = await this.#ports.perSecondOf(tenantId);
    const tokens = await this.#tokens.take({ perSecond, tenantId }, wanted);
    let left = tokens;
    const leases: Promise<number>[] = [];
    for (const [place, [endpointId, most]] of shares.entries()) {
      // In equal parts, so that one lane does not take all of a small block.
      const part = Math.ceil(left / (shares.length - place));
      const limit = Math.min(most, part, LEASE_ROWS_MAX);
      if (limit === 0) continue;
      left -= limit;
      leases.push(this.#lease([tenantId, endpointId], limit));
    }
    const leased = await Promise.allSettled(leases);
    const used = leased.reduce((sum, one) => sum + ('value' in one ? one.value : 0), 0);
    this.#tokens.giveBack(tenantId, tokens - used);
    // Where tokens or rows were the limit, the next look is soon enough.
    if (used === wanted) this.#short.add(tenantId);
    for (const one of leased) if (one.status === 'rejected') throw one.reason;
  }

  /** Answers how many rows it has got. Rejects with none of them in hand. */
  async #lease(lane: Lane, limit: number): Promise<number> {
    const { clock, holder, tables } = this.#ports;
    const [tenantId, endpointId] = lane;
    const { endpoint, isAltered } = await this.#ports.endpoints.find(tenantId, endpointId);
    // Nothing goes to an address that nobody signed; it is sent once the endpoint is put right.
    if (isAltered) return 0;
    const ask = { holder, lane, limit, now: clock.now() };
    const rows = await tables.lease(deliveryTable, ask);
    if (rows.length === 0) return 0;
    try {
      await this.#messages.load(rows.map(({ record }) => record));
      for (const row of rows) this.#begin(endpoint, row);
      return rows.length;
    } catch (error) {
      await Promise.all(rows.map((row) => this.#giveBack(row)));
      throw error;
    }
  }

  /** A row that cannot be given back is found silent, later. */
  async #giveBack({ lease, record }: Leased<WebhookDelivery>): Promise<void> {
    const { deliveryId, tenantId } = record;
    const ask = { claim: lease, isTried: false, key: { deliveryId, tenantId } };
    await this.#ports.tables.giveBack(deliveryTable, ask).catch(() => undefined);
  }

  #begin(endpoint: WebhookEndpoint | undefined, row: Leased<WebhookDelivery>): void {
    const { endpointId, tenantId } = row.record;
    this.#slots.begin(tenantId, endpointId);
    const work = this.#deliver(endpoint, row)
      // The lease ends by itself, and another attempt is made.
      .catch(this.#ports.onFailure)
      .finally(() => {
        this.#sending.delete(work);
        this.#slots.end(tenantId, endpointId);
        if (!this.#slots.isHalfFree(tenantId) || !this.#short.delete(tenantId)) return;
        this.onFree();
      });
    this.#sending.add(work);
  }

  async #deliver(
    endpoint: WebhookEndpoint | undefined,
    { lease, record }: Leased<WebhookDelivery>,
  ): Promise<void> {
    const { clock, health, tables } = this.#ports;
    const { deliveryId, nextAttemptAt, tenantId } = record;
    const now = clock.now();
    if (nextAttemptAt !== undefined && nextAttemptAt > now) {
      // Its worker died between the commit and giving it back.
      const work = { dueAt: nextAttemptAt };
      const key = { deliveryId, tenantId };
      await tables.giveBack(deliveryTable, { claim: lease, isTried: false, key, work });
      return;
    }
    const judged = await this.#attempt(endpoint, record);
    this.#ports.onAttempt?.(judged);
    await this.#flush.add({ ...judged, claim: lease });
    if (endpoint === undefined || !judged.isTelling || record.isTest === true) return;
    await health.note(endpoint, judged);
  }

  async #attempt(
    endpoint: WebhookEndpoint | undefined,
    delivery: WebhookDelivery,
  ): Promise<JudgedAttempt> {
    const { clock, random } = this.#ports;
    if (endpoint === undefined) return endedUnsent(delivery, 'endpoint-removed', clock.now());
    if (endpoint.disabledReason !== undefined) {
      return endedUnsent(delivery, 'endpoint-disabled', clock.now());
    }
    // Its time may have passed while nobody could send it.
    if (hasExpired(delivery, clock.now())) return endedUnsent(delivery, 'expired-24h', clock.now());
    const message = await this.#messages.get(delivery);
    if (message === undefined) return endedUnsent(delivery, 'payload-gone', clock.now());
    // Nothing is signed that was not made of an event.
    if (message === 'altered') return endedUnsent(delivery, 'payload-altered', clock.now());
    const caller = await this.#callerOf(endpoint);
    if (caller === undefined) return endedUnsent(delivery, 'secret-unreadable', clock.now());
    const { call, signers } = caller;
    const startedAt = clock.now();
    const startedMs = clock.monotonicMs();
    const addressed = { ...delivery, url: endpoint.url };
    const signed = signAttempt(addressed, message, { at: startedAt, random, signers });
    const result = await call({ body: message.body, headers: signed.headers });
    return judgedAttempt(addressed, {
      durationMs: clock.monotonicMs() - startedMs,
      endedAt: clock.now(),
      result,
      signed,
      startedAt,
    });
  }

  /** Undefined where its secrets cannot be opened: no further attempt could end otherwise. */
  async #callerOf(endpoint: WebhookEndpoint): Promise<EndpointCaller | undefined> {
    try {
      return await this.#ports.callerOf(endpoint);
    } catch (error) {
      if (error instanceof SecretUnreadable) return undefined;
      throw error;
    }
  }
}
