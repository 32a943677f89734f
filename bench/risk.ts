/**
 * Risk: what an evaluation costs, whether the formula is what a second one makes of it and the same
 * on another Node, what a backtest of many clients takes, also where it is killed, and what a
 * shadow costs those who are evaluated meanwhile.
 *
 * Goals (customers.md K1 to K3, K8): no difference in a million random policies × facts; the same
 * bytes on Node 22 and 24 (OTHER_NODES names the other one); 1,000,000 clients in five minutes and
 * 512 MB on two cores, the same report after 20 kills; 10 µs an evaluation; 10 % of the 95th
 * percentile for a shadow.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { EpochMs } from '#platform/clock';
import {
  activateShadow,
  compilePolicy,
  createRiskPolicy,
  evaluateClient,
  requestRiskBacktest,
  riskBacktestTable,
  SHIPPED,
} from '#slices/risk';
import { randomFacts, randomPolicy } from '../test/slices/risk/randomPolicies.ts';
import { secondFormula } from '../test/slices/risk/secondFormula.ts';
import type { BacktestRun } from './riskRun.ts';
import {
  BY_BENCH,
  factsOf,
  openRiskWorld,
  type RiskWorld,
  TENANT,
  withEvaluations,
} from './riskWorld.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const run = promisify(execFile);
const RUN = join(import.meta.dirname, 'riskRun.ts');
const FACTS_A_POLICY = 10;
const KILLS = 20;
const SHADOWS = 3;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { count, smoke } = options;
  const scale = smoke
    ? { clients: 300, evaluations: 40, killed: 2_500, kills: 1, pairs: 200, results: 200 }
    : {
        clients: count ?? 1_000_000,
        evaluations: 1_000,
        killed: Math.min(count ?? 50_000, 50_000),
        kills: KILLS,
        pairs: count ?? 1_000_000,
        results: 100_000,
      };
  return [
    evaluation(options),
    formula(options, scale.pairs),
    await otherNode(options, scale.results),
    await backtests(options, { clients: scale.clients, kills: 0 }),
    await backtests(options, { clients: scale.killed, kills: scale.kills }),
    await shadowed(options, scale.evaluations),
  ];
}

const rowOf = ({ size }: BenchOptions, of: Omit<BenchRow, 'size' | 'suite'>): BenchRow => ({
  ...of,
  size,
  suite: 'risk',
});

function evaluation(options: BenchOptions): BenchRow {
  const evaluate = compilePolicy(SHIPPED);
  const all = Array.from({ length: 1_000 }, (_, n) => factsOf(n));
  const rounds = options.smoke ? 2 : 200;
  let sum = 0;
  const round = (): void => {
    for (const facts of all) sum += evaluate(facts).score;
  };
  round();
  const began = process.cpuUsage();
  for (let at = 0; at < rounds; at++) round();
  const { system, user } = process.cpuUsage(began);
  const us = (system + user) / (rounds * all.length);
  const { factors, overrides } = SHIPPED;
  return rowOf(options, {
    baseline: 10,
    baseline_name: 'goal',
    checksum: String(sum),
    data: `${factors.length} factors, ${overrides.length} overrides`,
    id: 'risk/evaluation',
    ours: us,
    ratio: 10 / us,
    unit: 'CPU µs an evaluation',
  });
}

/** Throws at the first difference. */
function formula(options: BenchOptions, pairs: number): BenchRow {
  let compared = 0;
  const facts = fc.array(randomFacts, { maxLength: FACTS_A_POLICY, minLength: FACTS_A_POLICY });
  fc.assert(
    fc.property(randomPolicy, facts, (content, all) => {
      const evaluate = compilePolicy(content);
      for (const one of all) {
        const own = evaluate(one);
        const second = secondFormula(content, one);
        compared += 1;
        assert.equal(own.score, second.score);
        assert.equal(own.level, second.level);
        assert.equal(own.level_by_score, second.byScore);
        assert.deepEqual(own.missing, second.missing);
        assert.deepEqual(
          own.overrides.map(({ id }) => id),
          second.fired,
        );
      }
    }),
    { numRuns: Math.ceil(pairs / FACTS_A_POLICY) },
  );
  return rowOf(options, {
    data: 'random policies × facts',
    id: 'risk/second-formula',
    ours: compared,
    unit: 'alike, of as many',
  });
}

async function otherNode(options: BenchOptions, count: number): Promise<BenchRow> {
  const own = (await run(process.execPath, [RUN, 'results', String(count)])).stdout.trim();
  const others = (process.env.OTHER_NODES ?? '').split(':').filter((one) => one !== '');
  let alike = 1;
  for (const node of others) {
    const other = (await run(node, [RUN, 'results', String(count)])).stdout.trim();
    assert.equal(other, own, `${node}: its results are others`);
    alike += 1;
  }
  return rowOf(options, {
    checksum: own,
    data: `${count.toLocaleString('en')} evaluations`,
    id: 'risk/replay',
    ours: alike,
    unit: 'versions of Node with the same bytes',
  });
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
          also: { 'CPU s': whole.cpuSeconds },
          baseline: 300,
          baseline_name: 'goal',
          ours: whole.seconds,
          ratio: 300 / whole.seconds,
          unit: 's',
        }),
  });
}

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
  spawn(process.execPath, [RUN, mode, folder], { stdio: ['ignore', 'pipe', 'inherit'] });

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Live evaluations with no shadow, and with three that a worker counts beside them. */
async function shadowed(options: BenchOptions, count: number): Promise<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-risk-'));
  const world = await openRiskWorld(folder);
  const names = Array.from({ length: 50 }, (_, at) => `client-${at}`);
  for (const name of names) await world.newClient(name);
  const live = () => p95Of(world, names, count);
  await live();
  const before = await live();
  for (let at = 0; at < SHADOWS; at++) {
    const name = `Shadow ${at}`;
    const { policyId } = await createRiskPolicy(world.ports, BY_BENCH, { name });
    await activateShadow(world.ports, { ...BY_BENCH, policyId });
  }
  const child = begin('shadow', folder);
  if (child.stdout !== null) await once(child.stdout, 'data');
  const beside = await live();
  await kill(child);
  // Once more without, since a store that grows and a machine that warms up say nothing of shadows.
  const after = await live();
  await world.close();
  await rm(folder, { recursive: true });
  const baseline = (before + after) / 2;
  return rowOf(options, {
    baseline,
    baseline_name: 'without shadows',
    data: `${SHADOWS} shadows`,
    id: 'risk/shadow-p95',
    ours: beside,
    ratio: baseline / beside,
    unit: 'ms at the 95th percentile',
  });
}

async function p95Of(world: RiskWorld, names: readonly string[], count: number): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < count; at++) {
    const began = performance.now();
    await evaluateClient(world.ports, {
      actor: 'key:bench',
      externalRef: names[at % names.length] ?? '',
      isAsked: true,
      tenantId: TENANT,
    });
    took.push(performance.now() - began);
  }
  took.sort((one, other) => one - other);
  return took[Math.floor(took.length * 0.95)] ?? 0;
}
