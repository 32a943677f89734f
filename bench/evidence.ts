/**
 * The evidence: events made durable through the audit log and the embedded store, and an export of
 * them verified with its signatures.
 *
 * Goal: what 64 callers at a time get on one tenant's chain, beside the same commits awaited one by
 * one, which is what every caller would pay without group commit. Both run on the same file with
 * every commit on the disk when it resolves. Not a goal: several tenants or several gateways.
 *
 * The events are screenings of about 12 KB each. With rows, each commit appends one or three
 * records of a declared table, beside the same commits without any.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditLog,
  type Commit,
  createAuditLog,
  exportAudit,
  newKeyRing,
  verifyExport,
} from '#core/audit';
import { type ChainId, type EventId, type ScreeningId, table } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom, uuidV7 } from '#platform/random';
import { openStorage } from '../src/storage/index.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { screeningMembers } from './screenings.ts';

const WRITERS = 64;
const CHAIN = '018f4e1c-7a01-7000-8000-00000000be9c' as ChainId;
const ONE_BY_ONE_CHAIN = '018f4e1c-7a01-7000-8000-00000000be9d' as ChainId;
/** Rows that a commit appends beside its event. */
const ROWS = [0, 1, 3];
const rowsChain = (rows: number) => `018f4e1c-7a01-7000-8000-00000000be${rows}e` as ChainId;

interface Hit {
  readonly tenantId: string;
  readonly eventId: string;
  readonly ordinal: number;
  readonly at: number;
  readonly entity: string;
  readonly reason: string;
}
/** What a screening leaves in tables: by the event's id and found by time. */
const hits = table<Hit>('bench_hit', {
  chain: 'tenantId',
  indexes: { byTime: ['tenantId', 'at'] },
  key: ['tenantId', 'eventId', 'ordinal'],
  personal: 'none',
  writes: 'rows',
});

/** Rounds of a verification; the quickest counts. */
const ROUNDS = 3;

type Chain = Omit<Parameters<typeof exportAudit>[0], 'after'>;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'compliance-bench-evidence-'));
  const storage = await openStorage({ clock: systemClock, dataDir, tables: [hits] });
  const signer = signerFromSeed(createHash('sha256').update('bench').digest());
  const chain: Chain = { chainId: CHAIN, clock: systemClock, signer, store: storage.audit };
  const log = createAuditLog({ ...chain, holder: 'bench', random: systemRandom });
  try {
    return [
      await appendRow(log, chain, options),
      ...(await rowsRows(log, options)),
      await verifyRow(chain, options),
    ];
  } finally {
    await log.close();
    await storage.close();
    await rm(dataDir, { recursive: true });
  }
}

interface Appended {
  readonly perSecond: number;
  /** Ascending. */
  readonly times: Float64Array;
}

/** `count` commits of one event each, by so many writers that each await their own. */
async function append(
  log: AuditLog,
  ask: {
    readonly chainId: ChainId;
    readonly count: number;
    readonly rows?: number;
    readonly writers: number;
  },
): Promise<Appended> {
  const times = new Float64Array(ask.count);
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < ask.count) {
      const at = next++;
      const startedAt = performance.now();
      await log.commit(ask.chainId, commitOf(at, ask));
      times[at] = performance.now() - startedAt;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: ask.writers }, write));
  const perSecond = (ask.count * 1e3) / (performance.now() - startedAt);
  return { perSecond, times: times.sort() };
}

function commitOf(at: number, ask: { chainId: ChainId; rows?: number }): Commit {
  const now = systemClock.now();
  const eventId = uuidV7(now, systemRandom) as EventId;
  const screeningId = uuidV7(now, systemRandom) as ScreeningId;
  return {
    bus: [],
    changes: Array.from({ length: ask.rows ?? 0 }, (_, ordinal) =>
      hits.append({
        at: now,
        entity: `ofac-${at % 997}`,
        eventId,
        ordinal,
        reason: 'the name is the same but for one letter',
        tenantId: ask.chainId,
      }),
    ),
    events: [
      {
        decision: 'CLEAR',
        eventId,
        members: screeningMembers(at, screeningId),
        occurredAt: now,
        open: { names: [`jane example ${at}`], variants: [] },
        screeningId,
        type: 'screening',
      },
    ],
    idempotency: ([event]) => ({
      answer: { kind: 'event', seq: event?.seq ?? 0, status: 200, tookMs: 1 },
      createdAt: now,
      fingerprint: 'bench',
      scope: `bench/${eventId}`,
    }),
  };
}

async function appendRow(log: AuditLog, chain: Chain, options: BenchOptions): Promise<BenchRow> {
  const count = options.smoke ? 128 : 2_000;
  const alone = options.smoke ? 16 : 200;
  await append(log, { chainId: ONE_BY_ONE_CHAIN, count: alone / 4, writers: 1 });
  const baseline = await append(log, { chainId: ONE_BY_ONE_CHAIN, count: alone, writers: 1 });
  await append(log, { chainId: CHAIN, count: WRITERS, writers: WRITERS });
  const ours = await append(log, { chainId: CHAIN, count, writers: WRITERS });
  const head = await chain.store.head(CHAIN);
  const expected = count + WRITERS;
  if (head.seq !== expected) throw new Error(`head: expected seq ${expected}, got ${head.seq}`);
  return {
    id: 'evidence/append',
    suite: 'evidence',
    data: `${await meanBytes(chain)} bytes an event, ${WRITERS} writers`,
    size: `${count} events`,
    ours: ours.perSecond,
    unit: 'durable events/s',
    baseline: baseline.perSecond,
    baseline_name: 'one by one',
    ratio: ours.perSecond / baseline.perSecond,
    p50_ms: quantile(ours.times, 0.5),
    p95_ms: quantile(ours.times, 0.95),
    p99_ms: quantile(ours.times, 0.99),
    checksum: String(head.seq),
  };
}

/** In turns, so that what else the machine does falls on all of them; the best round counts. */
async function rowsRows(log: AuditLog, options: BenchOptions): Promise<BenchRow[]> {
  const count = options.smoke ? 64 : 1_000;
  const best = new Map<number, Appended>();
  for (let round = 0; round < (options.smoke ? 1 : ROUNDS); round++) {
    for (const rows of ROWS) {
      const ask = { chainId: rowsChain(rows), count, rows, writers: WRITERS };
      const appended = await append(log, ask);
      if (appended.perSecond > (best.get(rows)?.perSecond ?? 0)) best.set(rows, appended);
    }
  }
  const [bare, ...withRows] = ROWS.map((rows) => ({ rows, ...appendedOf(best, rows) }));
  return withRows.map(({ perSecond, rows, times }) => ({
    id: `evidence/append-${rows}-rows`,
    suite: 'evidence',
    data: `${rows} rows an event, ${WRITERS} writers`,
    size: `${count} events`,
    ours: perSecond,
    unit: 'durable events/s',
    baseline: bare?.perSecond ?? 0,
    baseline_name: 'without rows',
    ratio: perSecond / (bare?.perSecond ?? 0),
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    p99_ms: quantile(times, 0.99),
  }));
}

function appendedOf(best: ReadonlyMap<number, Appended>, rows: number): Appended {
  const appended = best.get(rows);
  if (appended === undefined) throw new Error(`no round with ${rows} rows`);
  return appended;
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function meanBytes({ store }: Chain): Promise<number> {
  const events = await store.readEvents({ chainId: CHAIN, fromSeq: 1, limit: WRITERS });
  const bytes = events.reduce((sum, { body, open }) => sum + body.length + (open?.length ?? 0), 0);
  return Math.round(bytes / events.length);
}

async function verifyRow(chain: Chain, options: BenchOptions): Promise<BenchRow> {
  const lines: Buffer[] = [];
  for await (const line of exportAudit(chain)) lines.push(Buffer.from(line));
  const keys = newKeyRing(chain.signer.publicKey);
  const rounds = options.smoke ? 1 : ROUNDS;
  const hashed = await verify(lines, { keys, rounds, signatures: false });
  const signed = await verify(lines, { keys, rounds, signatures: true });
  return {
    id: 'evidence/verify',
    suite: 'evidence',
    data: 'an export in memory',
    size: `${signed.events} events`,
    ours: signed.perSecond,
    unit: 'events/s',
    baseline: hashed.perSecond,
    baseline_name: 'hashes alone',
    ratio: signed.perSecond / hashed.perSecond,
    checksum: String(signed.events),
  };
}

async function verify(
  input: readonly Buffer[],
  ask: { readonly keys: unknown; readonly rounds: number; readonly signatures: boolean },
): Promise<{ readonly perSecond: number; readonly events: number }> {
  let best = 0;
  let events = 0;
  for (let round = 0; round < ask.rounds; round++) {
    const startedAt = performance.now();
    const report = await verifyExport({ input, keys: ask.keys, signatures: ask.signatures });
    if (!report.ok) throw new Error(`verify: ${JSON.stringify(report.firstBad)}`);
    events = report.events;
    best = Math.max(best, (events * 1e3) / (performance.now() - startedAt));
  }
  return { perSecond: best, events };
}
