/**
 * packages/console/built, which browsers load: the console's sources in a few files, each under a
 * name that says its content. They are written by hand of a developer and kept, as the SDK of
 * onboarding is, so that a start needs no bundler; a test holds them to their sources.
 *
 *   node scripts/writeConsole.ts
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const FOLDER = new URL('../packages/console/', import.meta.url);
const BUILT = new URL('built/', FOLDER);
const DIGEST_CHARS = 8;

/** Names with contents. */
export type ConsoleFiles = ReadonlyMap<string, string>;

/** The files as their sources make them. Throws where one of them needs what no browser has. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const bundle = await rolldown({
    cwd: fileURLToPath(FOLDER),
    input: { console: fileURLToPath(new URL('src/main.tsx', FOLDER)) },
    onLog(_, log) {
      throw new Error(`console: ${log.message}`);
    },
    platform: 'browser',
  });
  const { output } = await bundle.generate({
    chunkFileNames: '[name]-[hash].js',
    entryFileNames: '[name]-[hash].js',
    format: 'es',
    minify: true,
  });
  await bundle.close();
  const files = new Map<string, string>();
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`console: ${file.fileName} is no script`);
    files.set(file.fileName, file.code);
  }
  const style = await readFile(new URL('console.css', FOLDER), 'utf8');
  const digest = createHash('sha256').update(style).digest('hex').slice(0, DIGEST_CHARS);
  return files.set(`console-${digest}.css`, style);
}

/** As they are kept. */
export async function keptConsole(): Promise<ConsoleFiles> {
  const names = (await readdir(BUILT)).sort();
  const texts = names.map((name) => readFile(new URL(name, BUILT), 'utf8'));
  const contents = await Promise.all(texts);
  return new Map(names.map((name, at) => [name, contents[at] ?? '']));
}

async function write(): Promise<void> {
  const files = await consoleFiles();
  await rm(BUILT, { force: true, recursive: true });
  await mkdir(BUILT);
  for (const [name, text] of files) await writeFile(new URL(name, BUILT), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write();
