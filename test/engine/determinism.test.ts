/**
 * The same list and the same queries give the same bytes: on the caller's thread, one thread and
 * several, in this Node and in others (OTHER_NODES: paths of binaries, separated by colons).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';

const run = promisify(execFile);
const PROGRAM = new URL('./answerDigest.ts', import.meta.url).pathname;
/** Digest of answerDigest.ts at the commit before re-ranker 1.1 came. */
const ANSWERS_OF_1_0_0 = 'a6acc4b3c342c20a9fccd8b2a17e4093';
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
    // Events of 1.0.0 are replayed: its answers are what they were when it was the only version.
    expect(parts[2]).toBe(ANSWERS_OF_1_0_0);
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
