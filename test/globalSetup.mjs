/**
 * What is made ready once for a run of tests: the text without types that processes and threads of
 * tests load (strippedModules.mjs), for the thread of a store in one piece; and a folder for all
 * that tests write, in memory where there is room. No test cuts the power, so none can tell whether
 * a write has come to a disk; to wait for that took as long as some of the tests themselves.
 *
 * In the folder are also notes of what test files share (storage/mongo/server.ts): a process that
 * such a note names ends with the run. What a killed run has left goes with the next one.
 */
import * as fs from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import {
  freshBundle,
  isFresh,
  STORE_BUNDLE,
  STORE_THREAD,
  strippedUrl,
} from './strippedModules.mjs';

const ROOT = join(import.meta.dirname, '..');
const MEMORY = '/dev/shm';
/** Several times what tests hold at once. A container often has 64 MB there. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;
const NAME = /^tests-(\d+)-/;
const NOTE_OF_PROCESS = /^process-(\d+)$/;

/** Answers what ends it. */
export default async function setUp() {
  stripTypes();
  await bundleStoreThread();
  const before = process.env.TMPDIR;
  const place = before === undefined && hasRoomInMemory() ? MEMORY : tmpdir();
  for (const name of fs.readdirSync(place)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) remove(join(place, name));
  }
  const folder = fs.mkdtempSync(join(place, `tests-${process.pid}-`));
  // Some tests run programs as another user, who must come through.
  fs.chmodSync(folder, 0o711);
  // Test processes are started after this, and inherit it.
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    remove(folder);
  };
}

function stripTypes() {
  for (const path of fs.globSync('{src,test,scripts,bench}/**/*.ts', { cwd: ROOT })) {
    const file = join(ROOT, path);
    const url = pathToFileURL(file).href;
    const stripped = strippedUrl(url);
    if (stripped === undefined || isFresh(url, stripped)) continue;
    const { atime, mtime } = fs.statSync(file);
    const text = stripTypeScriptTypes(fs.readFileSync(file, 'utf8'));
    putInPlace(fileURLToPath(stripped), text, (aside) => fs.utimesSync(aside, atime, mtime));
  }
}

async function bundleStoreThread() {
  if (freshBundle() !== undefined) return;
  const bundle = await rolldown({
    cwd: ROOT,
    external: (id) => !/^[.#/]/.test(id),
    input: fileURLToPath(STORE_THREAD),
    logLevel: 'silent',
    platform: 'node',
  });
  const { output } = await bundle.generate({ codeSplitting: false, format: 'esm' });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  const files = moduleIds.filter((id) => id.startsWith('/'));
  const times = files.map((file) => [file, fs.statSync(file).mtimeMs]);
  const target = fileURLToPath(STORE_BUNDLE);
  // A former text beside a newer list would be taken for a fresh one.
  fs.rmSync(target, { force: true });
  putInPlace(`${target}on`, JSON.stringify(times));
  putInPlace(target, code);
}

/** Renamed into place: another run may read it. */
function putInPlace(target, text, prepare = () => {}) {
  fs.mkdirSync(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}`;
  fs.writeFileSync(aside, text);
  prepare(aside);
  fs.renameSync(aside, target);
}

function hasRoomInMemory() {
  if (!fs.existsSync(MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_BYTES_MIN;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's is alive.
    return error.code !== 'ESRCH';
  }
}

function remove(folder) {
  for (const name of fs.readdirSync(folder)) {
    const pid = Number(NOTE_OF_PROCESS.exec(name)?.[1]);
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
  fs.rmSync(folder, { force: true, recursive: true });
}
