/**
 * What the contract suites share: a store that can be opened twice (as two processes would), a
 * clock that stands still until it is moved, and groups of made-up events.
 */
import { createHash } from 'node:crypto';
import type { EventGroup, HeadLease, IdempotencyRecord, SealedEvent } from '#core/audit';
import { type Tenant, tenantTable } from '#core/identity';
import type { AnyTable, BusEvent, ChainId, EventId, ScreeningId, TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Storage } from '../../../src/storage/index.ts';

/** A store's data, empty at first. `open` may be called again: another process on the same data. */
export interface StoreHarness {
  readonly clock: TestClock;
  /** With these tables; absent: the product's. */
  open(tables?: readonly AnyTable[]): Promise<Storage>;
  /** Replaces text in the documents of a table, past the service; answers how many changed. */
  alter(table: string, from: string, to: string): Promise<number>;
  dispose(): Promise<void>;
}
export type MakeHarness = () => Promise<StoreHarness>;

export interface TestClock extends Clock {
  /** Time passes. */
  advance(milliseconds: number): void;
  /** Somebody sets the wall clock, by so much. */
  set(milliseconds: number): void;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): TestClock {
  let passed = startMs;
  let off = 0;
  return {
    now: () => (passed + off) as EpochMs,
    monotonicMs: () => passed,
    advance(milliseconds) {
      passed += milliseconds;
    },
    set(milliseconds) {
      off += milliseconds;
    },
  };
}

export const CHAIN_A = '0190aaaa-0000-7000-8000-00000000000a' as ChainId;
export const CHAIN_B = '0190bbbb-0000-7000-8000-00000000000b' as ChainId;
export const TTL_MS = 5_000;

export const at = (ms: number): EpochMs => ms as EpochMs;

export function makeEvent(chain: ChainId, seq: number, label = ''): SealedEvent {
  const hash = createHash('sha256').update(`${chain}/${seq}/${label}`).digest('hex');
  return {
    seq,
    eventId: `event-${hash.slice(0, 12)}` as EventId,
    type: 'screening',
    occurredAt: at(1_700_000_000_000 + seq),
    screeningId: `screening-${hash.slice(0, 12)}` as ScreeningId,
    decision: 'CLEAR',
    hash,
    body: JSON.stringify({ chain, seq, label, text: 'é ≤ \u0000 الشركة' }),
    open: JSON.stringify({ query_normalized: { name: `ahmed ${label}` }, query_salt: 'AAAA' }),
  };
}

export const TENANT_A = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const TENANT_B = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;

export function makeTenant(id: TenantId, version: number): Tenant {
  return {
    id,
    name: `Tenant v${version}`,
    kind: 'live',
    settings: { 'limits.requests_per_second': 50 * version, 'a.flag': true, 'a.text': 'é' },
    createdAt: at(1_700_000_000_000),
    version,
  };
}

export const putTenant = (tenant: Tenant, versionExpected: number) =>
  tenantTable.put(tenant, versionExpected);

export const findTenant = ({ tables }: Storage, id: TenantId) => tables.find(tenantTable, { id });

interface GroupParts {
  readonly chain?: ChainId;
  readonly fromSeq: number;
  readonly count?: number;
  readonly label?: string;
  readonly bus?: readonly BusEvent[];
  readonly changes?: EventGroup['changes'];
  readonly idempotency?: readonly IdempotencyRecord[];
}

export function makeGroup(parts: GroupParts): EventGroup {
  const { chain = CHAIN_A, fromSeq, count = 1, label = '' } = parts;
  return {
    events: Array.from({ length: count }, (_, index) => makeEvent(chain, fromSeq + index, label)),
    bus: parts.bus ?? [],
    changes: parts.changes ?? [],
    idempotency: parts.idempotency ?? [],
  };
}

export function makeBus(partition: string, name: string): BusEvent {
  return { topic: 'sanctions.screening.completed', partition, payload: { name } };
}

export function makeIdempotency(scope: string, createdAt: EpochMs): IdempotencyRecord {
  const answer = { kind: 'event', status: 200, seq: 1, tookMs: 1.25 } as const;
  return { scope, fingerprint: `fingerprint of ${scope}`, createdAt, answer };
}

export async function takeHead(
  storage: Storage,
  chainId: ChainId,
  holder = 'holder-1',
): Promise<HeadLease> {
  const lease = await storage.audit.takeHead({ chainId, holder, ttlMs: TTL_MS });
  if (lease === undefined) throw new Error('the head is taken');
  return lease;
}

/**
 * Takes a head whose holder is dead, as a waiting process does: it asks, sees nothing move for
 * longer than any lease, and asks again.
 */
export async function takeOverHead(
  storage: Storage,
  clock: TestClock,
  ask: { readonly chainId: ChainId; readonly holder: string },
): Promise<HeadLease> {
  const lease = await storage.audit.takeHead({ ...ask, ttlMs: TTL_MS });
  if (lease !== undefined) return lease;
  clock.advance(LONG_MS);
  return takeHead(storage, ask.chainId, ask.holder);
}

/** How often who appends asks again: a server that is busy may not give the head in its time. */
const ASKS_MAX = 20;

/** Takes the head, appends, lets go; the group starts where the chain ends. */
export async function append(storage: Storage, parts: Omit<GroupParts, 'fromSeq'>) {
  const chain = parts.chain ?? CHAIN_A;
  const ask = { chainId: chain, holder: 'appender', ttlMs: TTL_MS };
  let asked: HeadLease | undefined;
  for (let count = 1; asked === undefined && count < ASKS_MAX; count++) {
    asked = await storage.audit.takeHead(ask);
  }
  const lease = asked ?? (await takeHead(storage, chain, ask.holder));
  const group = makeGroup({ ...parts, fromSeq: lease.head.seq + 1 });
  const result = await storage.audit.appendGroup(lease, group, { ttlMs: TTL_MS, release: true });
  if (result.kind !== 'appended') await storage.audit.releaseHead(lease);
  return { result, group };
}

/** Two entries of one action, and screenings between them; all have open members. */
export async function appendFarApart(
  storage: Storage,
): Promise<readonly [SealedEvent, SealedEvent]> {
  const toEntry = (event: SealedEvent | undefined): SealedEvent => {
    if (event === undefined) throw new Error('no event');
    const { decision: _, screeningId: __, ...rest } = event;
    return { ...rest, action: 'EVEN', type: 'entry' };
  };
  const lease = await takeHead(storage, CHAIN_A);
  const group = makeGroup({ count: 40, fromSeq: lease.head.seq + 1 });
  const [first, last] = [toEntry(group.events[0]), toEntry(group.events.at(-1))] as const;
  const events = [first, ...group.events.slice(1, -1), last];
  const options = { release: true, ttlMs: TTL_MS };
  await storage.audit.appendGroup(lease, { ...group, events }, options);
  return [first, last];
}

/** Past every handover and lease. */
export const LONG_MS = 60_000;
