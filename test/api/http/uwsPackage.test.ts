/**
 * The local package behind hyper-express: a binary runs only if its digest is the pinned one, and
 * each that could run here or elsewhere has one.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TECHNOLOGIES } from './adapters.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PACKAGE = join(ROOT, 'packages', 'uws');
const MODULES = join(ROOT, 'node_modules');

let folder: string;

/** A copy of the package that resolves the binaries of this checkout. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uws-'));
  cpSync(PACKAGE, join(folder, 'uws'), { recursive: true });
  symlinkSync(MODULES, join(folder, 'node_modules'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function load(): string {
  const script = `
    try { console.log('build', require('./uws').build); }
    catch (error) { console.log(error.message); }`;
  return execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
}

function digests(): Record<string, string> {
  return JSON.parse(readFileSync(join(PACKAGE, 'digests.json'), 'utf8'));
}

function writeDigests(changed: Record<string, string>): void {
  writeFileSync(join(folder, 'uws', 'digests.json'), JSON.stringify(changed));
}

test('every pinned digest is that of the installed file', () => {
  for (const [key, expected] of Object.entries(digests())) {
    const [, name, file] = /^(.+)@[\d.]+\/(.+)$/.exec(key) ?? [];
    const path = join(MODULES, name ?? '', file ?? '');
    const got = createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(got, key).toBe(expected);
  }
});

test('every binary for a Node that `engines` allows is pinned', () => {
  const pinned = Object.keys(digests());
  for (const inside of ['@btc-vision/uwebsockets.js', 'uws-pack/dist/bin']) {
    const path = join(MODULES, inside);
    expect(existsSync(path)).toBe(true);
    const files = readdirSync(path).filter((file) => /_(127|137|141)\.node$/.test(file));
    expect(files.filter((file) => !pinned.some((key) => key.endsWith(`/${file}`)))).toEqual([]);
  }
});

test.runIf(TECHNOLOGIES.includes('hyper-express'))('a binary loads with its digest', () => {
  expect(load()).toMatch(/^build (@btc-vision\/uwebsockets\.js@20\.57\.0|uws-pack@20\.0\.8)\n/);
});

test('a binary with another digest is not loaded, and the reason names the file', () => {
  const wrong = Object.keys(digests()).map((key) => [key, '0'.repeat(64)] as const);
  writeDigests(Object.fromEntries(wrong));
  const message = load();
  expect(message).toMatch(/^No uWebSockets\.js binary fits this machine\. /);
  expect(message).toContain(`expected ${'0'.repeat(64)}, got `);
});

test('a binary without a digest is not loaded', () => {
  writeDigests({});
  expect(load()).toContain('no digest is pinned for');
});
