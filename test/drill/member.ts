/**
 * One process of the product: started from dist/ as operators do without the supervisor, killed as
 * drills do, started again. What it logs is read for what must never stand there.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_ENVIRONMENT } from '#platform/allocator';
import { WORKER_FLAGS } from '#platform/heapGrowth';

export const ROOT = join(import.meta.dirname, '../..');
const START_MS_MAX = 120_000;
const POLL_MS = 50;
const KIBIBYTES_PER_MB = 1024;
const TICKS_PER_S = 100;
/** As the image has them (docker/Dockerfile, docker/compose.yaml). */
const FLAGS = ['--disable-proto=delete', '--disable-warning=ExperimentalWarning'];
const CLOCK = new URL('./clockAhead.ts', import.meta.url).href;

/** Whether a process may have a host name of its own, so that others take it for another host. */
export const mayNameHosts =
  spawnSync('unshare', ['--map-root-user', '--uts', 'hostname', 'drill-try']).status === 0;

export interface MemberOptions {
  readonly role: 'gateway' | 'worker';
  readonly name: string;
  /** Where it answers probes; a gateway everything else as well. */
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** On a host of its own, as far as the product can tell. */
  readonly isElsewhere?: boolean;
  /** Milliseconds that its wall clock is ahead. */
  readonly clockAheadMs?: number;
}

export class Member {
  readonly options: MemberOptions;
  readonly origin: string;
  /** Times it ended though nobody killed it. */
  deaths = 0;
  /** Lines of level error, by their message. */
  readonly errors = new Map<string, number>();
  #process: ChildProcess | undefined;
  #isMeant = false;

  constructor(options: MemberOptions) {
    this.options = options;
    this.origin = `http://127.0.0.1:${options.port}`;
  }

  get pid(): number {
    assert(this.#process?.pid !== undefined, `${this.options.name} runs`);
    return this.#process.pid;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  start(): void {
    const { clockAheadMs = 0, env, isElsewhere, name, port, role } = this.options;
    const preload = clockAheadMs === 0 ? [] : ['--import', CLOCK];
    const flags = role === 'worker' ? [...FLAGS, ...WORKER_FLAGS] : FLAGS;
    const node = [process.execPath, ...flags, ...preload, `dist/app/${role}/main.js`];
    const host = ['unshare', '--map-root-user', '--uts', 'sh', '-c', 'hostname "$0"; exec "$@"'];
    const [file = '', ...args] = isElsewhere === true ? [...host, name, ...node] : node;
    this.#isMeant = false;
    this.#process = spawn(file, args, {
      cwd: ROOT,
      env: {
        ...ALLOCATOR_ENVIRONMENT,
        ...env,
        CLOCK_AHEAD_MS: `${clockAheadMs}`,
        [role === 'gateway' ? 'PORT' : 'METRICS_PORT']: `${port}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process.once('exit', () => {
      if (!this.#isMeant) this.deaths += 1;
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => this.#read(line));
    }
  }

  async ready(): Promise<void> {
    const until = performance.now() + START_MS_MAX;
    while (performance.now() < until) {
      assert(this.isRunning, `${this.options.name} ended: ${[...this.errors.keys()].join('; ')}`);
      const status = await statusOf(`${this.origin}/readyz`);
      if (status === 200) return;
      await delay(POLL_MS);
    }
    assert.fail(`${this.options.name} was not ready after ${START_MS_MAX} ms`);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning || this.#process === undefined) return;
    this.#isMeant = true;
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    await ended;
  }

  /** At once, and without a look. */
  kill(): void {
    if (this.isRunning) this.#process?.kill('SIGKILL');
  }

  async killAndRestart(): Promise<void> {
    await this.end('SIGKILL');
    this.start();
    await this.ready();
  }

  /** Resident megabytes; 0 while it does not run. */
  memoryMb(): number {
    if (!this.isRunning) return 0;
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / KIBIBYTES_PER_MB;
  }

  /** Seconds of processor that it has used. */
  cpuSeconds(): number {
    return this.#seconds(`/proc/${this.pid}/stat`);
  }

  /** Seconds that its main thread has used. */
  mainThreadSeconds(): number {
    return this.#seconds(`/proc/${this.pid}/task/${this.pid}/stat`);
  }

  #seconds(path: string): number {
    const stat = readFileSync(path, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
  }

  /** One of its own figures; undefined where it has none of that name. */
  async figure(name: string): Promise<number | undefined> {
    const text = await fetch(`${this.origin}/metrics`).then((response) => response.text());
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  /** Lines that are no JSON come from Node itself, and are about its end. */
  #read(line: string): void {
    const message = errorOf(line);
    if (message !== undefined) this.errors.set(message, (this.errors.get(message) ?? 0) + 1);
  }
}

function errorOf(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() === '' ? undefined : line;
  const { code, error, level, msg } = JSON.parse(line) as {
    readonly level: string | number;
    readonly msg?: string;
    readonly code?: string;
    readonly error?: unknown;
  };
  if (level !== 'error' && level !== 50) return undefined;
  return [msg, code, error === undefined ? undefined : JSON.stringify(error).slice(0, 300)]
    .filter((part) => part !== undefined)
    .join(' ');
}

async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0, // nobody listens
  );
}

export const pathOf = (relative: string): string =>
  fileURLToPath(new URL(relative, import.meta.url));
