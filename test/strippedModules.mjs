/**
 * Preloaded into the processes and threads that tests start (NODE_OPTIONS, vitest.config.ts). Node
 * takes the types out of each file for itself, and loads a compiler for it: 0.2 s of every thread
 * and half a second of every process. Here that was done once for the run (globalSetup.mjs): the
 * same lines and columns, spaces for types. The thread of a store has all that it imports in one
 * text: two of them start in each test that has a store.
 *
 * A file that has changed since, or lies elsewhere, is read as it stands. Plain JavaScript, and
 * silent on a Node without such hooks: tests start other ones too.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url);
const PLACE = new URL('.cache/stripped/', ROOT);

/** Where the text without types of this file is kept; undefined where none is. */
export function strippedUrl(url) {
  const isOurs = url.startsWith(ROOT.href) && /(?<!\.(as|d))\.ts$/.test(url);
  if (!isOurs || url.includes('/node_modules/')) return undefined;
  return new URL(`${url.slice(ROOT.href.length)}.js`, PLACE);
}

/** It bears the time of the file that it was made of. */
export function isFresh(url, stripped) {
  const [made, source] = [stripped, new URL(url)].map((file) =>
    statSync(file, { throwIfNoEntry: false })?.mtime.getTime(),
  );
  return made !== undefined && made === source;
}

/** It imports seventy modules, which takes half of its start. */
export const STORE_THREAD = new URL('src/storage/sqlite/thread.ts', ROOT).href;
/** Its text with all of them, and beside it the files that this was made of, with their times. */
export const STORE_BUNDLE = new URL('storeThread.js', PLACE);

/** The text, if those files are as they were then; else undefined. */
export function freshBundle() {
  if (!existsSync(STORE_BUNDLE)) return undefined;
  const files = JSON.parse(readFileSync(new URL(`${STORE_BUNDLE.href}on`), 'utf8'));
  const isChanged = files.some(
    ([file, time]) => statSync(file, { throwIfNoEntry: false })?.mtimeMs !== time,
  );
  return isChanged ? undefined : readFileSync(STORE_BUNDLE, 'utf8');
}

function load(url, context, nextLoad) {
  const source = url === STORE_THREAD ? freshBundle() : undefined;
  if (source !== undefined) return { format: 'module', shortCircuit: true, source };
  const stripped = strippedUrl(url);
  if (stripped === undefined || !isFresh(url, stripped)) return nextLoad(url, context);
  return { format: 'module', shortCircuit: true, source: readFileSync(fileURLToPath(stripped)) };
}

nodeModule.registerHooks?.({ load });
