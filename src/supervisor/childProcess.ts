/**
 * One child of the supervisor: started, watched, started again when it dies, stopped on request.
 *
 * A child that dies before it was ever ready means a wrong installation, and the start fails with
 * it. One that dies later has crashed and is started again; the longer it had lived, the sooner.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { ALLOCATOR_ENVIRONMENT } from '#platform/allocator';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';
import type { FromChild, ToChild } from '#platform/processLife';

const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 10_000;
/** A child that lived this long is restarted quickly. */
const STABLE_MS = 30_000;

const NODE_FLAGS = ['--disable-proto=delete', '--disable-warning=ExperimentalWarning'];

export interface ChildSpec {
  /** `gateway` or `worker`, for people and logs. */
  readonly name: string;
  readonly file: URL;
  /** Flags of Node, beside those that all children have. */
  readonly flags: readonly string[];
  /** Called at every start: the port, once known, stays. */
  environment(): NodeJS.ProcessEnv;
  readonly readyTimeoutMs: number;
}

export interface Ready {
  readonly port?: number;
}

export interface Child {
  readonly name: string;
  /** Process id of the running child; undefined between two starts. */
  pid(): number | undefined;
  /** First start: resolves once the child is ready, rejects if it ends before. */
  start(): Promise<Ready>;
  /** Asks the child to stop, waits up to `graceMs`, then kills it. Resolves when it has ended. */
  stop(graceMs: number): Promise<void>;
  /** Asks a second time, which the child understands as "at once". */
  hurry(): void;
}

export function createChild(spec: ChildSpec, context: { clock: Clock; log: Log }): Child {
  return new SupervisedChild(spec, context);
}

class SupervisedChild implements Child {
  readonly name: string;
  readonly #spec: ChildSpec;
  readonly #clock: Clock;
  readonly #log: Log;
  #process: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;
  #crashes = 0;

  constructor(spec: ChildSpec, context: { clock: Clock; log: Log }) {
    this.name = spec.name;
    this.#spec = spec;
    this.#clock = context.clock;
    this.#log = context.log;
  }

  pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<Ready> {
    const life = this.#spawn();
    const first = await Promise.race([life.ready, life.ended]);
    if (typeof first === 'string') {
      throw new Error(`the ${this.name} did not start (${first}); its message is above`);
    }
    this.#watch(life.ended);
    return first;
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    this.#ask();
    const killer = setTimeout(() => {
      this.#log.error({ child: this.name }, 'did not stop in time and was killed');
      child.kill('SIGKILL');
    }, graceMs);
    await ended;
    clearTimeout(killer);
  }

  hurry(): void {
    this.#ask();
  }

  #ask(): void {
    const stop: ToChild = { type: 'stop' };
    if (this.#process?.connected === true) this.#process.send(stop, () => undefined);
  }

  #spawn(): { ready: Promise<Ready>; ended: Promise<string> } {
    assert(this.#process === undefined, `${this.name} runs already`);
    const child = fork(this.#spec.file, [], {
      env: { ...ALLOCATOR_ENVIRONMENT, ...this.#spec.environment() },
      execArgv: [...NODE_FLAGS, ...this.#spec.flags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    const ready = Promise.withResolvers<Ready>();
    const ended = Promise.withResolvers<string>();
    const late = setTimeout(() => {
      ended.resolve(`not ready after ${this.#spec.readyTimeoutMs} ms`);
      child.kill('SIGKILL');
    }, this.#spec.readyTimeoutMs);
    child.on('message', (message: FromChild) => {
      if (message.type !== 'ready') return;
      clearTimeout(late);
      ready.resolve(message);
    });
    child.once('error', (error) => ended.resolve(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(late);
      this.#process = undefined;
      ended.resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
    return { ready: ready.promise, ended: ended.promise };
  }

  #watch(ended: Promise<string>): void {
    const since = this.#clock.monotonicMs();
    void ended.then((how) => {
      if (this.#isStopping) return;
      if (this.#clock.monotonicMs() - since > STABLE_MS) this.#crashes = 0;
      const delay = Math.min(BACKOFF_MS_MIN * 2 ** this.#crashes, BACKOFF_MS_MAX);
      this.#crashes += 1;
      const fields = { child: this.name, reason: how, duration_ms: delay };
      this.#log.error(fields, 'a process ended by itself; it is started again');
      this.#restart = setTimeout(() => this.#watch(this.#spawn().ended), delay);
    });
  }
}
