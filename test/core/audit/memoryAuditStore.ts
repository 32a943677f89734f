/**
 * A double of AuditStore for the tests of this slice: a few maps that keep the promises on which
 * the chain relies (lease, fence, whole groups, unique seq and scope) and break on demand. Not a
 * model of storage: the real stores are tested by test/storage/contract.
 */
import assert from 'node:assert/strict';
import type {
  AppendResult,
  AuditStore,
  ChainHead,
  Checkpoint,
  EventGroup,
  EventSearch,
  HeadLease,
  IdempotencyRecord,
  SealedEvent,
} from '#core/audit';
import { GENESIS_HASH, storedMembers } from '#core/audit';
import type { ChainId, ScreeningId } from '#core/kernel';

interface Chain {
  events: SealedEvent[];
  fence: number;
  holder: string | undefined;
  endsAt: number;
  isWanted: boolean;
}

export class MemoryAuditStore implements AuditStore {
  readonly chains = new Map<ChainId, Chain>();
  readonly groups: EventGroup[] = [];
  readonly idempotency = new Map<string, IdempotencyRecord>();
  readonly checkpoints = new Map<string, Checkpoint[]>();
  /** Kinds of changes that are stale. */
  readonly staleTables = new Set<string>();
  releaseCount = 0;
  takeCount = 0;
  /** Runs before each append; may wait, or throw to fail the store. */
  beforeAppend: (group: EventGroup) => Promise<void> | void = () => {};
  /** Runs after the write and before the answer: throw here and the outcome is unknown. */
  afterAppend: () => void = () => {};
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  chain(chainId: ChainId): Chain {
    const existing = this.chains.get(chainId);
    if (existing) return existing;
    const chain = { events: [], fence: 0, holder: undefined, endsAt: 0, isWanted: false };
    this.chains.set(chainId, chain);
    return chain;
  }

  async takeHead(ask: { chainId: ChainId; holder: string; ttlMs: number }) {
    const chain = this.chain(ask.chainId);
    const isHeld = chain.holder !== undefined && chain.endsAt > this.#nowMs();
    if (isHeld && chain.holder !== ask.holder) {
      chain.isWanted = true;
      return undefined;
    }
    this.takeCount++;
    chain.holder = ask.holder;
    chain.endsAt = this.#nowMs() + ask.ttlMs;
    chain.isWanted = false;
    const head = await this.head(ask.chainId);
    return { chainId: ask.chainId, head, fence: ++chain.fence };
  }

  async releaseHead(lease: HeadLease): Promise<void> {
    const chain = this.chain(lease.chainId);
    this.releaseCount++;
    if (chain.fence === lease.fence) chain.holder = undefined;
  }

  async appendGroup(
    lease: HeadLease,
    group: EventGroup,
    options: { ttlMs: number; release: boolean },
  ): Promise<AppendResult> {
    await this.beforeAppend(group);
    const chain = this.chain(lease.chainId);
    if (chain.fence !== lease.fence || chain.holder === undefined) return { kind: 'fenced' };
    const scopes = group.idempotency.map((record) => record.scope);
    assert.equal(new Set(scopes).size, scopes.length, 'a scope twice in one group');
    const taken = scopes.filter((scope) => this.idempotency.has(scope));
    if (taken.length > 0) return { kind: 'idempotency-taken', scopes: taken };
    const stale = group.changes.findIndex((change) => this.staleTables.has(change.table));
    if (stale >= 0) return { kind: 'stale', changeIndex: stale };
    for (const event of group.events) {
      const next = (chain.events.at(-1)?.seq ?? 0) + 1;
      assert(event.seq === next || (group.isResumption && event.seq > next), 'a gap or a fork');
      chain.events.push(event);
    }
    for (const record of group.idempotency) this.idempotency.set(record.scope, record);
    this.groups.push(group);
    chain.endsAt = this.#nowMs() + options.ttlMs;
    if (options.release) chain.holder = undefined;
    this.afterAppend();
    return { kind: 'appended', headWanted: chain.isWanted };
  }

  async head(chainId: ChainId): Promise<ChainHead> {
    const last = this.chain(chainId).events.at(-1);
    return { seq: last?.seq ?? 0, hash: last?.hash ?? GENESIS_HASH };
  }

  async readEvents(page: Parameters<AuditStore['readEvents']>[0]) {
    assert(page.limit >= 1 && page.limit <= 1000);
    const { events } = this.chain(page.chainId);
    const asked = events.filter(
      ({ action, seq }) =>
        seq >= page.fromSeq && (page.action === undefined || action === page.action),
    );
    return asked.slice(0, page.limit);
  }

  async lastEntries({ chainId, targets }: Parameters<AuditStore['lastEntries']>[0]) {
    const { events } = this.chain(chainId);
    const entries = events.filter(({ action }) => action !== undefined);
    return targets.map((target) =>
      entries.findLast((event) => storedMembers(event).target === target),
    );
  }

  async searchEvents(search: EventSearch) {
    const { actions, actor, fromSeq, limit, order, target, toSeq } = search;
    const asked = this.chain(search.chainId).events.filter((event) => {
      const { actor: by, requested_by, target: of } = storedMembers(event);
      return (
        event.seq >= fromSeq &&
        event.seq <= toSeq &&
        (actions === undefined || actions.includes(event.action ?? 'screening')) &&
        (actor === undefined || (by ?? requested_by) === actor) &&
        (target === undefined || (of ?? event.screeningId) === target)
      );
    });
    return (order === 'asc' ? asked : asked.reverse()).slice(0, limit);
  }

  async findByEventId(chainId: ChainId, eventId: string): Promise<SealedEvent | undefined> {
    return this.chain(chainId).events.find((event) => event.eventId === eventId);
  }

  async findBySeq(chainId: ChainId, seq: number): Promise<SealedEvent | undefined> {
    return this.chain(chainId).events.find((event) => event.seq === seq);
  }

  async findByScreening(chainId: ChainId, screeningId: string): Promise<SealedEvent | undefined> {
    return this.chain(chainId).events.find((event) => event.screeningId === screeningId);
  }

  async findByScreenings(chainId: ChainId, screeningIds: readonly ScreeningId[]) {
    const found = new Map<ScreeningId, SealedEvent>();
    for (const id of screeningIds) {
      const event = await this.findByScreening(chainId, id);
      if (event !== undefined) found.set(id, event);
    }
    return found;
  }

  async eraseOpen(chainId: ChainId, seq: number): Promise<boolean> {
    const { events } = this.chain(chainId);
    const event = events[seq - 1];
    if (event?.open === undefined) return false;
    const { open: _erased, ...rest } = event;
    events[seq - 1] = rest;
    return true;
  }

  async findIdempotency(scope: string): Promise<IdempotencyRecord | undefined> {
    return this.idempotency.get(scope);
  }

  async purgeIdempotency(): Promise<number> {
    return 0;
  }

  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const saved = this.checkpoints.get(checkpoint.tenant_id) ?? [];
    this.checkpoints.set(checkpoint.tenant_id, [...saved, checkpoint]);
  }

  async latestCheckpoint(chainId: ChainId): Promise<Checkpoint | undefined> {
    return this.checkpoints.get(chainId)?.at(-1);
  }

  async listChains(which: 'all' | 'past-checkpoint') {
    const chains = [];
    for (const chainId of this.chains.keys()) {
      const checkpointSeq = (await this.latestCheckpoint(chainId))?.seq ?? 0;
      const head = await this.head(chainId);
      if (which === 'all' || head.seq > checkpointSeq)
        chains.push({ chainId, head, checkpointSeq });
    }
    return chains;
  }
}
