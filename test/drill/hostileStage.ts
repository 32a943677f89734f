/**
 * One installation under the hostile mix: what its quiet tenants had of it, what became of its
 * processes, and what each attack came to.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import type { Cluster, Customer } from './cluster.ts';
import { GOOD, HostileLists } from './hostileLists.ts';
import type { MixOrder, MixReport } from './hostileMix.ts';
import { type Attacking, eachAlone, quotesAndCustomers } from './mainThread.ts';
import type { Member } from './member.ts';
import { MemoryWatch } from './memoryWatch.ts';
import { listedNames, preparedBatch } from './prey.ts';
import { QuietTenant } from './quietTenant.ts';
import type { Findings } from './row.ts';
import { SmallBatches } from './smallBatches.ts';

const ANSWERED_MIN = 0.999;
/** Of a few dozen, on a machine that does other things: it is served beside the hostile ones. */
const SHORT_ANSWERED_MIN = 0.5;
const P99_MS_MAX = 250;
const HOSTILE_TENANTS = 3;
/** The quiet tenant is known by then, and what was compiled for the start is compiled. */
const ALONE_MS = 20_000;
const ALONE_EACH_S = 6;
const SMALL_EVERY_MS = { short: 4_000, whole: 30_000 };
const SUBJECTS = { short: 5, whole: 500 };
/** Subjects of a hostile tenant's own batch, all of whom have hits. */
const PREY = { short: 20, whole: 3_000 };
/** All that a tenant's own people may do over HTTP. */
const HOSTILE_ROLES = 'agent_l1,auditor,developer,admin';

export interface Pressing {
  readonly attack: Attacking;
  readonly cluster: Cluster;
  readonly findings: Findings;
  readonly isShort: boolean;
  readonly seconds: number;
  /** Each attack is also measured alone. */
  readonly isEachAlone: boolean;
  /** The installation in words. */
  readonly what: string;
}

/** Who is on it, and what stands ready. */
interface Scene {
  readonly gateway: Member;
  readonly quiet: Customer;
  readonly small: Customer;
  readonly listed: readonly string[];
  readonly lists: HostileLists;
  readonly order: MixOrder;
}

export async function pressed(pressing: Pressing): Promise<void> {
  const { cluster, findings, isShort, seconds, what } = pressing;
  const list = isShort ? 'the shipped list' : await cluster.importRealList();
  findings.tell('set-up', `${what}, ${list}, ${seconds} s`);
  const scene = await sceneOf(pressing);
  const alone = new QuietTenant([scene.gateway.origin], scene.quiet, scene.listed);
  await delay(isShort ? ALONE_MS / 10 : ALONE_MS);
  await alone.end();
  findings.tell('the quiet tenant alone', `p50 ${ms(alone, 0.5)}, p99 ${ms(alone, 0.99)}`);
  if (pressing.isEachAlone) await measured(pressing, scene);
  await mixed(pressing, scene);
}

async function sceneOf({ cluster, isShort, seconds }: Pressing): Promise<Scene> {
  const [gateway] = cluster.gateways;
  if (gateway === undefined) throw new Error('a gateway runs');
  const { origin } = gateway;
  const quiet = await cluster.customer('Quiet');
  const small = await cluster.customer('Small batches');
  const live = await cluster.customer('Operator', { isLive: true });
  const sandbox = await cluster.customer('Operator of the sandbox');
  const attackers: Customer[] = [];
  while (attackers.length < HOSTILE_TENANTS) {
    attackers.push(await cluster.customer('Hostile', { roles: HOSTILE_ROLES }));
  }
  const listed = await listedNames(origin, quiet);
  const size = isShort ? 'short' : 'whole';
  const prepared = await Promise.all(
    attackers.map((one) => preparedBatch(origin, one, { listed, subjects: PREY[size] })),
  );
  const apiKeys = attackers.map(({ apiKey }) => apiKey);
  return {
    gateway,
    listed,
    lists: await HostileLists.open(cluster, { live, sandbox }),
    order: { apiKeys, origin, prepared, seconds, subjects: SUBJECTS[size] },
    quiet,
    small,
  };
}

/** Each attack alone, and what a hostile file costs beside a good one. */
async function measured(pressing: Pressing, { gateway, order, small }: Scene): Promise<void> {
  const { attack, findings, isShort } = pressing;
  await quotesAndCustomers({ customer: small, findings, gateway, isShort });
  if (isShort) return;
  await eachAlone({ attack, findings, gateway, order: { ...order, seconds: ALONE_EACH_S } });
}

async function mixed(pressing: Pressing, scene: Scene): Promise<void> {
  const { attack, cluster, findings, isShort, seconds } = pressing;
  const { gateway, lists, order, quiet } = scene;
  const { origin } = gateway;
  const memory = new MemoryWatch(cluster, isShort ? 1_000 : undefined);
  const cpuBefore = cluster.members.map((member) => member.cpuSeconds());
  const beside = new QuietTenant([origin], quiet, scene.listed);
  const everyMs = SMALL_EVERY_MS[isShort ? 'short' : 'whole'];
  const small = new SmallBatches(origin, scene.small, everyMs);
  let isOver = false;
  const imports = lists.run(() => isOver);
  const report = await attack(order);
  await Promise.all([beside.end(), small.end()]);
  for (const [place, member] of cluster.members.entries()) {
    const used = member.cpuSeconds() - (cpuBefore[place] ?? 0);
    findings.tell(`processor of ${member.options.name}`, await usedBy(member, used, seconds));
  }
  isOver = true;
  const growth = memory.end();
  await imports;
  await lists.close();

  judgeQuiet(findings, beside, isShort);
  findings.judge('small batches beside costly ones end', small.words, small.isWhole);
  findings.judgeSpeed('each starts within 5 s and ends within 20', small.words, small.isInTime);
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

function judgeQuiet(findings: Findings, quiet: QuietTenant, isShort: boolean): void {
  const failures = [...quiet.failures].map(([what, count]) => `${count} × ${what}`);
  const answered = `${quiet.tookMs.length} of ${quiet.sent}; else: ${list(failures)}`;
  const figures = `p50 ${ms(quiet, 0.5)}, p99 ${ms(quiet, 0.99)}, longest ${ms(quiet, 1)}`;
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

/** A fault of ours: 503 is a refusal, 500 is not. */
const FAULT = /500|502/;

/** No attack makes a fault of ours, nor comes to what it must not. */
export function judgeAttacks(findings: Findings, report: MixReport): void {
  for (const { mustNot = FAULT, name } of ATTACKS) {
    const outcomes = Object.entries(report[name] ?? {});
    const measured = outcomes.map(([what, count]) => `${count} × ${what}`);
    const isMet = outcomes.length > 0 && !outcomes.some(([what]) => isBad(what, mustNot));
    const asked = mustNot === FAULT ? 'no 500' : 'no 500, and each line is ended';
    findings.judge(`${name}: ${asked}`, list(measured), isMet);
  }
}

const isBad = (what: string, mustNot: RegExp): boolean => FAULT.test(what) || mustNot.test(what);

const ms = (quiet: QuietTenant, share: number): string =>
  `${quiet.percentile(share).toFixed(0)} ms`;

const list = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join('; '));
