/**
 * Risk: what an evaluation costs, what a backtest of many clients takes, also where it is killed,
 * and what shadows cost those who are evaluated meanwhile.
 *
 * Goals (customers.md K3, K8): 1,000,000 clients in five minutes and 512 MB on two cores, the same
 * report after 20 kills; 10 µs an evaluation; 10 % of the 95th percentile for shadows. `--size
 * 100k` or `--count` for fewer clients; that the formula is right is for `npm run drill -- risk`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { EpochMs } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import {
  activateShadow,
  compilePolicy,
  createRiskPolicy,
  evaluateClient,
  type Facts,
  requestRiskBacktest,
  riskBacktestTable,
  SHIPPED,
} from '#slices/risk';
import { secondFormula } from '../test/slices/risk/secondFormula.ts';
import { factsOf } from './riskFacts.ts';
import type { BacktestRun } from './riskRun.ts';
import { BY_BENCH, openRiskWorld, type RiskWorld, TENANT, withEvaluations } from './riskWorld.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const run = promisify(execFile);
const RUN = join(import.meta.dirname, 'riskRun.ts');
const KILLS = 20;
const SHADOWS = 3;
const CLIENTS = { '100k': 100_000, '1m': 1_000_000, '5m': 5_000_000, lists: 1_000_000 } as const;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { count, size, smoke } = options;
  const clients = count ?? CLIENTS[size];
  const scale = smoke
    ? { clients: 300, killed: 2_500, kills: 1, pairs: 1, phaseMs: 200 }
    : { clients, killed: Math.min(clients, 50_000), kills: KILLS, pairs: 6, phaseMs: 10_000 };
  return [
    evaluation(options),
    await backtests(options, { clients: scale.clients, kills: 0 }),
    await backtests(options, { clients: scale.killed, kills: scale.kills }),
    await shadowed(options, scale),
  ];
}

const rowOf = ({ size }: BenchOptions, of: Omit<BenchRow, 'size' | 'suite'>): BenchRow => ({
  ...of,
  size,
  suite: 'risk',
});

/** Beside a formula that reads the policy anew each time, as one writes it down first. */
function evaluation(options: BenchOptions): BenchRow {
  const evaluate = compilePolicy(SHIPPED);
  const rounds = options.smoke ? 2 : 200;
  const ours = cpuUs(rounds, (facts) => evaluate(facts).score);
  const plain = cpuUs(Math.ceil(rounds / 4), (facts) => secondFormula(SHIPPED, facts).score);
  const { factors, overrides } = SHIPPED;
  return rowOf(options, {
    also: { goal: 10 },
    baseline: plain.us,
    baseline_name: 'not compiled',
    checksum: String(ours.sum),
    data: `${factors.length} factors, ${overrides.length} overrides`,
    id: 'risk/evaluation',
    ours: ours.us,
    ratio: plain.us / ours.us,
    unit: 'CPU µs an evaluation',
  });
}

function cpuUs(rounds: number, scoreOf: (facts: Facts) => number) {
  const all = Array.from({ length: 1_000 }, (_, n) => factsOf(n));
  let sum = 0;
  const round = (): void => {
    for (const facts of all) sum += scoreOf(facts);
  };
  round();
  const began = process.cpuUsage();
  for (let at = 0; at < rounds; at++) round();
  const { system, user } = process.cpuUsage(began);
  return { sum, us: (system + user) / (rounds * all.length) };
}

async function backtests(
  options: BenchOptions,
  { clients, kills }: { readonly clients: number; readonly kills: number },
): Promise<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-risk-'));
  const data = join(folder, 'data');
  const world = await openRiskWorld(data);
  const began = performance.now();
  await withEvaluations(world, clients);
  console.warn(`${clients} evaluations: ${((performance.now() - began) / 1e3).toFixed(0)} s`);
  const { policyId } = await createRiskPolicy(world.ports, BY_BENCH, {
    name: 'Strict',
    thresholds: { high: 45, standard: 25 },
  });
  const time = { from: 0 as EpochMs, to: (world.ports.clock.now() + 1) as EpochMs };
  const { btrId } = await requestRiskBacktest(world.ports, { ...BY_BENCH, policyId }, time);
  await world.close();
  const other = join(folder, 'other');
  if (kills > 0) await cp(data, other, { recursive: true });
  const whole = await worked(data);
  const died = kills > 0 ? await killed(other, { btrId, kills }) : 0;
  if (died > 0) assert.equal((await worked(other)).reportSha256, whole.reportSha256);
  await rm(folder, { recursive: true });
  assert.equal(whole.cases, clients);
  return rowOf(options, {
    checksum: whole.reportSha256,
    data: `${clients.toLocaleString('en')} clients`,
    id: kills > 0 ? 'risk/backtest-killed' : 'risk/backtest',
    memory_mb: whole.peakRssMb,
    ...(kills > 0
      ? { ours: died, unit: 'kills, and the same report' }
      : {
          also: { 'CPU s': whole.cpuSeconds, goal: 300 },
          ...besideSignatures(clients, whole),
          ours: whole.seconds,
          unit: 's',
        }),
  });
}

/** So many signatures verified one after the other, and nothing else. */
function besideSignatures(clients: number, { seconds }: BacktestRun) {
  const signer = signerFromSeed(Buffer.alloc(32, 7));
  const message = signer.publicKey.raw;
  const signature = signer.sign(message);
  const began = performance.now();
  for (let at = 0; at < SIGNATURES; at++) assert(signer.publicKey.verify(message, signature));
  const baseline = ((performance.now() - began) / 1e3 / SIGNATURES) * clients;
  return { baseline, baseline_name: 'signatures alone', ratio: baseline / seconds };
}

const SIGNATURES = 2_000;

const LONG = { maxBuffer: 1_000_000 };

async function worked(folder: string): Promise<BacktestRun> {
  const { stdout } = await run(process.execPath, [RUN, 'backtest', folder], LONG);
  return JSON.parse(stdout) as BacktestRun;
}

/** Each run is killed once it has saved more than those before it; answers how many were. */
async function killed(
  folder: string,
  { btrId, kills }: { readonly btrId: string; readonly kills: number },
): Promise<number> {
  const { close, tables } = await openRiskWorld(folder);
  const saved = async () =>
    (await tables.find(riskBacktestTable, { btrId, tenantId: TENANT }))?.progress;
  let died = 0;
  for (let hasEnded = false; died < kills && !hasEnded; ) {
    const before = await saved();
    const child = begin('backtest', folder);
    while ((await saved()) === before && child.exitCode === null) await delay(LOOK_MS);
    await delay(Math.random() * LOOK_MS);
    hasEnded = child.exitCode !== null;
    if (hasEnded) continue;
    await kill(child);
    died += 1;
  }
  await close();
  return died;
}

const LOOK_MS = 20;

const begin = (mode: string, folder: string): ChildProcess =>
  spawn(process.execPath, [RUN, mode, folder], { stdio: ['pipe', 'pipe', 'inherit'] });

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/**
 * Live evaluations while a worker counts three shadows, and while it does not, by turns: a store
 * that grows and a machine that warms up are in both.
 */
async function shadowed(
  options: BenchOptions,
  { pairs, phaseMs }: { readonly pairs: number; readonly phaseMs: number },
): Promise<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-risk-'));
  const world = await openRiskWorld(folder);
  const names = Array.from({ length: 50 }, (_, at) => `client-${at}`);
  for (const name of names) await world.newClient(name);
  for (let at = 0; at < SHADOWS; at++) {
    const name = `Shadow ${at}`;
    const { policyId } = await createRiskPolicy(world.ports, BY_BENCH, { name });
    await activateShadow(world.ports, { ...BY_BENCH, policyId });
  }
  const child = begin('shadow', folder);
  const turn = switchOf(child);
  const phase = async (word: 'off' | 'on'): Promise<number> => {
    await turn(word);
    return p95Of(world, names, phaseMs);
  };
  await phase('off');
  const found: { readonly off: number; readonly on: number }[] = [];
  for (let at = 0; at < pairs; at++) {
    if (at % 2 === 0) found.push({ off: await phase('off'), on: await phase('on') });
    else found.push({ on: await phase('on'), off: await phase('off') });
  }
  child.stdin?.end();
  await once(child, 'exit');
  await world.close();
  await rm(folder, { recursive: true });
  const median = (all: readonly number[]): number =>
    all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
  const baseline = median(found.map(({ off }) => off));
  const ratio = median(found.map(({ off, on }) => off / on));
  return rowOf(options, {
    baseline,
    baseline_name: 'without shadows',
    data: `${SHADOWS} shadows, ${pairs} pairs`,
    id: 'risk/shadow-p95',
    ours: baseline / ratio,
    ratio,
    unit: 'ms at the 95th percentile',
  });
}

/** Waits for the child to say the word again. */
function switchOf({ stdin, stdout }: ChildProcess) {
  assert(stdin !== null && stdout !== null);
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  return async (word: string): Promise<void> => {
    stdin.write(`${word}\n`);
    assert.equal((await lines.next()).value, word);
  };
}

async function p95Of(world: RiskWorld, names: readonly string[], ms: number): Promise<number> {
  const took: number[] = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const began = performance.now();
    await evaluateClient(world.ports, {
      actor: 'key:bench',
      externalRef: names[took.length % names.length] ?? '',
      isAsked: true,
      tenantId: TENANT,
    });
    took.push(performance.now() - began);
  }
  took.sort((one, other) => one - other);
  return took[Math.floor(took.length * 0.95)] ?? 0;
}
