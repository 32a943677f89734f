/**
 * A disk that is full for a while: `npm start` on a small file system of its own, which a user may
 * make within a namespace. Requests are refused while it is full, and nothing is damaged.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../bench/product.ts';
import { until } from './cluster.ts';
import { ROOT } from './member.ts';
import type { Findings } from './row.ts';

const run = promisify(execFile);
const DISK = '96m';
const NAMESPACE = ['--map-root-user', '--mount'];
const FULL_MS = { short: 2_000, whole: 20_000 };
const mayMount =
  spawnSync('unshare', [...NAMESPACE, 'sh', '-c', 'mount -t tmpfs drill /mnt']).status === 0;

interface FirstRun {
  readonly api_key: string;
  readonly origin: string;
  readonly tenant_id: string;
}

export async function fullDisk(findings: Findings, isShort: boolean): Promise<void> {
  if (!mayMount) {
    findings.tell('a full disk', 'SKIPPED: no file system can be mounted in a namespace');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'compliance-drill-disk-'));
  const port = await freePort();
  const mount = `mount -t tmpfs -o size=${DISK} drill "$0"; exec "$@"`;
  const product = [process.execPath, '--disable-warning=ExperimentalWarning', 'dist/main.js'];
  const { HOME = '', PATH = '' } = process.env;
  const env = { DATA_DIR: folder, HOME, LOG_LEVEL: 'error', PATH, PORT: `${port}` };
  const child = spawn('unshare', [...NAMESPACE, 'sh', '-c', mount, folder, ...product], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  try {
    const { pid } = child;
    assert(pid !== undefined);
    const within = `/proc/${pid}/root${folder}`;
    // All of it: a process that cannot write as it starts is a start that fails, and says so.
    await until('it is ready', () => {
      assert(child.exitCode === null, 'it ended');
      return said.includes('Ctrl-C stops');
    });
    const first = JSON.parse(readFileSync(join(within, 'first-run.json'), 'utf8')) as FirstRun;
    await press({ findings, first, isShort, within });
    const enter = ['-t', `${pid}`, '-U', '-m', '--preserve-credentials', '-w'];
    const cli = [process.execPath, '--disable-warning=ExperimentalWarning', 'dist/app/cli/main.js'];
    const out = join(folder, 'evidence.jsonl');
    const words = async (...args: string[]): Promise<string> =>
      (await run('nsenter', [...enter, ...cli, ...args], { cwd: ROOT, env })).stdout;
    await words('audit', 'export', '--tenant', first.tenant_id, '--out', out);
    await words('keys', 'public', '--out', `${out}.keys`);
    const report = await words('audit', 'verify', '--file', out, '--keys', `${out}.keys`);
    findings.judge('the chain verifies', report.split('\n', 1).join(), report.startsWith('good'));
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { force: true, recursive: true });
  }
}

async function press({
  findings,
  first,
  isShort,
  within,
}: {
  readonly findings: Findings;
  readonly first: FirstRun;
  readonly isShort: boolean;
  readonly within: string;
}): Promise<void> {
  const ballast = join(within, 'ballast');
  const before = await screen(first);
  fill(ballast);
  const statuses = new Map<number, number>();
  const endMs = performance.now() + FULL_MS[isShort ? 'short' : 'whole'];
  while (performance.now() < endMs) {
    const status = await screen(first);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await delay(100);
    if (existsSync(ballast)) fill(ballast); // what was freed meanwhile
  }
  const told = [...statuses].map(([status, count]) => `${count} × ${status}`).join('; ');
  const isRefused = [...statuses.keys()].every((status) => [200, 429, 503, 507].includes(status));
  findings.judge('a full disk refuses and breaks nothing', told, before === 200 && isRefused);
  rmSync(ballast, { force: true });
  const backMs = await until('it answers again', async () => (await screen(first)) === 200);
  findings.judgeSpeed('it answers once there is room', `${backMs.toFixed(0)} ms`, backMs < 15_000);
}

/** Writes until the disk takes no more, down to its last block. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (const bytes of [1_048_576, 4_096, 512]) fillBy(file, Buffer.alloc(bytes, 'x'));
  closeSync(file);
}

function fillBy(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    if (!isFull) throw error;
  }
}

async function screen({ api_key, origin }: FirstRun): Promise<number> {
  return fetch(`${origin}/v1/sanctions/screen`, {
    body: JSON.stringify({ name: 'Anna Berg' }),
    headers: {
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      'x-api-key': api_key,
    },
    method: 'POST',
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}
