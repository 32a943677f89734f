/**
 * Half an hour of everything that a hostile caller may send, beside a quiet tenant: that one is
 * answered as if it were alone, no process grows, none ends, and no rejection goes unhandled.
 *
 * Two cores are shared by the service, the attackers (niced a little: they are elsewhere) and who
 * measures. Not measured: an attacker's own bandwidth.
 */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Cluster, type Customer } from './cluster.ts';
import { GOOD, HostileLists } from './hostileLists.ts';
import type { MixOrder, MixReport } from './hostileMix.ts';
import { type Member, pathOf } from './member.ts';
import { MemoryWatch } from './memoryWatch.ts';
import { QuietTenant } from './quietTenant.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const run = promisify(execFile);
const ANSWERED_MIN = 0.999;
const SHORT_ANSWERED_MIN = 0.9;
const P99_MS_MAX = 250;
const HOSTILE_TENANTS = 3;
/** The quiet tenant is known by then, and what was compiled for the start is compiled. */
const ALONE_MS = 20_000;
const SHORT_S = 12;
const SUBJECTS = { short: 5, whole: 500 };
const REPORT_BYTES_MAX = 1024 * 1024;

export async function hostile({ isShort, minutes }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('hostile', { isShort });
  const seconds = isShort ? SHORT_S : minutes * 60;
  const cluster = await Cluster.start({
    env: { FETCH_ALLOWED_HOSTS: '127.0.0.1' },
    gateways: 1,
    workers: 1,
  });
  try {
    const list = isShort ? 'the shipped list' : await cluster.importRealList();
    findings.tell('set-up', `1 gateway, 1 worker, SQLite, ${list}, ${seconds} s`);
    await press({ cluster, findings, isShort, seconds });
    return findings.rows;
  } finally {
    await cluster.stop();
  }
}

interface Pressing {
  readonly cluster: Cluster;
  readonly findings: Findings;
  readonly isShort: boolean;
  readonly seconds: number;
}

async function press({ cluster, findings, isShort, seconds }: Pressing): Promise<void> {
  const quiet = await cluster.customer('Quiet');
  const live = await cluster.customer('Operator', { isLive: true });
  const sandbox = await cluster.customer('Operator of the sandbox');
  const attackers: Customer[] = [];
  while (attackers.length < HOSTILE_TENANTS) {
    attackers.push(await cluster.customer('Hostile', { roles: 'agent_l1' }));
  }
  const origin = cluster.gateways[0]?.origin ?? '';
  const alone = new QuietTenant([origin], quiet);
  await delay(isShort ? ALONE_MS / 10 : ALONE_MS);
  await alone.end();
  findings.tell('the quiet tenant alone', `p50 ${ms(alone, 0.5)}, p99 ${ms(alone, 0.99)}`);

  const lists = await HostileLists.open(cluster, { live, sandbox });
  const memory = new MemoryWatch(cluster, isShort ? 1_000 : undefined);
  const cpuBefore = cluster.members.map((member) => member.cpuSeconds());
  const beside = new QuietTenant([origin], quiet);
  let isOver = false;
  const imports = lists.run(() => isOver);
  const report = await attack({
    apiKeys: attackers.map(({ apiKey }) => apiKey),
    origin,
    seconds,
    subjects: isShort ? SUBJECTS.short : SUBJECTS.whole,
  });
  await beside.end();
  for (const [place, member] of cluster.members.entries()) {
    const used = member.cpuSeconds() - (cpuBefore[place] ?? 0);
    findings.tell(`processor of ${member.options.name}`, await usedBy(member, used, seconds));
  }
  isOver = true;
  const growth = memory.end();
  await imports;
  await lists.close();

  judgeQuiet(findings, beside, isShort);
  for (const { early, isFlat, late, most, name } of growth) {
    const figures = `${early.toFixed(0)} -> ${late.toFixed(0)} MB, at most ${most.toFixed(0)} MB`;
    findings.judgeSpeed(`memory of ${name} is flat`, figures, isFlat);
  }
  judgeLists(findings, lists);
  judgeAttacks(findings, report);
  const fatal = cluster.fatalities();
  findings.judge('no process ends, no rejection goes unhandled', list(fatal), fatal.length === 0);
  const errors = [...cluster.errors()].map(([text, count]) => `${count} × ${text}`);
  findings.tell('lines of level error', list(errors));
  const { report: verdict } = await cluster.verified(quiet.tenantId);
  findings.judge('evidence of the quiet tenant', verdict, verdict.startsWith('good'));
}

async function usedBy(member: Member, used: number, seconds: number): Promise<string> {
  const lag = (await member.figure('nodejs_eventloop_lag_p99_seconds')) ?? Number.NaN;
  const heap = ((await member.figure('nodejs_heap_size_used_bytes')) ?? Number.NaN) / 1e6;
  const external = ((await member.figure('nodejs_external_memory_bytes')) ?? Number.NaN) / 1e6;
  const memory = `heap ${heap.toFixed(0)} MB, external ${external.toFixed(0)} MB`;
  const cores = `${(used / seconds).toFixed(2)} cores`;
  return `${cores}; event loop p99 ${(lag * 1e3).toFixed(0)} ms; ${memory}`;
}

async function attack(order: MixOrder): Promise<MixReport> {
  const script = pathOf('./hostileMix.ts');
  const options = { maxBuffer: REPORT_BYTES_MAX };
  const { stdout } = await run(process.execPath, [script, JSON.stringify(order)], options);
  return JSON.parse(stdout) as MixReport;
}

function judgeQuiet(findings: Findings, quiet: QuietTenant, isShort: boolean): void {
  const failures = [...quiet.failures].map(([what, count]) => `${count} × ${what}`);
  const answered = `${quiet.tookMs.length} of ${quiet.sent}; else: ${list(failures)}`;
  const figures = `p50 ${ms(quiet, 0.5)}, p99 ${ms(quiet, 0.99)}, longest ${ms(quiet, 1)}`;
  // Of a few dozen on a machine that does other things, one may be late.
  const least = isShort ? SHORT_ANSWERED_MIN : ANSWERED_MIN;
  findings.judge('the quiet tenant is answered', answered, quiet.answered >= least);
  const isFast = quiet.percentile(0.99) <= P99_MS_MAX;
  findings.judgeSpeed(`its p99 is at most ${P99_MS_MAX} ms`, figures, isFast);
}

function judgeLists(findings: Findings, { outcomes }: HostileLists): void {
  for (const name of new Set(outcomes.map(({ file }) => file))) {
    const runs = outcomes.filter(({ file }) => file === name);
    const expected = name === GOOD ? 'success' : 'failed';
    const longest = Math.max(...runs.map(({ tookMs }) => tookMs)) / 1_000;
    const statuses = [...new Set(runs.map(({ status }) => status))].join(', ');
    const measured = `${runs.length} times, ${statuses}, longest ${longest.toFixed(1)} s`;
    findings.judge(`a list file, ${name}: ${expected}`, measured, statuses === expected);
  }
}

/** No attack makes a fault of ours: 503 is a refusal, 500 is not. */
function judgeAttacks(findings: Findings, report: MixReport): void {
  for (const [name, outcomes] of Object.entries(report)) {
    const measured = Object.entries(outcomes).map(([what, count]) => `${count} × ${what}`);
    const isFault = Object.keys(outcomes).some((what) => /500|502/.test(what));
    findings.judge(`${name}: no 500`, list(measured), !isFault);
  }
}

const ms = (quiet: QuietTenant, share: number): string =>
  `${quiet.percentile(share).toFixed(0)} ms`;

const list = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join('; '));
