/**
 * Half an hour of everything that a hostile caller may send, beside a quiet tenant: that one is
 * answered as if it were alone, no process grows, none ends, and no rejection goes unhandled. Then
 * once more for half as long over the other HTTP adapter and, where there is one, upon MongoDB.
 *
 * Two cores are shared by the service, the attackers (niced a little: they are elsewhere) and who
 * measures. Not measured: an attacker's own bandwidth.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasMongo, startMongo } from '../storage/mongo/server.ts';
import { Cluster } from './cluster.ts';
import type { MixOrder, MixReport } from './hostileMix.ts';
import { pressed } from './hostileStage.ts';
import { pathOf } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const run = promisify(execFile);
const SHORT_S = 12;
/** Parts of the time that the mix has on the two installations; what is left, each attack alone. */
const SHARES = { first: 0.6, second: 0.3 };
const REPORT_BYTES_MAX = 1024 * 1024;

const STAGES = ['default', 'strict'] as const;
export type HostileStage = (typeof STAGES)[number];
export const isStage = (text: string): text is HostileStage =>
  (STAGES as readonly string[]).includes(text);

/** `default`: hyper-express and SQLite. `strict`: node:http, and MongoDB where there is one. */
export async function hostile(options: DrillOptions): Promise<readonly DrillRow[]> {
  const { isShort, minutes, stage } = options;
  const findings = new Findings('hostile', { isShort });
  const seconds = (share: number) => (isShort ? SHORT_S : minutes * 60 * share);
  if (stage !== 'strict') await onEmbedded(findings, { isShort, seconds: seconds(SHARES.first) });
  // Seconds of `npm test` are for one of them.
  const isSecond = stage === 'strict' || (stage === undefined && !isShort);
  if (isSecond) await onMongo(findings, { isShort, seconds: seconds(SHARES.second) });
  return findings.rows;
}

interface Stage {
  readonly isShort: boolean;
  readonly seconds: number;
}

const LOCAL = { FETCH_ALLOWED_HOSTS: '127.0.0.1' };

async function onEmbedded(findings: Findings, stage: Stage): Promise<void> {
  const cluster = await Cluster.start({ env: LOCAL, gateways: 1, workers: 1 });
  const what = '1 gateway by hyper-express, 1 worker, SQLite';
  try {
    await pressed({ ...stage, attack, cluster, findings, isEachAlone: true, what });
  } finally {
    await cluster.stop();
  }
}

async function onMongo(findings: Findings, stage: Stage): Promise<void> {
  const env = { ...LOCAL, HTTP_ADAPTER: 'node' };
  const mongo = hasMongo() ? await startMongo() : undefined;
  if (mongo === undefined) {
    findings.tell('upon MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server; upon SQLite');
  }
  try {
    const url = mongo && new URL(mongo.url);
    if (url !== undefined) url.pathname = `/drill_${Date.now().toString(36)}`;
    const store = url === undefined ? {} : { mongodbUrl: url.href };
    const cluster = await Cluster.start({ env, gateways: 1, workers: 1, ...store });
    const what = `1 gateway by node:http, 1 worker, ${url === undefined ? 'SQLite' : 'MongoDB'}`;
    try {
      await pressed({ ...stage, attack, cluster, findings, isEachAlone: false, what });
    } finally {
      await cluster.stop();
    }
  } finally {
    await mongo?.stop();
  }
}

async function attack(order: MixOrder): Promise<MixReport> {
  const script = pathOf('./hostileMix.ts');
  const options = { maxBuffer: REPORT_BYTES_MAX };
  const { stdout } = await run(process.execPath, [script, JSON.stringify(order)], options);
  return JSON.parse(stdout) as MixReport;
}
