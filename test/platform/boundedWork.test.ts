/** Work in a process of its own: its values, its errors, and each bound that ends it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BoundExceeded, type BoundedWork, boundedValues } from '#platform/boundedWork';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bounded-'));
});
afterAll(() => rm(directory, { force: true, recursive: true }));

/** A process whose work is this body of an async generator over `input`. */
async function workOf(body: string, bounds: Partial<BoundedWork> = {}): Promise<BoundedWork> {
  const path = join(directory, `${crypto.randomUUID()}.mjs`);
  const serve = new URL('../../src/platform/boundedChild.ts', import.meta.url).href;
  const code = `import { serveBounded } from '${serve}';
    await serveBounded(async function* (input) { ${body} });`;
  await writeFile(path, code);
  return {
    file: pathToFileURL(path),
    input: Buffer.from('given'),
    memoryBytes: 512 * 1024 * 1024,
    outputChars: 1_000_000,
    timeMs: 60_000,
    ...bounds,
  };
}

async function run(body: string, bounds?: Partial<BoundedWork>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of boundedValues(await workOf(body, bounds))) values.push(value);
  return values;
}

const boundOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'done',
    (error: unknown) => (error instanceof BoundExceeded ? error.bound : error),
  );

describe('bounded work', () => {
  test('gives its values, whatever its libraries print and however large its input', async () => {
    const body = `console.log('{"value":0}'); console.error('x');
      yield input.length; yield { text: 'a\\u2028b\\nc' }; yield null;`;
    const input = Buffer.alloc(20_000_000);
    expect(await run(body, { input })).toEqual([20_000_000, { text: 'a\u2028b\nc' }, null]);
    expect(await run('')).toEqual([]);
  });

  test('sees nothing of its caller’s environment', async () => {
    expect(await run('yield Object.keys(process.env);')).toEqual([[]]);
  });

  test('that throws says so, with the code', async () => {
    const body = "yield 1; throw Object.assign(new Error('no list'), { code: 'list-damaged' });";
    const expected = { code: 'list-damaged', message: 'no list' };
    await expect(run(body)).rejects.toMatchObject(expected);
  });

  test('that ends early is no whole answer', async () => {
    await expect(run('yield 1; process.exit(0);')).rejects.toThrow('before its work: exit code 0');
    await expect(run("yield 1; process.kill(process.pid, 'SIGTERM');")).rejects.toThrow('SIGTERM');
  });

  test('ends at its time, though it lets nothing else run', async () => {
    expect(await boundOf(run('yield 1; for (;;);', { timeMs: 1_500 }))).toBe('time');
  });

  test('ends at its memory: of the heap, and of buffers', async () => {
    const heap = 'const kept = []; for (;;) kept.push(new Array(1_000).fill(kept.length));';
    const buffers = 'const kept = []; for (;;) kept.push(Buffer.alloc(1_000_000, 1));';
    const memoryBytes = 200 * 1024 * 1024;
    expect(await boundOf(run(heap, { memoryBytes }))).toBe('memory');
    expect(await boundOf(run(buffers, { memoryBytes }))).toBe('memory');
  });

  test('ends at its output', async () => {
    expect(await boundOf(run("for (;;) yield 'x'.repeat(1_000);"))).toBe('output');
  });

  test('that is left is ended', async () => {
    const pids: unknown[] = [];
    for await (const pid of boundedValues(await workOf('yield process.pid; for (;;);'))) {
      pids.push(pid);
      break;
    }
    expect(() => process.kill(Number(pids[0]), 0)).toThrow('ESRCH');
  });

  test('that cannot be started says why', async () => {
    const work = { ...(await workOf('')), file: pathToFileURL(join(directory, 'none.mjs')) };
    await expect(boundedValues(work).next()).rejects.toThrow('exit code 1');
  });
});
