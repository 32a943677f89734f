/**
 * The product as a user starts it: real processes, a real Redis, a data directory of its own, a
 * free port. Its process group is its own as well, so that a Ctrl-C can be given to it as a
 * terminal would.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** A backstop: a busy machine takes a minute. */
const START_MS_MAX = 200_000;
const run = promisify(execFile);
/**
 * A user's shell, without what a test runner adds to it (vitest sets BASE_URL) but for one thing:
 * NODE_OPTIONS spare each process half a second of taking types out (test/strippedModules.mjs).
 */
const MACHINE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|TMPDIR|LANG|NODE_OPTIONS)$/.test(name),
  ),
);

export const isRedisHere = spawnSync('redis-server', ['--version']).status === 0;
if (!isRedisHere) console.warn('SKIPPED: end-to-end tests need a redis-server in PATH');

export interface FirstRun {
  readonly origin: string;
  readonly base_url: string;
  readonly tenant_id: string;
  readonly api_key: string;
  readonly curl: string;
}

type Command = readonly [file: string, ...args: string[]];
const NODE_COMMAND: Command = [process.execPath, join(ROOT, 'src/main.ts')];
/** As README has it: dist/, through the bootstrap. All else here runs src/ as it stands. */
export const NPM_COMMAND: Command = ['npm', 'start'];

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

export class Product {
  readonly process: ChildProcess;
  readonly dataDir: string;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  readonly #env: Readonly<Record<string, string>>;

  constructor(dataDir: string, env: Record<string, string> = {}, command = NODE_COMMAND) {
    this.dataDir = dataDir;
    this.#env = env;
    const [file, ...args] = command;
    this.process = spawn(file, args, {
      cwd: ROOT,
      detached: true,
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.process, 'exit').then(([code]) => ({ code, stderr: this.stderr }));
  }

  private environment(): Record<string, string> {
    return { ...MACHINE, DATA_DIR: this.dataDir, LOG_LEVEL: 'warn', PORT: '0', ...this.#env };
  }

  async ready(): Promise<FirstRun> {
    await vi.waitUntil(
      () => this.stdout.includes('Ctrl-C stops') || this.process.exitCode !== null,
      {
        interval: 20,
        timeout: START_MS_MAX,
      },
    );
    assert.equal(this.process.exitCode, null, `it ended: ${this.stderr}`);
    return JSON.parse(readFileSync(join(this.dataDir, 'first-run.json'), 'utf8')) as FirstRun;
  }

  /** As the terminal does: to every process of the group. */
  async interrupt(): Promise<Ended> {
    process.kill(-this.pid(), 'SIGINT');
    return this.ended;
  }

  pid(): number {
    assert(this.process.pid !== undefined);
    return this.process.pid;
  }

  /** Process ids of the supervisor's children by what they run. */
  async children(): Promise<Record<'gateway' | 'worker' | 'redis', number | undefined>> {
    const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=,args=']);
    const rows = stdout.split('\n').map((row) => /^ *(\d+) +(\d+) (.*)$/.exec(row) ?? []);
    const ours = rows.filter(([, , parent]) => Number(parent) === this.pid());
    const pidOf = (part: string): number | undefined => {
      const found = ours.find(([, , , args]) => args?.includes(part));
      return found === undefined ? undefined : Number(found[1]);
    };
    return {
      gateway: pidOf('app/gateway/main.ts'),
      redis: pidOf('redis-server'),
      worker: pidOf('app/worker/main.ts'),
    };
  }

  /** A worker that its supervisor knows nothing of, as on a host beside it. */
  addWorker(): ChildProcess {
    const worker = spawn(process.execPath, ['src/app/worker/main.ts'], {
      cwd: ROOT,
      env: this.environment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    others.push(worker);
    return worker;
  }

  cli(...words: string[]): Promise<CliEnded> {
    return runCli(this.environment(), words);
  }

  /** As README has it. */
  npmCli(...words: string[]): Promise<CliEnded> {
    return runProgram('npm', ['run', '--silent', 'cli', '--', ...words], this.environment());
  }
}

export interface CliEnded {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** On a machine that has no installation, as whoever is handed evidence. */
export const cliElsewhere = (...words: string[]): Promise<CliEnded> => runCli(MACHINE, words);

function runCli(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<CliEnded> {
  const command = ['--disable-warning=ExperimentalWarning', 'src/app/cli/main.ts', ...words];
  return runProgram(process.execPath, command, env);
}

async function runProgram(
  file: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CliEnded> {
  const child = spawn(file, words, { cwd: ROOT, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, stderr, stdout };
}

const folders: string[] = [];
const products: Product[] = [];
const others: ChildProcess[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  folders.push(folder);
  return folder;
}

export function startProduct(
  dataDir: string,
  env: Record<string, string> = {},
  command = NODE_COMMAND,
): Product {
  const product = new Product(dataDir, env, command);
  products.push(product);
  return product;
}

/** After the tests of a file: nothing of ours stays, whatever failed. */
export async function cleanUp(): Promise<void> {
  for (const product of products.splice(0)) {
    if (product.process.exitCode !== null || product.process.signalCode !== null) continue;
    product.process.kill('SIGCONT');
    product.process.kill('SIGTERM');
    await product.ended;
  }
  for (const other of others.splice(0)) {
    if (other.exitCode !== null || other.signalCode !== null) continue;
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
  for (const folder of folders.splice(0)) rmSync(folder, { force: true, recursive: true });
}

export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  const stat = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  const state = stat.stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

export interface Acknowledged {
  readonly screening_id: string;
  readonly decision: string;
  readonly audit: { readonly event_id: string; readonly seq: number; readonly hash: string };
}

/** One screening over HTTP; undefined where no answer came. */
export async function screen(
  { base_url, api_key }: FirstRun,
  name: string,
): Promise<{ status: number; body: Acknowledged } | undefined> {
  try {
    const response = await fetch(`${base_url}/sanctions/screen`, {
      body: JSON.stringify({ name }),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
        'X-API-Key': api_key,
      },
      method: 'POST',
    });
    return { body: (await response.json()) as Acknowledged, status: response.status };
  } catch {
    return undefined; // cut off: nothing was acknowledged
  }
}
