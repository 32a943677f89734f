/** A pool whose threads die, and whose next ones cannot start, works on. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { expect, test } from 'vitest';
import { keepAlive } from '#platform/threadRevival';

test('a task that waits for a thread that could not start gets another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fragile-'));
  const starts = join(folder, 'starts');
  const pool = new Piscina<string, string>({
    env: { ...process.env, FRAGILE_STARTS: starts },
    filename: new URL('./fragileThread.ts', import.meta.url).href,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxThreads: 1,
    minThreads: 1,
    name: 'answer',
  });
  keepAlive(pool, () => pool.run('nothing'));
  try {
    await expect(pool.run('die')).rejects.toThrow('exited with code: 1');
    await expect(pool.run('next')).resolves.toBe('next');
    await expect(pool.run('and on')).resolves.toBe('and on');
    expect(readFileSync(starts, 'utf8')).toBe('...');
  } finally {
    await pool.destroy();
    rmSync(folder, { recursive: true });
  }
});
