/**
 * What loads where: the command line starts in a tenth of a second and a store's thread stays small
 * because neither loads what only the gateway needs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../../src');

const HOOK = `
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    process._rawDebug('loaded ' + url);
    return next(url, context);
  },
});`;

function loadedBy(...words: readonly string[]): readonly string[] {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, ...words], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return [...stderr.matchAll(/^loaded (.+)$/gm)].map(([, url = '']) => url);
}

const among = (loaded: readonly string[], part: string): readonly string[] =>
  loaded.filter((url) => url.includes(part));

test('the help of the command line loads no schema, server, store or thread pool', () => {
  const loaded = loadedBy(join(SRC, 'app/cli/main.ts'), '--help');
  expect(among(loaded, 'slices/batches/edge/commands')).toHaveLength(1);
  const parts = ['typebox', 'jose', 'piscina', 'mongodb', 'exceljs', 'hyper-express', 'ioredis'];
  for (const part of parts) expect(among(loaded, `node_modules/${part}/`), part).toEqual([]);
});

test('the thread of the embedded store loads of core the kernel alone', () => {
  const thread = join(SRC, 'storage/sqlite/operations.ts');
  const loaded = loadedBy('--input-type=module', '--eval', `await import('file://${thread}')`);
  expect(among(loaded, 'core/kernel/')).not.toEqual([]);
  expect(among(loaded, 'src/core/').filter((url) => !url.includes('core/kernel/'))).toEqual([]);
});

test('what imports a file at hand loads no client over HTTP', () => {
  const fetcher = join(SRC, 'sources/fetch/open.ts');
  const loaded = loadedBy('--input-type=module', '--eval', `await import('file://${fetcher}')`);
  expect(among(loaded, 'sources/fetch/airGapFetcher')).toHaveLength(1);
  expect(among(loaded, 'node_modules/undici/')).toEqual([]);
});

test('a worker loads the engine with the first work that needs it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'idle-worker-'));
  try {
    const loaded = loadedBy(join(import.meta.dirname, '../worker/idleWorker.ts'), folder);
    for (const slice of ['batches', 'ingestion', 'rescreening', 'sanctions', 'webhooks']) {
      expect(among(loaded, `slices/${slice}/edge/jobs.ts`), slice).toHaveLength(1);
    }
    expect(among(loaded, 'src/engine/')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
