/** What the supervisor checks and leaves before any child runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureCredentials, refreshFirstRun } from '../../src/supervisor/firstRun.ts';
import { lockInstallation } from '../../src/supervisor/installationLock.ts';
import { claimPort } from '../../src/supervisor/port.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the installation lock', () => {
  test('a second installation on one directory is refused, a later one is not', () => {
    const data = join(folder, 'data');
    const lock = lockInstallation(data);
    expect(() => lockInstallation(data)).toThrow(/DATA_DIR: .* runs already/);
    lock.release();
    lockInstallation(data).release();
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  test('a killed process leaves no lock behind', () => {
    const script = `import { lockInstallation } from './src/supervisor/installationLock.ts';
      lockInstallation(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL');`;
    const run = (): Buffer =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
    expect(run).toThrow();
    lockInstallation(folder).release();
  });

  test('a directory that cannot be made is a sentence', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => lockInstallation(join(file, 'data'))).toThrow(/DATA_DIR: expected a directory/);
    expect(() => lockInstallation(file)).toThrow(/DATA_DIR: expected a directory/);
  });

  test.runIf(process.platform === 'linux')('a file system that takes none is one too', () => {
    expect(() => lockInstallation('/proc/nowhere/data')).toThrow(/DATA_DIR: expected a directory/);
  });
});

describe('the port', () => {
  test('a port in use is named with what to do', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    await expect(claimPort({ host: '127.0.0.1', port })).rejects.toThrow(
      `PORT: cannot listen on 127.0.0.1:${port}: another program listens there`,
    );
    await new Promise((resolve) => server.close(resolve));
    await expect(claimPort({ host: '127.0.0.1', port })).resolves.toBe(port);
  });

  test('a host of another machine is named', async () => {
    await expect(claimPort({ host: '192.0.2.1', port: 1 })).rejects.toThrow('HOST is no address');
  });

  test('port 0 takes a free one', async () => {
    expect(await claimPort({ host: '127.0.0.1', port: 0 })).toBeGreaterThan(1023);
  });
});

describe('first-run.json', () => {
  const made = { tenantId: 't-1', apiKey: 'cp_test_x' };
  const options = (over: object = {}) => ({
    dataDir: folder,
    origin: 'http://127.0.0.1:8080',
    hasTenants: async () => false,
    makeCredentials: async () => made,
    ...over,
  });

  test('is readable by its owner alone and made once', async () => {
    const first = await ensureCredentials(options());
    const file = join(folder, 'first-run.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(first);
    expect(first).toMatchObject({ base_url: 'http://127.0.0.1:8080/v1', tenant_id: 't-1' });
    const again = await ensureCredentials(
      options({ makeCredentials: () => Promise.reject(new Error('made twice')) }),
    );
    expect(again).toEqual(first);
  });

  test('a crash before it was written makes it at the next start', async () => {
    const crash = options({ makeCredentials: () => Promise.reject(new Error('crash')) });
    await expect(ensureCredentials(crash)).rejects.toThrow('crash');
    expect(existsSync(join(folder, 'first-run.pending'))).toBe(true);
    const next = await ensureCredentials(options({ hasTenants: async () => true }));
    expect(next?.api_key).toBe('cp_test_x');
    expect(existsSync(join(folder, 'first-run.pending'))).toBe(false);
  });

  test('is not made again in an installation whose owner removed it', async () => {
    expect(await ensureCredentials(options({ hasTenants: async () => true }))).toBeUndefined();
  });

  test('follows the address', async () => {
    const first = await ensureCredentials(options());
    if (first === undefined) throw new Error('not made');
    const moved = refreshFirstRun(folder, first, 'http://127.0.0.1:9090');
    expect(moved.curl).toContain('http://127.0.0.1:9090/v1/sanctions/screen');
    expect(JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'))).toEqual(moved);
  });

  test('its line is one that a shell takes as it stands', async () => {
    const first = await ensureCredentials(options());
    const script = `curl() { for a in "$@"; do printf '%s\\n' "$a"; done; }; ${first?.curl}`;
    for (const shell of ['bash', 'sh']) {
      const words = execFileSync(shell, ['-c', script], { encoding: 'utf8' }).trim().split('\n');
      expect(words).toContain('X-API-Key: cp_test_x');
      expect(words.join('\n')).toMatch(/Idempotency-Key: [0-9a-fA-F-]{36}$/m);
      expect(JSON.parse(words.at(-1) ?? '')).toHaveProperty('name');
    }
  });
});
