/** kill -9 at every step of a run: the list in force is what it was, and the next run publishes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '#platform/crypto';
import { listStore } from '#slices/lists';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import { importAlias, open } from './realImport.ts';

const CHILD = fileURLToPath(new URL('./dieImporting.ts', import.meta.url));

describe('a run that is killed', () => {
  let dataDir = '';
  let installation: OpenInstallation;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'import-kill-'));
    installation = await open(dataDir);
  });
  afterAll(async () => {
    await installation.close();
    await rm(dataDir, { force: true, recursive: true });
  });

  const active = async () =>
    (await listStore(installation.storage.tables).listSources())[0]?.active;

  /** Every blob that can be seen is whole. */
  async function halfBlobs(): Promise<string[]> {
    const root = join(dataDir, 'blobs', 'sha256');
    const half: string[] = [];
    for (const group of await readdir(root)) {
      for (const rest of await readdir(join(root, group))) {
        const digest = sha256Hex(await readFile(join(root, group, rest)));
        if (digest !== group + rest) half.push(group + rest);
      }
    }
    return half;
  }

  test.each([
    ['full', 'while the file is read', 'changes nothing'],
    ['full', 'while the bundle is written', 'changes nothing'],
    ['full', 'while the bundle is read again', 'changes nothing'],
    ['full', 'while the index is written', 'changes nothing'],
    ['full', 'before the commit', 'changes nothing'],
    ['full', 'after the commit', 'has published'],
    ['delta', 'while the bundle is written', 'changes nothing'],
    ['delta', 'while the bundle is read again', 'changes nothing'],
    ['delta', 'while the index is written', 'changes nothing'],
    ['delta', 'before the commit', 'changes nothing'],
    ['delta', 'after the commit', 'has published'],
  ] as const)('of kind %s, %s %s, and leaves no half of anything', async (kind, step, outcome) => {
    await importAlias(installation, `before ${kind} ${step}`);
    const before = await active();
    const child = spawn(process.execPath, [CHILD, dataDir, step, kind], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    const after = await active();
    const isPublished = after?.listVersion !== before?.listVersion;
    expect(isPublished).toBe(outcome === 'has published');
    if (!isPublished) expect(after).toEqual(before);
    expect(await halfBlobs()).toEqual([]);
    expect(await readdir(join(dataDir, 'spool'))).toEqual([]);
    const again = await importAlias(installation, step, { kind });
    expect(again.status).toBe(isPublished ? 'skipped' : 'success');
    expect(again.version.bundleBase?.bundleBlob).toBe(
      kind === 'delta' ? before?.bundleBlob : undefined,
    );
  });
});
