/** `completion`: what a Tab offers in each shell, from the commands that there are. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/commandLine.ts';
import { nextWords } from '../../src/cli/completion.ts';
import { COMMANDS, surroundings } from './surroundings.ts';

async function scriptFor(shell: string): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const code = await runCommandLine(['completion', shell], streams, surroundings());
  return { code, err, out };
}

function isThere(shell: string): boolean {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isInstalled) console.warn(`SKIPPED: ${shell} is not installed`);
  return isInstalled;
}

function ran(shell: string, input: string): string {
  const { status, stderr, stdout } = spawnSync(shell, [], { encoding: 'utf8', input });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
}

test('another shell is refused', async () => {
  expect(await scriptFor('csh')).toMatchObject({ code: 2, out: '' });
});

test('every command and option is in every script', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await scriptFor(shell);
    expect(code).toBe(0);
    for (const command of COMMANDS) {
      expect(out).toContain(command.words);
      for (const { name } of optionsOf(command)) expect(out).toMatch(new RegExp(`(-l |--)${name}`));
    }
  }
});

describe.skipIf(!isThere('bash'))('in bash', () => {
  async function offered(...typed: readonly string[]): Promise<string[]> {
    const { out } = await scriptFor('bash');
    const words = ['compliance', ...typed].map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _compliance`;
    return ran('bash', `${out}\n${ask}; printf '%s\\n' "\${COMPREPLY[@]}"`).split('\n');
  }

  test('nouns, verbs and options, by what was typed', async () => {
    expect(await offered('')).toEqual(nextWords(COMMANDS).get(''));
    expect(await offered('bat')).toEqual(['batch']);
    expect(await offered('batch', 's')).toEqual(['submit', 'status']);
    expect(await offered('person', 'key', '')).toEqual(['add', 'revoke']);
    expect(await offered('batch', 'hits', '--mi')).toEqual(['--min-score']);
    expect(await offered('risk', 'policy', 'sub')).toEqual(['submit']);
  });

  test('nothing behind a whole command but its options', async () => {
    expect(await offered('doctor', '')).toEqual(['']);
    expect(await offered('doctor', '--')).toEqual(['--json', '--help']);
  });

  test('files where a command takes one', async () => {
    expect(await offered('batch', 'submit', 'packag')).toContain('package.json');
  });
});

describe.skipIf(!isThere('zsh'))('in zsh', () => {
  test('the script is one that it reads', async () => {
    const { out } = await scriptFor('zsh');
    ran('zsh', `autoload -U compinit && compinit -u -D\n${out}`);
  });
});

describe.skipIf(!isThere('fish'))('in fish', () => {
  test('nouns, verbs and options, by what was typed', async () => {
    const { out } = await scriptFor('fish');
    const offered = (typed: string): string[] =>
      ran('fish', `${out}\ncomplete -C '${typed}'`)
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '');
    expect(offered('compliance bat')).toEqual(['batch']);
    expect(offered('compliance batch s')).toEqual(['status', 'submit']);
    expect(offered('compliance batch hits --mi')).toEqual(['--min-score']);
  });
});
