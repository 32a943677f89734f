/** Who waits for whom before the threads that read entries of lists. */
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EntryThread, ListVersion } from '#slices/lists';
import { entryThread } from '../../../src/app/adapters/entryThread.ts';
import { HELD } from './heldReader.ts';

const version = { bundleBlob: 'b', contentDigest: 'c', listDigest: 'l' } as ListVersion;
const HOSTILE = { turn: 'hostile' };
const QUIET = { turn: 'quiet' };

let thread: EntryThread;
/** The thread of pages, which nobody frees. */
let held: Promise<unknown>;
beforeEach(async () => {
  const reader = new URL('./heldReader.ts', import.meta.url);
  thread = await entryThread({ dataDir: tmpdir() }, reader);
  held = thread.entities(version, [HELD], HOSTILE);
  held.catch(() => undefined); // it ends with the thread
});
afterEach(() => thread.close());

test('facts of an answer are read while whole entries hold the other thread', async () => {
  const facts = await thread.facts(version, ['a', 'b'], { ...QUIET, lane: 'answers' });
  expect(facts).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test("a burst of one tenant's refuses its own alone; who waits too long is told", async () => {
  const refused: unknown[] = [];
  for (let at = 0; at < 400; at++) {
    thread.entities(version, ['a'], HOSTILE).catch(({ code }) => refused.push(code));
  }
  await expect.poll(() => refused.length).toBeGreaterThan(200);
  expect(new Set(refused)).toEqual(new Set(['engine-queue-full']));
  const late = { ...QUIET, deadlineMs: 1 };
  const ask = { id: 'a', isWhole: true, versions: [version] };
  const asked = [
    thread.entities(version, ['a'], late),
    thread.history(ask, late),
    thread.facts(version, ['a'], { ...late, lane: 'pages' }),
  ];
  for (const one of asked) await expect(one).rejects.toMatchObject({ code: 'deadline-exceeded' });
});

test('what a client asked for who has left is not read', async () => {
  const client = new AbortController();
  const asked = thread.entities(version, ['a'], { ...QUIET, signal: client.signal });
  client.abort();
  await expect(asked).rejects.toMatchObject({ code: 'body-aborted' });
});
