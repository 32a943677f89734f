/**
 * Alerts: what it costs to raise one, by the event behind its screening or in the screening's own
 * commit, and what the streams of one tenant cost for each alert.
 *
 * Goal of the first: 64 callers commit screenings of about 12 KB, of which some have a hit, with no
 * alerts, with alerts raised behind them as a worker does, and with alerts in their commits. By the
 * event a screening shares its durable write with others, and the alert is a commit of its own; the
 * rate counts until the last alert is there. In the commit it travels alone, since it changes rows.
 * That is the best case for it: one process, which knows the next number without a read.
 *
 * Goal of the second: a line of the log is read, verified and written as text once, however many
 * streams send it. The baseline is each stream reading for itself. Not measured: sockets.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditLog, type Commit, createAuditLog, newKeyRing, signedEvents } from '#core/audit';
import { chainOf, type EventId, type ScreeningId, type TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  AlertFeeds,
  type AlertLogHead,
  type AlertPorts,
  alertLogHeadTable,
  alertLogTable,
  alertNoteTable,
  alertTable,
  type CausePorts,
  type FramePage,
  lastLogSeq,
  logEnds,
  onScreened,
  type ReactionPorts,
  raiseAlerts,
  readTail,
  subjectsOf,
} from '#slices/alerts';
import { openStorage, type Storage } from '../src/storage/index.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { screeningMembers } from './screenings.ts';

const WRITERS = 64;
/** Screenings of one call, as the subscriber has them (alerts/edge/jobs.ts). */
const TOGETHER = 50;
/** In a hundred screenings. */
const SHARES = [5, 100] as const;
const WAYS = ['none', 'event', 'commit'] as const;
type Way = (typeof WAYS)[number];
const SETTINGS = {
  assignedTo: 'nobody',
  dueHours: { Critical: 4, High: 24, Low: 240, Medium: 120 },
  fourEyes: 'sanctions',
  raisedFor: [
    'MATCH_DIRECT_SANCTIONS',
    'MATCH_PEP',
    'MATCH_RCA_DIRECT',
    'MATCH_RCA_INDIRECT',
    'POTENTIAL_ADVERSE_MEDIA',
  ],
} as const;

interface House {
  readonly log: AuditLog;
  readonly ports: ReactionPorts;
  readonly storage: Storage;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'compliance-bench-alerts-'));
  const tables = [alertTable, alertLogTable, alertLogHeadTable, alertNoteTable];
  const storage = await openStorage({ clock: systemClock, dataDir, tables });
  const signer = signerFromSeed(createHash('sha256').update('bench').digest());
  const { audit } = storage;
  const log = createAuditLog({
    clock: systemClock,
    holder: 'bench',
    random: systemRandom,
    signer,
    store: audit,
  });
  const keyRing = newKeyRing(signer.publicKey);
  const ports = {
    audit,
    clock: systemClock,
    commit: (chainId: Parameters<AuditLog['commit']>[0], commit: Commit) =>
      log.commit(chainId, commit),
    events: signedEvents({ audit, keyRing }),
    listPersons: async () => [],
    random: systemRandom,
    settingsOf: async () => SETTINGS,
    tables: storage.tables,
  } as unknown as ReactionPorts;
  const house = { log, ports, storage };
  try {
    return [...(await raiseRows(house, options)), await streamRow(house, options)];
  } finally {
    await log.close();
    await storage.close();
    await rm(dataDir, { recursive: true });
  }
}

interface Raised {
  readonly perSecond: number;
  /** Microseconds of processor for a screening, the store's thread included. */
  readonly cpuUs: number;
}

async function raiseRows(house: House, options: BenchOptions): Promise<BenchRow[]> {
  const rounds = options.smoke ? 1 : 3;
  const found: BenchRow[] = [];
  for (const share of SHARES) {
    // Commits that travel alone take their time.
    const count = options.smoke ? 64 : share === 100 ? 200 : 1_000;
    const best = new Map<Way, Raised>();
    // In turns, so that what else the machine does falls on all of them; the best round counts.
    for (let round = 0; round < rounds; round++) {
      for (const way of WAYS) {
        const raised = await raise(house, { count, share, way });
        if (raised.perSecond > (best.get(way)?.perSecond ?? 0)) best.set(way, raised);
      }
    }
    const none = best.get('none');
    for (const way of ['event', 'commit'] as const) {
      const ours = best.get(way);
      if (ours === undefined || none === undefined) throw new Error('no round');
      found.push({
        id: `alerts/by-${way}-${share}`,
        suite: 'alerts',
        data:
          `${share} of 100 screenings raise one; ${ours.cpuUs.toFixed(0)} µs of processor a ` +
          `screening, ${none.cpuUs.toFixed(0)} without alerts`,
        size: `${count} screenings, ${WRITERS} callers`,
        ours: ours.perSecond,
        unit: 'screenings/s',
        baseline: none.perSecond,
        baseline_name: 'without alerts',
        ratio: ours.perSecond / none.perSecond,
      });
    }
  }
  return found;
}

async function raise(
  house: House,
  { count, share, way }: { readonly count: number; readonly share: number; readonly way: Way },
): Promise<Raised> {
  const tenantId = uuidV7(systemClock.now(), systemRandom) as TenantId;
  const inCommit = alertsInCommits(house.ports, tenantId);
  const behind = follower(house, tenantId);
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < count) {
      const at = next++;
      const isHit = at % 100 < share;
      const screening = screeningOf(at, isHit);
      const { screeningId } = screening;
      const commit = isHit && way === 'commit' ? await inCommit(screening) : screening.commit;
      await house.log.commit(chainOf(tenantId), commit);
      if (way === 'event') behind.tell(screeningId);
    }
  };
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, write));
  await behind.ended();
  const tookMs = performance.now() - startedAt;
  const { system, user } = process.cpuUsage(cpu);
  const expected =
    way === 'none' ? 0 : Math.floor(count / 100) * share + Math.min(share, count % 100);
  const last = await lastLogSeq(house.storage.tables, tenantId);
  if (last !== expected) throw new Error(`alerts: expected ${expected}, got ${last}`);
  return { cpuUs: (system + user) / count, perSecond: (count * 1e3) / tookMs };
}

/** Follows screenings as the subscriber does: what waits when it has done the former ones. */
function follower({ ports }: House, tenantId: TenantId) {
  const waiting: ScreeningId[] = [];
  let turn = Promise.resolve();
  const follow = async (): Promise<void> => {
    const some = waiting.splice(0, TOGETHER);
    if (some.length === 0) return;
    const events = some.map((screeningId) => ({ partition: tenantId, payload: { screeningId } }));
    await onScreened(ports, events);
  };
  return {
    ended: () => turn,
    tell: (screeningId: ScreeningId) => {
      waiting.push(screeningId);
      turn = turn.then(follow);
    },
  };
}

interface Screening {
  readonly commit: Commit;
  readonly screeningId: ScreeningId;
}

function screeningOf(at: number, isHit = true): Screening {
  const now = systemClock.now();
  const eventId = uuidV7(now, systemRandom) as EventId;
  const screeningId = uuidV7(now, systemRandom) as ScreeningId;
  const event = {
    decision: 'MATCH_DIRECT_SANCTIONS',
    eventId,
    members: screeningMembers(at, screeningId, isHit),
    occurredAt: now,
    open: { names: [`jane example ${at}`], variants: [] },
    screeningId,
    type: 'screening',
  } as const;
  return { commit: { bus: [], changes: [], events: [event] }, screeningId };
}

/** Commits of screenings with their alerts in them, numbered in the order of the calls. */
function alertsInCommits(ports: AlertPorts, tenantId: TenantId) {
  let head: AlertLogHead | undefined;
  let turn = Promise.resolve();
  return async ({ commit, screeningId }: Screening): Promise<Commit> => {
    let raised: Commit | undefined;
    const tables = { ...ports.tables, find: async () => head, findMany: async () => [] };
    const capture = async (_: unknown, given: Commit) => {
      raised = given;
      return { events: [] };
    };
    turn = turn.then(async () => {
      const draft = {
        cause: { kind: 'screening', screeningId },
        hitsTotal: 1,
        score: 0.95,
        source: 'DEMO',
        type: 'screening',
        typology: 'MATCH_DIRECT_SANCTIONS',
      } as const;
      const asked = { ...ports, commit: capture, tables } as unknown as AlertPorts;
      await raiseAlerts(asked, tenantId, [draft]);
      const put = raised?.changes.find(({ table }) => table === alertLogHeadTable.name);
      head = put?.record as AlertLogHead | undefined;
    });
    await turn;
    return {
      bus: [...commit.bus, ...(raised?.bus ?? [])],
      changes: raised?.changes ?? [],
      events: [...commit.events, ...(raised?.events ?? [])],
    };
  };
}

async function streamRow(house: House, options: BenchOptions): Promise<BenchRow> {
  const [alerts, streams] = options.smoke ? [10, 20] : [50, 1_000];
  const tenantId = uuidV7(systemClock.now(), systemRandom) as TenantId;
  const { log, ports, storage } = house;
  for (let at = 0; at < alerts; at++) {
    const { commit, screeningId } = screeningOf(at);
    await log.commit(chainOf(tenantId), commit);
    const payload = { screeningId, verdict: 'MATCH_DIRECT_SANCTIONS' };
    await onScreened(ports, [{ partition: tenantId, payload }]);
  }
  const read = (_: TenantId, after: number) => frames(house, tenantId, after);
  const feeds = new AlertFeeds({
    clock: systemClock,
    ends: (tenants) => logEnds(storage.tables, tenants),
    onFailed: (error) => {
      throw error;
    },
    read,
    stamp: () => storage.tables.stamp('alert_log'),
  });
  let sent = 0;
  const push = ({ frames: some }: FramePage): void => {
    sent += some.length;
  };
  const follower = () => ({ push, tick: () => undefined });
  for (let at = 0; at < streams; at++) feeds.join(tenantId, 0, follower());
  const startedAt = performance.now();
  await feeds.look();
  const ours = (sent * 1e3) / (performance.now() - startedAt);
  if (sent !== alerts * streams) throw new Error(`sent ${sent}, expected ${alerts * streams}`);
  const alone = options.smoke ? 2 : 10;
  const baselineAt = performance.now();
  for (let at = 0; at < alone; at++) await read(tenantId, 0);
  const baseline = (alone * alerts * 1e3) / (performance.now() - baselineAt);
  return {
    id: 'alerts/streams',
    suite: 'alerts',
    data: `${alerts} alerts to ${streams} streams of a tenant`,
    size: `${sent} events`,
    ours,
    unit: 'events/s',
    baseline,
    baseline_name: 'each stream reads for itself',
    ratio: ours / baseline,
    checksum: String(sent),
  };
}

async function frames({ ports, storage }: House, tenantId: TenantId, after: number) {
  const { alerts, seq } = await readTail(storage.tables, tenantId, after);
  const causes = { ...ports, results: {} } as unknown as CausePorts;
  const subjectIn = subjectsOf(
    causes,
    alerts.map(({ alert }) => alert),
  );
  const made = [];
  for (const { alert, line } of alerts) {
    const text = JSON.stringify({ ...alert, subject: await subjectIn(alert) });
    made.push({ alert, bytes: Buffer.byteLength(text), seq: line.seq, text });
  }
  return { frames: made, seq };
}
