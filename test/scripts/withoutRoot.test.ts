/** The bootstrap for a user without root: it asks before it uses what sudo would let it. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { BOOTSTRAP, bin, ended, installed, program, root, useBareMachine } from './bareMachine.ts';

useBareMachine();

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { gid: NOBODY, uid: NOBODY } : {};
const mayBeUser =
  spawnSync(process.execPath, ['--version'], asUser).status === 0 && existsSync('/usr/bin/script');
if (!mayBeUser)
  console.warn('SKIPPED: a user without root needs leave to run this Node, and script');

describe.skipIf(!mayBeUser)('Redis, for a user without root', () => {
  const MISSING =
    'bootstrap: redis-server is missing. Install it as root, by sudo, with apt-get? [Y/n]';
  const calls = () => existsSync(join(root, 'sudo-calls'));

  beforeEach(() => {
    installed();
    program('apt-get', 'exit 1');
    if (isRoot) for (const path of ['', 'bin', '.cache']) own(path);
  });

  function own(path: string): void {
    mkdirSync(join(root, path), { recursive: true });
    chownSync(join(root, path), NOBODY, NOBODY);
  }

  /** A sudo that asks no password: `-n true` finds out, the rest installs. */
  function sudoWithoutPassword(): void {
    program(
      'sudo',
      `[ "$2" = true ] && exit 0
echo "$@" > '${root}/sudo-calls'; cp '${bin}/cat' '${bin}/redis-server'`,
    );
  }

  const environment = { PATH: '', npm_lifecycle_event: 'prestart' };
  const run = (more: Record<string, string> = {}) =>
    ended(
      spawn(process.execPath, [join(root, BOOTSTRAP)], {
        ...asUser,
        env: { ...environment, PATH: bin, ...more },
      }),
    );

  /** In a terminal, where somebody types the answer. */
  async function runInTerminal(answer: string) {
    const command = `'${process.execPath}' '${join(root, BOOTSTRAP)}'`;
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      ...asUser,
      env: { ...environment, PATH: bin, SHELL: '/bin/sh' },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const before = shown;
      shown += chunk;
      if (!before.includes(MISSING) && shown.includes(MISSING)) child.stdin.write(`${answer}\n`);
    });
    return ended(child);
  }

  test('root is used only after a yes, and never where nobody can be asked', async () => {
    sudoWithoutPassword();
    expect(await run()).toMatchObject({
      code: 1,
      text: expect.stringContaining('Redis is needed'),
    });
    expect(calls()).toBe(false);
    expect((await run({ npm_lifecycle_event: 'pretest' })).text).toContain('are skipped');
    const no = await runInTerminal('n');
    expect([no.code, no.text]).toEqual([1, expect.stringContaining('Redis is needed')]);
    expect(no.text).toContain(MISSING);
    expect(calls()).toBe(false);
    const yes = await runInTerminal('');
    expect([yes.code, yes.text]).toEqual([0, expect.stringContaining('installing redis-server')]);
    expect(calls()).toBe(true);
  });

  test('or where the environment says so', async () => {
    sudoWithoutPassword();
    expect((await run({ BOOTSTRAP_SUDO: 'yes' })).code).toBe(0);
    expect(calls()).toBe(true);
  });

  test('a sudo that asks for a password is left alone', async () => {
    program('sudo', 'exit 1');
    const { code, text } = await run({ BOOTSTRAP_SUDO: 'yes' });
    expect([code, text]).toEqual([1, expect.stringMatching(/^bootstrap: Redis is needed: /)]);
  });
});
