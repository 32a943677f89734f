/**
 * One tenant at three gateways: 64 requests at once, and none is refused because another gateway
 * has the head of the chain. Then holders are killed in a row: who waited gets an answer, later.
 *
 * Each gateway has a host name of its own where the system lets it, so that the others cannot see
 * its end and wait for its silence, as on three hosts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { hasMongo, startMongo } from '../storage/mongo/server.ts';
import { Cluster, type Customer, RAISED, until } from './cluster.ts';
import { type Member, mayNameHosts } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';
import { judgeEvidence, longest, UnitLoad } from './unitLoad.ts';

const GATEWAYS = 3;
const CLIENTS = 64;
const CALM_S = { short: 2, whole: 30 };
const ROUNDS = { short: 1, whole: 4 };
/** Two holders that died one after another, each silent for its lease of three seconds. */
const WAIT_MS_MAX = 10_000;

export async function heads({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('heads', { isShort });
  if (!hasMongo()) {
    findings.tell('three gateways on one MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server');
    return findings.rows;
  }
  if (!mayNameHosts) findings.tell('hosts of their own', 'SKIPPED: unshare --uts is not allowed');
  const mongo = await startMongo();
  const url = new URL(mongo.url);
  url.pathname = `/drill_${Date.now().toString(36)}`;
  const client = new MongoClient(url.href);
  try {
    const cluster = await Cluster.start({
      gateways: GATEWAYS,
      member: () => ({ isElsewhere: mayNameHosts }),
      mongodbUrl: url.href,
      workers: 1,
    });
    try {
      await press({ client, cluster, findings, isShort });
    } finally {
      await cluster.stop();
    }
  } finally {
    await client.db().dropDatabase();
    await client.close();
    await mongo.stop();
  }
  return findings.rows;
}

interface Pressing {
  readonly client: MongoClient;
  readonly cluster: Cluster;
  readonly findings: Findings;
  readonly isShort: boolean;
}

async function press({ client, cluster, findings, isShort }: Pressing): Promise<void> {
  const size = isShort ? 'short' : 'whole';
  const customer = await cluster.customer('Busy', { settings: RAISED });
  const load = new UnitLoad(cluster, customer, { clients: CLIENTS });
  await delay(CALM_S[size] * 1_000);
  const calm = load.tookMs.length;
  const calmLongest = longest(load.tookMs).toFixed(0);
  const perSecond = (calm / CALM_S[size]).toFixed(0);
  findings.judge(
    `${CLIENTS} at once at ${GATEWAYS} gateways: no 503`,
    `${load.refusalWords()}; ${perSecond} answers a second, longest ${calmLongest} ms`,
    load.refused(503) === 0,
  );
  for (let round = 1; round <= ROUNDS[size]; round++) {
    await killInRow({ client, cluster, customer, load });
    findings.tell(
      `round ${round} of kills`,
      `${load.refusalWords()}; longest so far ${longest(load.tookMs).toFixed(0)} ms`,
    );
  }
  await load.end();
  findings.judgeSpeed(
    'two holders killed in a row: who waits is answered',
    `${load.refusalWords()}; longest ${longest(load.tookMs).toFixed(0)} ms`,
    load.refused(503) === 0 && longest(load.tookMs) <= WAIT_MS_MAX,
  );
  await judgeEvidence(findings, { cluster, customer, load });
  const fatal = cluster.fatalities();
  findings.judge('no process ends by itself', fatal.join('; ') || 'none', fatal.length === 0);
}

/** Kills who has the head, and whoever takes it next as soon as it is seen to have it. */
async function killInRow(of: {
  readonly client: MongoClient;
  readonly cluster: Cluster;
  readonly customer: Customer;
  readonly load: UnitLoad;
}): Promise<void> {
  const { load } = of;
  const dead: Member[] = [];
  while (dead.length < GATEWAYS - 1) {
    let holder: Member | undefined;
    await until('a gateway has the head', async () => {
      holder = await holderOf(of);
      return holder !== undefined && !dead.includes(holder);
    });
    if (holder === undefined) return;
    await holder.end('SIGKILL');
    dead.push(holder);
  }
  const before = load.tookMs.length;
  await until('answers come again', () => load.tookMs.length > before + CLIENTS);
  for (const member of dead) member.start();
  await Promise.all(dead.map((member) => member.ready()));
}

async function holderOf({
  client,
  cluster,
  customer,
}: {
  readonly client: MongoClient;
  readonly cluster: Cluster;
  readonly customer: Customer;
}): Promise<Member | undefined> {
  const heads = client.db().collection<{ _id: string; holder: string | null }>('audit_head');
  const found = await heads.findOne({ _id: customer.tenantId });
  const pid = Number(found?.holder?.split('/')[2]);
  return cluster.gateways.find((member) => member.isRunning && member.pid === pid);
}
