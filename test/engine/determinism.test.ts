/**
 * The same list and the same queries give the same bytes: on the caller's thread, one thread and
 * several, in this Node and in others (OTHER_NODES: paths of binaries, separated by colons).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';
import frozen from './frozenAnswers.json' with { type: 'json' };

const run = promisify(execFile);
const PROGRAM = new URL('./answerDigest.ts', import.meta.url).pathname;
/** Digests of answerDigest.ts by version, as it was released (scripts/freezeAnswers.ts). */
const FROZEN: Readonly<Record<string, string>> = frozen;
const OTHERS = (process.env.OTHER_NODES ?? '').split(':').filter((path) => path !== '');

async function digests(node: string, threads: number): Promise<string> {
  const { stdout } = await run(node, [PROGRAM, String(threads)]);
  return stdout.trim();
}

describe('snapshots, overlays and answers', () => {
  test('are the same bytes in another process, on no thread, one, three and eight', async () => {
    const expected = await digests(process.execPath, 0);
    const parts = expected.split(' ');
    expect(parts).toHaveLength(2 + RERANKER_VERSIONS.length);
    for (const one of parts) expect(one).toMatch(/^[0-9a-f]{32}$/);
    // Events are replayed: the answers of a version are what they were when it was released.
    const byVersion = RERANKER_VERSIONS.map((version, at) => [version, parts[2 + at]] as const);
    expect(Object.fromEntries(byVersion)).toMatchObject(FROZEN);
    expect(Object.keys(FROZEN)).toEqual(expect.arrayContaining(['1.0.0', '1.1.0']));
    for (const threads of [1, 3, 8]) {
      expect(await digests(process.execPath, threads), `${threads} threads`).toBe(expected);
    }
  });

  if (OTHERS.length === 0) console.warn('skipped: other versions of Node; OTHER_NODES is not set');
  test.skipIf(OTHERS.length === 0)('are the same bytes in other versions of Node', async () => {
    const expected = await digests(process.execPath, 0);
    for (const node of OTHERS) expect(await digests(node, 2), node).toBe(expected);
  });
});
