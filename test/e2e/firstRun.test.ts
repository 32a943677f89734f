/**
 * From nothing to a screening and back: what a newcomer sees, in the order in which they see it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lockInstallation } from '../../src/supervisor/installationLock.ts';
import {
  type Acknowledged,
  cleanUp,
  type FirstRun,
  isAlive,
  isRedisHere,
  NPM_COMMAND,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

const UNTIL = { interval: 500, timeout: 120_000 };

describe.skipIf(!isRedisHere)('a first run', () => {
  let product: Product;
  let first: FirstRun;
  let dataDir = '';

  beforeAll(async () => {
    dataDir = join(newFolder(), 'data');
    product = startProduct(dataDir);
    first = await product.ready();
  });
  afterAll(cleanUp);

  test('prints the key and the line that first-run.json holds, readable by its owner alone', () => {
    expect(product.stdout).toContain(first.api_key);
    expect(product.stdout).toContain(`\n${first.curl}\n`);
    expect(first.base_url).toBe(`${first.origin}/v1`);
    expect(statSync(join(dataDir, 'first-run.json')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test('prints a link to the console, and keeps it in no file; another one is made', async () => {
    const printed = product.stdout.match(/^ {2}Console {3}(\S+)$/m)?.[1] ?? '';
    expect(printed.startsWith(`${first.origin}/console/#start=`)).toBe(true);
    expect(readFileSync(join(dataDir, 'first-run.json'), 'utf8')).not.toContain('#start=');
    const page = await fetch(`${first.origin}/console/`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const port = new URL(first.origin).port;
    const ask = ['console', 'link', '--tenant', first.tenant_id, '--port', port, '--json'];
    const made = JSON.parse((await product.cli(...ask)).stdout) as { url: string };
    expect(made.url.startsWith(`${first.origin}/console/#start=`)).toBe(true);
    expect(made.url).not.toBe(printed);
  });

  test('its line, pasted twice, finds the listed name twice', () => {
    const answers = [1, 2].map(
      () =>
        JSON.parse(execFileSync('bash', ['-c', first.curl], { encoding: 'utf8' })) as Acknowledged,
    );
    expect(answers.map(({ decision }) => decision)).toEqual(
      Array(2).fill('MATCH_DIRECT_SANCTIONS'),
    );
    expect(new Set(answers.map((answer) => answer.screening_id)).size).toBe(2);
  });

  test('invented payments raise alerts that the next command shows', async () => {
    const tenant = ['--tenant', first.tenant_id];
    const rulesOf = async () => {
      const listed = await product.cli('alert', 'list', ...tenant, '--status', 'open', '--json');
      const { alerts } = JSON.parse(listed.stdout) as { alerts: { rule_id: string | null }[] };
      return alerts.flatMap(({ rule_id }) => rule_id ?? []).sort();
    };
    const demo = await product.cli('transactions', 'demo', ...tenant, '--json');
    expect(demo.code, demo.stderr).toBe(0);
    expect(JSON.parse(demo.stdout)).toMatchObject({ alert_raised: true, listed: 3 });
    // A party and a bank that are listed, and whom a text names.
    const rules = ['TM-SAN-01', 'TM-SAN-01', 'TM-SAN-02'];
    await vi.waitFor(async () => expect(await rulesOf()).toEqual(rules), UNTIL);
  }, 120_000);

  test('a second installation on the directory or the port is refused in a sentence', async () => {
    const second = await startProduct(dataDir).ended;
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/^DATA_DIR: .* runs already; stop that one/m);
    const port = new URL(first.origin).port;
    const other = await startProduct(join(newFolder(), 'data'), { PORT: port }).ended;
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`PORT: cannot listen on 127.0.0.1:${port}`);
  });

  test('wrong variables stop the start, all of them named', async () => {
    const wrong = { ENGINE_THREADS: '0', LOG_LEVEL: 'loud' };
    const ended = await startProduct(join(newFolder(), 'data'), wrong).ended;
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("ENGINE_THREADS: expected an integer 1..64, got '0'");
    expect(ended.stderr).toContain('LOG_LEVEL: expected');
  });

  test('a file that a variable names and that is not there stops the start', async () => {
    const wrong = { TLS_CERT_FILE: '/nowhere/cert.pem', TLS_KEY_FILE: '/nowhere/key.pem' };
    const tls = await startProduct(join(newFolder(), 'data'), wrong).ended;
    expect(tls).toEqual({
      code: 2,
      stderr:
        'TLS_CERT_FILE: expected a certificate as PEM, got ENOENT at /nowhere/cert.pem\n' +
        'TLS_KEY_FILE: expected a private key as PEM, got ENOENT at /nowhere/key.pem\n',
    });
    const noKey = { AUDIT_SIGNING_KEY_FILE: '/nowhere/audit.pem' };
    const signing = await startProduct(join(newFolder(), 'data'), noKey).ended;
    expect(signing.code).toBe(2);
    const problem =
      'AUDIT_SIGNING_KEY_FILE: expected an Ed25519 private key as PKCS#8 PEM or base64 seed, ' +
      'got ENOENT at /nowhere/audit.pem';
    // Its own line and the last one: no stack follows.
    expect(signing.stderr.trim().split('\n').at(-1)).toBe(problem);
  });

  test('the command line works beside it, in force within two seconds', async () => {
    const made = await product.cli(
      'key',
      'create',
      '--tenant',
      first.tenant_id,
      '--roles',
      'agent_l1',
      '--scopes',
      'screening:write, lists:read',
      '--json',
    );
    expect(made.stderr).toBe('');
    const key = JSON.parse(made.stdout) as { api_key: string; key_id: string };
    const withKey = { ...first, api_key: key.api_key };
    expect((await screen(withKey, 'Nobody Atall'))?.status).toBe(200);
    const batches = await fetch(`${first.base_url}/aml/batches`, {
      headers: { 'X-API-Key': key.api_key },
    });
    expect([batches.status, await batches.json()]).toMatchObject([
      403,
      { code: 'scope-insufficient' },
    ]);
    expect((await product.cli('key', 'revoke', key.key_id)).code).toBe(0);
    const status = async () => (await screen(withKey, 'Nobody Atall'))?.status;
    await vi.waitFor(async () => expect(await status()).toBe(401), {
      interval: 100,
      timeout: 30_000,
    });
    const doctor = await product.cli('doctor');
    expect(doctor.stdout).not.toContain('BAD');
    expect(doctor.code).toBe(0);
  });

  test('Ctrl-C ends every process with exit code 0, and the next start has the data', async () => {
    const before = await screen(first, 'Tarek Velmorani');
    const children = Object.values(await product.children());
    expect(children.every(isAlive)).toBe(true);
    expect((await product.interrupt()).code).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);

    product = startProduct(dataDir);
    const again = await product.ready();
    expect(again.api_key).toBe(first.api_key);
    const url = `${again.base_url}/sanctions/screenings/${before?.body.screening_id}/audit`;
    const response = await fetch(url, { headers: { 'X-API-Key': again.api_key } });
    const evidence = (await response.json()) as { event: { hash: string } };
    expect(evidence.event.hash).toBe(before?.body.audit.hash);
  });

  test('npm starts what is built; a service manager’s signal to it reaches all', async () => {
    const data = join(newFolder(), 'data');
    // A process that met a type would end.
    const noTypes = { NODE_OPTIONS: '--no-experimental-strip-types' };
    const byNpm = startProduct(data, noTypes, NPM_COMMAND);
    const npmFirst = await byNpm.ready();
    const { origin } = npmFirst;
    const found = await screen(npmFirst, 'Tarek Velmorani');
    expect(found?.body.decision).toBe('MATCH_DIRECT_SANCTIONS');
    const tenants = await byNpm.npmCli('tenant', 'list');
    expect(tenants.code, tenants.stderr).toBe(0);
    expect(tenants.stdout).toContain(npmFirst.tenant_id);
    byNpm.process.kill('SIGTERM');
    await byNpm.ended;
    // The directory's lock is given back by the last process that held it.
    await vi.waitFor(() => expect(() => lockInstallation(data).release()).not.toThrow(), 10_000);
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
  });

  test('evidence leaves as a file and verifies; a changed byte is found', async () => {
    const out = join(newFolder(), 'evidence.jsonl');
    const keys = `${out}.keys`;
    await product.cli('audit', 'export', '--tenant', first.tenant_id, '--out', out);
    await product.cli('keys', 'public', '--out', keys);
    const good = await product.cli('audit', 'verify', '--file', out, '--keys', keys);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(out, readFileSync(out, 'utf8').replace('"MATCH_', '"NATCH_'));
    const bad = await product.cli('audit', 'verify', '--file', out, '--keys', keys, '--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      first_bad: { reason: 'hash-mismatch' },
      ok: false,
    });
  });
});
