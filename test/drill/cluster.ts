/**
 * Gateways and workers over one store, on loopback: Redis of their own, SQLite or a MongoDB, the
 * command line beside them. Everything is gone after `stop`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ofacFile } from '../../bench/data.ts';
import { buildProduct, freePort } from '../../bench/product.ts';
import { STALENESS_MS_MAX } from '../../src/core/identity/freshCache.ts';
import { startOwnRedis } from '../../src/redis/ownServer.ts';
import { Member, type MemberOptions, ROOT } from './member.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const SHIPPED = 'config/demo/entities.jsonl';
/** A user's shell. */
const MACHINE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PATH|HOME|TMPDIR|LANG)$/.test(name)),
) as Record<string, string>;

export interface ClusterOptions {
  readonly gateways: number;
  readonly workers: number;
  /** With a database; absent: the embedded store. */
  readonly mongodbUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Further options of the gateway or worker of this name (`gateway-1`). */
  readonly member?: (name: string) => Partial<MemberOptions>;
}

export interface Customer {
  readonly tenantId: string;
  readonly apiKey: string;
}

export const RAISED: readonly string[] = [
  'limits.burst=1000000',
  'limits.requests_per_second=1000000',
  'limits.screening_per_second=1000000',
  'limits.screening_per_minute_per_user=60000000',
];

export class Cluster {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly gateways: Member[] = [];
  readonly workers: Member[] = [];
  readonly redis: Awaited<ReturnType<typeof startOwnRedis>>;
  readonly #folder: string;

  private constructor(folder: string, redis: Cluster['redis'], options: ClusterOptions) {
    this.#folder = folder;
    this.redis = redis;
    this.dataDir = join(folder, 'data');
    this.env = {
      ...MACHINE,
      DATA_DIR: this.dataDir,
      LOG_LEVEL: 'warn',
      REDIS_URL: `unix://${redis.address.socketPath}`,
      ...(options.mongodbUrl !== undefined && { MONGODB_URL: options.mongodbUrl }),
      ...options.env,
    };
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    await buildProduct();
    const folder = await mkdtemp(join(tmpdir(), 'compliance-drill-'));
    const redis = await startOwnRedis({ directory: join(folder, 'redis'), log: () => undefined });
    const cluster = new Cluster(folder, redis, options);
    process.once('exit', cluster.#leave);
    try {
      await cluster.#prepare(options);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #prepare(options: ClusterOptions): Promise<void> {
    await this.cli('list', 'import', '--source', 'DEMO', '--file', SHIPPED);
    const add = async (role: MemberOptions['role'], number: number): Promise<Member> => {
      const name = `${role}-${number}`;
      const port = await freePort();
      const member = new Member({ env: this.env, name, port, role, ...options.member?.(name) });
      member.start();
      return member;
    };
    for (let number = 1; number <= options.gateways; number++) {
      this.gateways.push(await add('gateway', number));
    }
    for (let number = 1; number <= options.workers; number++) {
      this.workers.push(await add('worker', number));
    }
    await Promise.all(this.members.map((member) => member.ready()));
  }

  get members(): readonly Member[] {
    return [...this.gateways, ...this.workers];
  }

  /** OFAC's published list where it is at hand, else what ships; says which. */
  async importRealList(): Promise<string> {
    const file = await ofacFile();
    if (file === undefined) return 'the shipped list';
    await this.cli('list', 'import', '--source', 'OFAC_SDN', '--file', file);
    return 'OFAC SDN and the shipped list';
  }

  /** A tenant with a key of these roles. */
  async customer(
    name: string,
    { isLive = false, roles = 'admin,dsi_admin', settings = [] as readonly string[] } = {},
  ): Promise<Customer> {
    const kind = isLive ? [] : ['--sandbox'];
    const tenant = await this.json<{ tenant_id: string }>(
      'tenant',
      'create',
      '--name',
      name,
      ...kind,
    );
    const tenantId = tenant.tenant_id;
    if (settings.length > 0) await this.cli('tenant', 'set', tenantId, ...settings);
    const words = ['--tenant', tenantId, '--roles', roles, ...kind];
    const { api_key: apiKey } = await this.json<{ api_key: string }>('key', 'create', ...words);
    // Until then a gateway may hold the former limits.
    if (settings.length > 0) await delay(STALENESS_MS_MAX);
    return { apiKey, tenantId };
  }

  async cli(...words: readonly string[]): Promise<string> {
    const command = ['--disable-warning=ExperimentalWarning', 'dist/app/cli/main.js', ...words];
    const options = { cwd: ROOT, env: this.env, maxBuffer: OUTPUT_BYTES_MAX };
    const { stdout } = await run(process.execPath, command, options);
    return stdout;
  }

  async json<Body>(...words: readonly string[]): Promise<Body> {
    return JSON.parse(await this.cli(...words, '--json')) as Body;
  }

  /** A file of the drill's own, gone with it. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /** Lines of level error over all processes, each with its count. */
  errors(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const { errors } of this.members) {
      for (const [text, count] of errors) all.set(text, (all.get(text) ?? 0) + count);
    }
    return all;
  }

  /** What no process may come to by itself: its end, or a rejection that nobody handled. */
  fatalities(): readonly string[] {
    const isFatal = (text: string): boolean =>
      /unhandled|the store is lost|FATAL|^\w*Error/.test(text);
    return [
      ...this.members
        .filter(({ deaths }) => deaths > 0)
        .map(({ deaths, options }) => `${options.name} ended by itself ${deaths} times`),
      ...[...this.errors().keys()].filter(isFatal),
    ];
  }

  /** Exports and verifies a tenant's evidence: the verdict, and the export's lines. */
  async verified(tenantId: string): Promise<{ readonly report: string; readonly file: string }> {
    const file = this.file(`evidence-${crypto.randomUUID()}.jsonl`);
    await this.cli('audit', 'export', '--tenant', tenantId, '--out', file);
    await this.cli('keys', 'public', '--out', `${file}.keys`);
    const verify = ['audit', 'verify', '--file', file, '--keys', `${file}.keys`];
    const report = await this.cli(...verify).catch(
      (error: { stdout?: string; stderr?: string }) =>
        `BAD: ${error.stdout ?? ''}${error.stderr ?? ''}`,
    );
    return { file, report: report.trim().split('\n', 1).join() };
  }

  /** A drill that breaks off leaves nobody behind, nor a folder. */
  readonly #leave = (): void => {
    process.kill(this.redis.pid, 'SIGKILL');
    for (const member of this.members) member.kill();
    rmSync(this.#folder, { force: true, recursive: true });
  };

  async stop(): Promise<void> {
    process.off('exit', this.#leave);
    await Promise.all(this.members.map((member) => member.end('SIGKILL')));
    await this.redis.stop();
    await rm(this.#folder, { force: true, recursive: true });
  }
}

/** Waits for a condition; says what it waited for where it never came. */
export async function until(
  what: string,
  isReached: () => Promise<boolean> | boolean,
  ms = 120_000,
): Promise<number> {
  const startedAt = performance.now();
  while (!(await isReached())) {
    assert(performance.now() - startedAt < ms, `${what}: not within ${ms} ms`);
    await delay(20);
  }
  return performance.now() - startedAt;
}
