/**
 * Faults during a batch and unit traffic: gateways, workers and Redis killed in turns; clocks an
 * hour ahead whose processes are killed; a disk that is full for a while. Nothing is lost, nothing
 * is done twice, and nobody waits longer than a lease.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hasMongo, startMongo } from '../storage/mongo/server.ts';
import { BatchLoad } from './batchLoad.ts';
import { Cluster, type Customer, RAISED, until } from './cluster.ts';
import { fullDisk } from './fullDisk.ts';
import { type Member, mayNameHosts } from './member.ts';
import { type DrillOptions, type DrillRow, FAULT_PARTS, type FaultPart, Findings } from './row.ts';
import { judgeEvidence, longest, UnitLoad } from './unitLoad.ts';

const SUBJECTS = { short: 2_000, whole: 50_000 };
const BETWEEN_KILLS_MS = { short: 1_000, whole: 4_000 };
const KILLS_MAX = { short: 3, whole: 30 };
const CLIENTS = 4;
const PAUSE_MS = 50;
/** The head's lease (AUDIT_LOG_LIMITS), and one more second for who takes it over. */
const HEAD_MS_MAX = 3_000 + 1_000;
/** Decision 4.1: a killed worker costs one chunk, and at most so long. */
const CHUNK_MS_MAX = 20_000;
const HOUR_MS = 3_600_000;

export const isFaultPart = (word: string): word is FaultPart =>
  FAULT_PARTS.some((one) => one === word);

export async function faults({ isShort, part, store }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('faults', { isShort });
  const isAsked = (one: FaultPart): boolean => part === undefined || part === one;
  if (store === 'sqlite') {
    if (isAsked('kills')) await kills(findings, { isShort });
    if (isAsked('clocks')) await clocks(findings, { isShort });
    if (isAsked('disk')) await fullDisk(findings, isShort);
    return findings.rows;
  }
  if (!hasMongo()) {
    findings.tell('upon MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server');
    return findings.rows;
  }
  const mongo = await startMongo();
  // The disk is the embedded store's: a server has one of its own.
  try {
    const where = (): Where => ({ isShort, mongodbUrl: databaseOf(mongo.url) });
    if (isAsked('kills')) await kills(findings, where());
    if (isAsked('clocks')) await clocks(findings, where());
  } finally {
    await mongo.stop();
  }
  return findings.rows;
}

/** Of its own for each installation. */
function databaseOf(server: string): string {
  const url = new URL(server);
  url.pathname = `/drill_${randomBytes(6).toString('hex')}`;
  return url.href;
}

interface Where {
  readonly isShort: boolean;
  readonly mongodbUrl?: string;
}

interface Loaded {
  readonly cluster: Cluster;
  readonly customer: Customer;
  readonly load: UnitLoad;
  readonly batch: BatchLoad;
}

async function startLoad(cluster: Cluster, isShort: boolean): Promise<Loaded> {
  const customer = await cluster.customer('Faults', { settings: RAISED });
  const load = new UnitLoad(cluster, customer, { clients: CLIENTS, pauseMs: PAUSE_MS });
  const batch = new BatchLoad(cluster, customer, SUBJECTS[isShort ? 'short' : 'whole']);
  await batch.submit();
  return { batch, cluster, customer, load };
}

/** Each member and Redis in turns, as long as the batch is under way. */
async function kills(findings: Findings, { isShort, ...store }: Where): Promise<void> {
  const size = isShort ? 'short' : 'whole';
  const cluster = await Cluster.start({ ...store, gateways: 2, workers: 2 });
  try {
    const loaded = await startLoad(cluster, isShort);
    const { batch, load } = loaded;
    const watching = batch.watch();
    let count = 0;
    const [first, second] = cluster.gateways;
    const [worker, other] = cluster.workers;
    const turns: readonly (Member | undefined)[] = [first, worker, undefined, second, other];
    while (!batch.isEnded && count < KILLS_MAX[size]) {
      await delay(BETWEEN_KILLS_MS[size]);
      const victim = turns[count % turns.length];
      if (count === 0) batch.faultBegins();
      count += 1;
      if (victim === undefined) process.kill(cluster.redis.pid, 'SIGKILL');
      else await victim.killAndRestart();
    }
    await watching;
    await load.end();
    findings.tell('kill -9 of gateways, workers, Redis in turns', `${count} kills`);
    await batch.judge(findings);
    const still = `${(batch.longestStillMs / 1_000).toFixed(1)} s`;
    findings.judgeSpeed(
      'a batch stands still for 20 s at most',
      still,
      batch.longestStillMs <= CHUNK_MS_MAX,
    );
    judgeWaits(findings, load);
    await judgeEvidence(findings, loaded);
    const fatal = cluster.fatalities();
    findings.judge('no process ends by itself', fatal.join('; ') || 'none', fatal.length === 0);
  } finally {
    await cluster.stop();
  }
}

/** A gateway and a worker whose clocks are an hour ahead die in the middle of their work. */
async function clocks(findings: Findings, { isShort, ...store }: Where): Promise<void> {
  if (!mayNameHosts) findings.tell('hosts of their own', 'SKIPPED: unshare --uts is not allowed');
  const cluster = await Cluster.start({
    ...store,
    gateways: 2,
    member: (name) => ({
      clockAheadMs: name.endsWith('-1') ? HOUR_MS : 0,
      isElsewhere: mayNameHosts,
    }),
    workers: 2,
  });
  try {
    const loaded = await startLoad(cluster, isShort);
    const submittedAtMs = performance.now();
    const { batch, load } = loaded;
    const watching = batch.watch();
    await until('the batch is under way', () => batch.processed > 0 || batch.isEnded);
    const readMs = performance.now() - submittedAtMs;
    findings.tell('the first chunk of the batch is done', `after ${(readMs / 1_000).toFixed(1)} s`);
    batch.faultBegins();
    await Promise.all(
      cluster.members
        .filter(({ options }) => options.clockAheadMs !== 0)
        .map((member) => member.end('SIGKILL')),
    );
    await watching;
    await load.end();
    findings.tell('a gateway and a worker an hour ahead, killed', load.refusalWords());
    await batch.judge(findings);
    const still = `${(batch.longestStillMs / 1_000).toFixed(1)} s`;
    findings.judgeSpeed(
      'a batch stands still for 20 s at most',
      still,
      batch.longestStillMs <= CHUNK_MS_MAX,
    );
    judgeWaits(findings, load);
    await judgeEvidence(findings, loaded);
  } finally {
    await cluster.stop();
  }
}

function judgeWaits(findings: Findings, load: UnitLoad): void {
  const waits = `longest ${longest(load.tookMs).toFixed(0)} ms; ${load.refusalWords()}`;
  findings.judgeSpeed(
    'nobody waits longer than the lease of a head',
    waits,
    longest(load.tookMs) <= HEAD_MS_MAX,
  );
}
