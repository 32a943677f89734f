/** The grammar of the command line, and its page in docs/: no store, no process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { ConfigError } from '#platform/config';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT, EXIT_MEANINGS, readGiven, UsageError } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/commandLine.ts';
import { createOutput, table } from '../../src/cli/output.ts';
import type { CliProcess } from '../../src/slices/processes.ts';
import { COMMANDS, opened, surroundings } from './surroundings.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(line: string, open?: () => Promise<CliProcess>): Promise<Ran> {
  let [out, err] = ['', ''];
  const streams = {
    err: {
      write: (text: string) => {
        err += text;
      },
    },
    out: {
      write: (text: string) => {
        out += text;
      },
    },
  };
  const words = line.split(' ').filter(Boolean);
  const code = await runCommandLine(words, streams, surroundings({ ...(open && { open }) }));
  return { code, err, out };
}

/** An installation whose list of tenants is this, or fails with this. */
const listing = (found: readonly [] | Error) => {
  const list = async () => {
    if (found instanceof Error) throw found;
    return found;
  };
  return opened({ once: () => ({ tenants: { list } }) });
};

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
/** Said by hand, or written from the commands. */
const page = ['cli.md', 'commands.md'].map(read).join('\n');

describe('every command', () => {
  test.each(COMMANDS.map((command) => [command.words, command] as const))(
    '%s explains itself without a store, refuses what it does not know, and is documented',
    async (words, command) => {
      const help = await run(`${words} --help`);
      expect(help).toMatchObject({ code: EXIT.done, err: '' });
      for (const option of command.options ?? []) {
        expect(help.out).toContain(`--${option.name}`);
        expect(page).toContain(`--${option.name}`);
      }
      expect(page).toContain(`\`${words}`);
      const unknown = await run(`${words} --nonsense`);
      expect(unknown).toMatchObject({ code: EXIT.usage, out: '' });
      expect(unknown.err).toMatch(/^unknown option --nonsense; see .*\n$/);
    },
  );

  test('its example is one that it would take', () => {
    for (const command of COMMANDS) {
      const words = command.example.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', ''));
      const given = words?.slice(command.words.split(' ').length) ?? [];
      expect(() => readGiven(command, given), command.words).not.toThrow();
      expect(command.example.startsWith(command.words)).toBe(true);
    }
  });
});

describe('exit codes', () => {
  test('docs/cli.md and --help give the same meanings', async () => {
    const { out } = await run('--help');
    for (const [code, meaning] of Object.entries(EXIT_MEANINGS)) {
      expect(page).toContain(`| ${code} | ${meaning} |`);
      expect(out).toMatch(new RegExp(`^ +${code} +${meaning}$`, 'm'));
    }
  });

  test.each([
    ['', 0],
    ['--help', 0],
    ['-h', 0],
    ['tenant --help', 0],
    ['tenant', 2],
    ['tenant destroy', 2],
    ['nonsense', 2],
    ['tenant create', 2],
    ['tenant create --name', 2],
    ['tenant create --name --json', 2],
    ['tenant create --name a --name b', 2],
    ['tenant create --name a extra', 2],
    ['tenant create --name a --json=yes', 2],
    ['tenant set', 2],
    ['tenant set id', 2],
    ['tenant set id limits.burst', 2],
    ['tenant set id a=1 a=2', 2],
    ['key create --tenant t --roles agent_l1 --expires tomorrow', 2],
    ['person add --tenant t --name n --roles mlro --account nobar', 2],
    ['audit verify --file /nowhere --keys /nowhere', 6],
    ['list import --source DEMO --file /nowhere', 6],
  ])("'%s' ends with %i and opens no store", async (line, code) => {
    const ran = await run(line);
    expect(ran.code).toBe(code);
    expect(ran.err.split('\n').length).toBeLessThanOrEqual(2);
  });

  test('tells its version', async () => {
    const out = `${manifest.version} (Node ${process.version})\n`;
    expect(await run('--version')).toEqual({ code: EXIT.done, err: '', out });
  });

  test.each([
    ['tenant crate', "did you mean 'tenant create'"],
    ['tennant create', "unknown command 'tennant create'; did you mean 'tenant create'"],
    ['tenantcreate --name a', "did you mean 'tenant create'"],
    ['qwertyuiop', "unknown command 'qwertyuiop'; see"],
  ])("'%s' is told what is near", async (line, told) => {
    expect((await run(line)).err).toContain(told);
  });

  test('a wrong variable, or a file that one names, is one sentence and 5', async () => {
    const problem = 'AUDIT_SIGNING_KEY_FILE: expected a key, got ENOENT at /nowhere';
    const ran = await run('tenant list', () => Promise.reject(new ConfigError([problem])));
    expect(ran).toMatchObject({ code: 5, err: `${problem}\n`, out: '' });
  });

  test.each([
    ['not-found', EXIT.notFound],
    ['list-unknown', EXIT.notFound],
    ['store-unavailable', EXIT.unavailable],
    ['setting-invalid', EXIT.refused],
    ['state-conflict', EXIT.refused],
  ] as const)('%s ends with its code and says so in a sentence', async (code, expected) => {
    const ran = await run('tenant list', listing(new DomainError(code, { detail: 'because' })));
    expect(ran).toMatchObject({ code: expected, err: `${code}: because\n`, out: '' });
  });

  test('a full disk is one sentence and 5', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const ran = await run('tenant list', listing(full));
    expect(ran).toMatchObject({ code: 5, err: 'storage-full: the disk is full\n', out: '' });
  });

  test('a bug is 70', async () => {
    expect((await run('tenant list')).code).toBe(EXIT.internal);
  });
});

describe('what is typed', () => {
  const command = COMMANDS.find(({ words }) => words === 'person add');

  test('a repeatable option keeps every value, in order', () => {
    if (command === undefined) throw new Error('no person add');
    const words = [
      '--tenant',
      't',
      '--name',
      'n',
      '--roles',
      'mlro',
      '--account',
      'a|1',
      '--account',
      'b|2',
    ];
    expect(readGiven(command, words).all('account')).toEqual(['a|1', 'b|2']);
  });

  test('an option is taken by its whole name alone', () => {
    if (command === undefined) throw new Error('no person add');
    expect(() => readGiven(command, ['--ten', 't'])).toThrow(UsageError);
    expect(() => readGiven(command, ['-t', 't'])).toThrow(UsageError);
  });
});

describe('output', () => {
  test('with --json there is one line on standard output and no bar', async () => {
    const { out, err } = await run('tenant list --json', listing([]));
    expect(JSON.parse(out)).toEqual({ tenants: [] });
    expect(out.endsWith('\n') && out.trim().split('\n')).toHaveLength(1);
    expect(err).toBe('');
  });

  test('a bar is drawn on a terminal alone, and gone before the result', () => {
    const written: string[] = [];
    const on = (isTTY: boolean) => ({
      err: { isTTY, write: (text: string) => void written.push(text) },
      out: { write: (text: string) => void written.push(text) },
    });
    const pipe = createOutput(on(false), { isJson: false });
    pipe.progress({ label: 'read', share: 0.5 });
    expect(written).toEqual([]);
    const machine = createOutput(on(false), { isJson: true });
    machine.progress({ label: 'read', line: 'half of it', share: 0.5 });
    expect(written).toEqual([]);
    pipe.progress({ label: 'read', line: 'half of it', share: 0.5 });
    expect(written.splice(0)).toEqual(['half of it\n']);
    const terminal = createOutput(on(true), { isJson: false });
    terminal.progress({ label: 'read', line: 'half of it', share: 0.5 });
    expect(written.join('')).toContain('50% read');
    expect(written.join('')).not.toContain('half of it');
    terminal.result({}, 'done');
    expect(written.at(-2)).toBe('\r\u001b[2K');
    expect(written.at(-1)).toBe('done\n');
  });

  test('a name in a table moves no cursor', () => {
    expect(table(['NAME'], [['a\u001b[2Jb\u202e']])).toBe('NAME\na·[2Jb·');
  });
});
