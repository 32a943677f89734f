/**
 * Work on risk in a process of its own, for risk.ts:
 *
 *   riskRun.ts backtest FOLDER    works the open backtest off, and prints its figures
 *   riskRun.ts shadow FOLDER      counts shadows between a line `on` and a line `off` on its stdin;
 *                                 says each line again once it is so, and ends with its stdin
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Hold } from '#core/work';
import { growHeapsSlowly } from '#platform/heapGrowth';
import { lowerPriority } from '#platform/lowPriority';
import { countShadow, riskBacktestTable, riskShadowTable, runRiskBacktest } from '#slices/risk';
import { openRiskWorld, type RiskWorld, TENANT } from './riskWorld.ts';

/** What a backtest prints at its end. */
export interface BacktestRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
  readonly reportSha256: string;
  readonly cases: number;
}

const TIMES = { leaseMs: 20_000, renewMs: 5_000 };
const LOOK_MS = 20;
const KIB_A_MIB = 1_024;
/** What the product's workers have. */
const NICENESS = 10;

growHeapsSlowly(); // as the workers do
const [, , mode = '', of = ''] = process.argv;

async function backtest(folder: string): Promise<BacktestRun> {
  const { close, ports, tables } = await openRiskWorld(folder);
  const { records } = await tables.page(riskBacktestTable, {
    equal: { tenantId: TENANT },
    index: 'key',
    limit: 1_000,
  });
  const [last] = records.slice(-1);
  if (last === undefined) throw new Error('nobody has asked for a backtest');
  const key = { btrId: last.btrId, tenantId: TENANT };
  const began = performance.now();
  const cpu = process.cpuUsage();
  if (last.status === 'queued') await workOff({ ports, tables }, key);
  const { system, user } = process.cpuUsage(cpu);
  const ended = await tables.find(riskBacktestTable, key);
  const report = ended?.reportSha256 ?? '';
  const text = Buffer.from((await ports.blobs.get(report)) ?? []).toString();
  await close();
  return {
    cases: (JSON.parse(text) as { population: { cases: number } }).population.cases,
    cpuSeconds: (system + user) / 1e6,
    peakRssMb: process.resourceUsage().maxRSS / KIB_A_MIB,
    reportSha256: report,
    seconds: (performance.now() - began) / 1e3,
  };
}

/** Of a run that was killed the lease stands still: it is taken over as a worker does it. */
async function workOff(
  { ports, tables }: Pick<RiskWorld, 'ports' | 'tables'>,
  key: { readonly btrId: string; readonly tenantId: typeof TENANT },
): Promise<void> {
  const held = (await tables.held(riskBacktestTable, { limit: 10 })).find(
    ({ record }) => record.btrId === key.btrId,
  );
  const holder = `bench/${process.pid}`;
  const leased = held
    ? await tables.takeOver(riskBacktestTable, { holder, key, seen: held.lease })
    : await tables.claim(riskBacktestTable, { holder, key });
  if (leased === undefined) throw new Error('another worker has the backtest');
  const hold = new Hold({ clock: ports.clock, tables }, riskBacktestTable, leased, {
    times: TIMES,
  });
  await runRiskBacktest(ports, hold);
  await hold.end();
}

async function shadow(folder: string): Promise<void> {
  const world = await lowerPriority(NICENESS, { start: () => openRiskWorld(folder) });
  let [isOn, counting] = [false, Promise.resolve()];
  const countOn = async (): Promise<void> => {
    for (; isOn; await delay(LOOK_MS)) await countDue(world);
  };
  for await (const line of createInterface(process.stdin)) {
    isOn = line === 'on';
    // What came while it was off is no work of the time that is measured now.
    if (isOn) await countDue(world);
    else await counting;
    if (isOn) counting = countOn();
    process.stdout.write(`${line}\n`);
  }
  isOn = false;
  await counting;
  await world.close();
}

/** As a worker does, until no shadow is due. */
async function countDue({ ports, tables }: RiskWorld): Promise<void> {
  for (;;) {
    const ask = { holder: `bench/${process.pid}`, lane: [TENANT], limit: 1 };
    const [leased] = await tables.lease(riskShadowTable, { ...ask, now: ports.clock.now() });
    if (leased === undefined) return;
    const hold = new Hold({ clock: ports.clock, tables }, riskShadowTable, leased, {
      times: TIMES,
    });
    await countShadow(ports, hold);
  }
}

if (mode === 'backtest') process.stdout.write(`${JSON.stringify(await backtest(of))}\n`);
else await shadow(of);
