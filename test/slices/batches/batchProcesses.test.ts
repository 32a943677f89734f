/** Batches by the command line alone, in processes of their own, with a real worker beside them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const DEMO = join(ROOT, 'config/demo/entities.jsonl');
const WORKER = join(ROOT, 'test/slices/batches/batchWorkerProcess.ts');
const SUBJECTS = 2_500;

describe('batches by the command line', { timeout: 120_000 }, () => {
  let folder = '';
  let tenant = '';
  let worker: ChildProcess | undefined;

  const start = (script: string, words: readonly string[], stdio: 'ipc' | 'ignore') =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...words], {
      // The test runner has a BASE_URL of its own.
      env: { ...process.env, BASE_URL: '', DATA_DIR: join(folder, 'data'), ENGINE_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'pipe', stdio],
    });
  async function cli(...words: string[]) {
    const child = start(join(ROOT, 'src/app/cli/main.ts'), words, 'ignore');
    let [out, err] = ['', ''];
    child.stdout?.on('data', (text) => {
      out += text;
    });
    child.stderr?.on('data', (text) => {
      err += text;
    });
    const [code] = await once(child, 'close');
    return { code, err, out };
  }
  const json = async (...words: string[]) => {
    const ran = await cli(...words, '--json');
    expect(ran).toMatchObject({ code: 0, err: '' });
    return JSON.parse(ran.out);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'batch-cli-'));
    const rows = Array.from({ length: SUBJECTS }, (_, at) => `c-${at},Anne Number ${at}\n`);
    const csv = `external_id,full_name\n${rows.join('')}`;
    writeFileSync(join(folder, 'customers.csv'), csv);
    writeFileSync(join(folder, 'customers.csv.gz'), gzipSync(csv));
    writeFileSync(join(folder, 'empty.csv'), 'external_id,full_name\n');
    ({ tenant_id: tenant } = await json('tenant', 'create', '--name', 'Bank', '--sandbox'));
    await json('list', 'import', '--source', 'DEMO', '--file', DEMO);
  });
  afterAll(async () => {
    if (worker?.exitCode === null) {
      const gone = once(worker, 'exit');
      worker.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { force: true, recursive: true });
  });

  test('what would be refused is refused before there is a batch', async () => {
    const empty = await cli('batch', 'submit', join(folder, 'empty.csv'));
    expect(empty).toMatchObject({ code: 4, out: '' });
    expect(empty.err).toContain('csv-invalid: expected rows after the header');
    const alone = await cli('batch', 'submit', join(folder, 'customers.csv'), '--mode', 'newlist');
    expect(alone).toMatchObject({ code: 4, out: '' });
    expect(alone.err).toContain('batch-base-missing');
    expect(await json('batch', 'list')).toEqual({ batches: [] });
  });

  test('a batch waits for a worker, is looked at, and canceled', async () => {
    const file = join(folder, 'customers.csv.gz');
    const made = await json('batch', 'submit', file, '--lists', 'DEMO', '--no-pep');
    expect(made).toMatchObject({
      status: 'queued',
      subjects_total: SUBJECTS,
      tenant_id: tenant,
    });
    const status = await json('batch', 'status', '--batch', made.batch_id);
    expect(status).toMatchObject({
      batch_id: made.batch_id,
      include_adverse_media: true,
      include_pep: false,
      lists: ['DEMO'],
      mode: 'full',
      name: 'customers',
      progress_pct: 0,
      requested_by: expect.stringMatching(/^cli:/),
      source_ref: 'customers.csv.gz',
    });
    const listed = await cli('batch', 'list', '--tenant', tenant);
    expect(listed.out).toMatch(new RegExp(`^${made.batch_id} +customers +full +queued`, 'm'));
    const canceled = await json('batch', 'cancel', '--batch', made.batch_id);
    expect(canceled).toMatchObject({ status: 'canceled' });
  });

  test('with a worker it is done while one waits, in lines without a terminal', async () => {
    worker = start(WORKER, [], 'ipc');
    await Promise.race([once(worker, 'message'), once(worker, 'exit')]);
    const file = join(folder, 'customers.csv');
    const ran = await cli('batch', 'submit', file, '--name', 'weekly', '--wait');
    expect(ran.err).toMatch(/^[0-9a-f-]{36}: it goes on if you stop waiting\n/);
    expect(ran.err).not.toContain('\u001b');
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^ +status +completed$/m);
    expect(ran.out).toMatch(/^ +progress +100 %, 2500 of 2500 subjects$/m);
    const { batches } = await json('batch', 'list', '--status', 'completed');
    expect(batches).toMatchObject([{ name: 'weekly', progress_pct: 100 }]);
  });
});
