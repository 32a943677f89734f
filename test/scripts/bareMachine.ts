/**
 * A machine that lacks what a test leaves out: the bootstrap in a folder of its own, with a PATH
 * that holds only what the test puts there, and a product of one file.
 */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../../scripts');
export const LOCKFILE = {
  packages: {
    '': {},
    'node_modules/a': { integrity: 'sha512-a', version: '1.0.0' },
    'node_modules/a-darwin': { integrity: 'sha512-d', optional: true, version: '1.0.0' },
    'node_modules/tool': { dev: true, integrity: 'sha512-t', version: '1.0.0' },
  },
};
const ENGINES = { node: '>=22.19', npm: '>=9.5' };
export const BOOTSTRAP = 'scripts/bootstrap.mjs';
let built = '';
/** The folder of the product, and the one folder of its PATH; made anew for each test. */
export let root = '';
export let bin = '';

/** To be called once in a file of tests. */
export function useBareMachine(): void {
  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), 'bootstrap-built-'));
    for (const folder of ['scripts', 'src']) mkdirSync(join(built, folder));
    for (const script of ['bootstrap.mjs', 'build.mjs'])
      copyFileSync(join(SCRIPTS, script), join(built, 'scripts', script));
    writeFileSync(join(built, 'src/main.ts'), 'export const one: number = 1;\n');
    writeFileSync(join(built, 'package.json'), JSON.stringify({ engines: ENGINES }));
    writeFileSync(join(built, 'package-lock.json'), JSON.stringify(LOCKFILE));
    execFileSync(process.execPath, [join(built, 'scripts/build.mjs')]);
  });
  afterAll(() => rmSync(built, { recursive: true }));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
    bin = join(root, 'bin');
    cpSync(built, root, { recursive: true });
    mkdirSync(bin);
    for (const name of ['sh', 'cat', 'mkdir', 'sleep', 'cp'])
      symlinkSync(`/bin/${name}`, join(bin, name));
  });
  afterEach(() => rmSync(root, { recursive: true }));
}

export function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** Says its version where it is asked for that; else does what the script says. */
export function npm(script: string, version = '11.0.0'): void {
  program('npm', `[ "$1" = --version ] && { echo ${version}; exit 0; }\n${script}`);
}

/** An npm that puts everything in place, as the record says, and counts its calls. */
export function workingNpm(seconds = 0, version?: string): void {
  writeFileSync(join(root, 'installed.json'), JSON.stringify(LOCKFILE));
  npm(
    `echo run >> '${root}/calls'; echo "$@" > '${root}/asked'; sleep ${seconds}
mkdir -p '${root}/node_modules'
cp '${root}/installed.json' '${root}/node_modules/.package-lock.json'`,
    version,
  );
}

export function installed(packages: object = LOCKFILE.packages): void {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
}

export async function bootstrap(event: string, env: Record<string, string> = {}) {
  return ended(
    spawn(process.execPath, [join(root, BOOTSTRAP)], {
      env: { PATH: bin, npm_lifecycle_event: event, ...env },
    }),
  );
}

export async function ended(child: ChildProcessWithoutNullStreams) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}
