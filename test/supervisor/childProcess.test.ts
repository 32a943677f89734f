/** Real processes: the life of one child of the supervisor. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '#platform/clock';
import { type Child, createChild } from '../../src/supervisor/childProcess.ts';

const FILE = new URL('../fixtures/obedientChild.ts', import.meta.url);
const silent = { debug() {}, info() {}, warn() {}, error() {}, isDebug: () => false };
const children: Child[] = [];

function childWith(env: Record<string, string> = {}): Child {
  const child = createChild(
    {
      name: 'example',
      file: FILE,
      environment: () => ({ ...process.env, ...env }),
      flags: [],
      readyTimeoutMs: 20_000,
    },
    { clock: systemClock, log: silent },
  );
  children.push(child);
  return child;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

afterEach(async () => {
  for (const child of children.splice(0)) await child.stop(0);
});

test('start resolves once the child is ready, stop once it has ended', async () => {
  const child = childWith();
  const ready = await child.start();
  const pid = child.pid();
  expect(ready.port).toBe(pid);
  await child.stop(10_000);
  expect(child.pid()).toBeUndefined();
  expect(isAlive(pid ?? 0)).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'a child gives large buffers back, unless the operator has it otherwise',
  async () => {
    const [own, operators] = [childWith(), childWith({ MALLOC_MMAP_THRESHOLD_: '4096' })];
    await Promise.all([own.start(), operators.start()]);
    const environmentOf = (child: Child) => readFileSync(`/proc/${child.pid()}/environ`, 'latin1');
    expect(environmentOf(own)).toContain('MALLOC_MMAP_THRESHOLD_=131072\0');
    expect(environmentOf(operators)).toContain('MALLOC_MMAP_THRESHOLD_=4096\0');
  },
);

test('a child that ends before it was ready fails the start and is not started again', async () => {
  const child = childWith({ CHILD_FAILS: '1' });
  await expect(child.start()).rejects.toThrow('exit code 3');
  expect(child.pid()).toBeUndefined();
});

test('a child that is killed later comes back as another process', async () => {
  const child = childWith();
  await child.start();
  const first = child.pid() ?? 0;
  process.kill(first, 'SIGKILL');
  await vi.waitUntil(() => child.pid() !== undefined && child.pid() !== first, { timeout: 20_000 });
  await child.stop(10_000);
  expect(child.pid()).toBeUndefined();
});

test('a signal of the terminal does not end a child, the supervisor does', async () => {
  const child = childWith();
  await child.start();
  const pid = child.pid() ?? 0;
  process.kill(pid, 'SIGINT');
  process.kill(pid, 'SIGTERM');
  expect(isAlive(pid)).toBe(true);
  await child.stop(10_000);
  expect(isAlive(pid)).toBe(false);
});

test('a child that lingers is hurried by a second request and killed after its grace', async () => {
  const hurried = childWith({ CHILD_LINGERS: '1' });
  await hurried.start();
  const stopped = hurried.stop(30_000);
  hurried.hurry();
  await stopped;
  const killed = childWith({ CHILD_LINGERS: '1' });
  await killed.start();
  await killed.stop(100);
  expect(killed.pid()).toBeUndefined();
});
