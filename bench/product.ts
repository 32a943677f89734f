/**
 * The product as a user starts it, for benches: own data directory, own Redis, own port, a sandbox
 * tenant with its limits raised. Everything is gone after `stop`.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { STALENESS_MS_MAX } from '../src/core/identity/freshCache.ts';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;
const START_TIMEOUT_MS = 90_000;

export interface Product {
  readonly origin: string;
  readonly apiKey: string;
  readonly tenantId: string;
  readonly dataDir: string;
  /** Milliseconds from spawn to a readiness of 200. */
  readonly startMs: number;
  readonly pid: number;
  cli(...args: string[]): Promise<string>;
  /** Sum of proportional memory over the process tree, in MiB. */
  memoryMb(): Promise<number>;
  /** The largest gateway and the largest worker, in MiB, what they share counted in each. */
  memoryByRole(): Promise<{ readonly gateway: number; readonly worker: number }>;
  /** CPU seconds used so far by the process tree. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  await buildProduct();
  const dataDir = await mkdtemp(join(tmpdir(), 'compliance-bench-'));
  const port = await freePort();
  const environment = {
    ...process.env,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    NODE_COMPILE_CACHE: join(ROOT, 'dist/.compileCache'),
    PORT: String(port),
    ...env,
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilReady(child, `${origin}/readyz`);
  const startMs = performance.now() - startedAt;
  const firstRun = JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8'));
  const { pid } = child;
  assert(pid !== undefined, 'the product has a process id');
  return {
    apiKey: firstRun.api_key,
    cli: async (...args) => {
      const command = [join(ROOT, 'dist/app/cli/main.js'), ...args];
      const { stdout } = await run(process.execPath, command, { cwd: ROOT, env: environment });
      return stdout;
    },
    cpuSeconds: () => sumOverTree(pid, cpuSecondsOf),
    dataDir,
    memoryByRole: () => memoryByRole(pid),
    memoryMb: () => sumOverTree(pid, memoryMbOf),
    origin,
    pid,
    startMs,
    stop: () => stop(child, dataDir),
    tenantId: firstRun.tenant_id,
  };
}

/** What is measured is what stands in src/ now, built as `npm start` builds it. */
export async function buildProduct(): Promise<void> {
  const env = { ...process.env, npm_lifecycle_event: 'prebuild' };
  await run(process.execPath, [join(ROOT, 'scripts/bootstrap.mjs')], { env });
}

/** Raises the sandbox tenant's limits so that they do not decide the figure. */
export async function raiseLimits(product: Product): Promise<void> {
  await product.cli(
    'tenant',
    'set',
    product.tenantId,
    'limits.burst=1000000',
    'limits.requests_per_second=1000000',
    'limits.screening_per_second=1000000',
    'limits.screening_per_minute_per_user=60000000',
  );
  // Until then the gateway still holds the former limits, and refuses.
  await delay(STALENESS_MS_MAX);
}

async function stop(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(dataDir, { force: true, recursive: true });
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until) {
    assert(child.exitCode === null, `the product ended with exit code ${child.exitCode}`);
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0, // not listening yet
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  assert.fail(`not ready after ${START_TIMEOUT_MS} ms`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  return address.port;
}

async function sumOverTree(pid: number, of: (pid: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const id of await treeOf(pid)) sum += await of(id);
  return sum;
}

async function treeOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number));
  const tree = [pid];
  for (const id of tree) {
    for (const [child = 0, parent = 0] of pairs) if (parent === id) tree.push(child);
  }
  return tree;
}

async function memoryByRole(pid: number) {
  const most = { gateway: 0, worker: 0 };
  for (const id of await treeOf(pid)) {
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    const role = /dist\/app\/(gateway|worker)\/main/.exec(command)?.[1];
    if (role !== 'gateway' && role !== 'worker') continue;
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
    const mb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    most[role] = Math.max(most[role], mb);
  }
  return most;
}

async function memoryMbOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB');
  return Number(/^Pss: +(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
}

async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const TICKS_PER_SECOND = 100;
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}
