/**
 * dist/: the product as it runs, which is src/ with the types taken out (decisions/0029).
 *
 * Why it is built at all: Node reads TypeScript by itself, but loads a compiler into every process
 * and thread that does so, some 50 MB in a process and 16 in a thread, and a third of what a start
 * takes of the processor. Types are replaced by spaces, so that lines and columns are those of src/,
 * and a stack trace needs no map. Nothing is bundled and nothing renamed but `.ts` to `.js`; dist/
 * stands beside config/ and node_modules/ as src/ does. dist/guide/ are the pages of /docs/guide
 * (buildGuide.mjs), made of docs/.
 *
 * Written aside and renamed into place, whole or not at all; what keeps two builds apart is the
 * lock of bootstrap.mjs, which also asks `isBuilt` on the Node that installs.
 */
import * as fs from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const GUIDE = 'guide';
const SELF = fileURLToPath(import.meta.url);
const STAMP = 'stamp.json';
/** AssemblyScript, whose compiler reads it (buildKernels.ts), and what only a type checker reads. */
const LEFT_OUT = /\.(as|d)\.ts$/;
/** Imports, and the files of threads and children: in this source a path in quotes is nothing else. */
const RELATIVE_TS = /(['"])(\.{1,2}\/[^'"\n]*\.ts)\1/g;

/** What is wrong with the source, as the sentence that is shown. */
class BuildError extends Error {}

/**
 * Whether dist/ was made of what is there now. By names, sizes and times where these are as they
 * were, in 15 ms; else by content, in 40: a copy, or another branch and back, only looks new.
 */
export async function isBuilt(root) {
  const stamp = readStamp(root);
  if (stamp === undefined) return false;
  // An image holds what was built, and not what it was built of.
  if (!fs.existsSync(join(root, 'src'))) return true;
  if (!isWhole(root, stamp)) return false;
  const inputs = await listInputs(root);
  return stamp.looks === looksOf(inputs) || stamp.digest === (await digestOf(inputs));
}

/** Makes dist/ anew. Throws, and leaves the former one, where the source cannot be built. */
export async function build(root) {
  const [dist, next, former] = ['dist', 'dist.new', 'dist.old'].map((name) => join(root, name));
  // What a killed build left.
  for (const folder of [next, former]) fs.rmSync(folder, { force: true, recursive: true });
  const inputs = await listInputs(root);
  // Taken first: what is edited while we read makes the build stale.
  const stamp = { looks: looksOf(inputs), digest: await digestOf(inputs) };
  try {
    writeTree(inputs, next);
    if (inputs.guide.length > 0) {
      const { buildGuide } = await import('./buildGuide.mjs');
      await buildGuide(root, join(next, GUIDE));
    }
    const sizes = filesBelow(next).map((path) => [path, fs.statSync(`${next}/${path}`).size]);
    fs.writeFileSync(join(next, STAMP), JSON.stringify({ ...stamp, sizes }));
  } catch (error) {
    fs.rmSync(next, { force: true, recursive: true });
    throw error;
  }
  if (fs.existsSync(dist)) fs.renameSync(dist, former);
  // A process that starts between these two lines finds no dist/, never half of one.
  fs.renameSync(next, dist);
  fs.rmSync(former, { force: true, recursive: true });
}

// ── What it is made of ──────────────────────────────────────────────────────────────────────────

/** Every file of src/ by its path there, in order; this script; the aliases of package.json. */
async function listInputs(root) {
  const manifest = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  const guide = await guideOf(root);
  return { root, paths: filesBelow(join(root, 'src')), guide, aliases: manifest.imports ?? {} };
}

/** A source without a guide has no script for it either. */
async function guideOf(root) {
  if (!fs.existsSync(join(root, 'docs', GUIDE))) return [];
  return (await import('./buildGuide.mjs')).guideSources(root);
}

/** By their paths there, in order; not what editors and systems hide there, such as `.#main.ts`. */
function filesBelow(root) {
  const paths = [];
  const visit = (folder) => {
    for (const entry of fs.readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = folder + entry.name;
      if (entry.isDirectory()) visit(`${path}/`);
      else paths.push(path);
    }
  };
  visit('');
  return paths.sort();
}

/** Joined by hand: six hundred times `join` take longer than six hundred times `stat`. */
const filesOf = ({ guide, root, paths }) => [
  `${root}/scripts/build.mjs`,
  ...guide.map((path) => `${root}/${path}`),
  ...paths.map((path) => `${root}/src/${path}`),
];

function looksOf(inputs) {
  const looks = filesOf(inputs).map((file) => {
    const { size, mtimeMs } = fs.statSync(file);
    return `${size} ${mtimeMs}`;
  });
  const { aliases, guide, paths } = inputs;
  return [JSON.stringify(aliases), ...guide, ...paths, ...looks].join('\n');
}

/** Whether what was built stands there yet: removed by hand, or cut by a loss of power. */
const isWhole = (root, { sizes = [] }) =>
  sizes.length > 0 &&
  sizes.every(
    ([path, size]) => fs.statSync(`${root}/dist/${path}`, { throwIfNoEntry: false })?.size === size,
  );

async function digestOf(inputs) {
  // To load it takes as long as all the rest of a look at what is fresh.
  const { createHash } = await import('node:crypto');
  const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const contents = filesOf(inputs).map((file) => digest(fs.readFileSync(file)));
  return digest(JSON.stringify([inputs.aliases, inputs.guide, inputs.paths, contents]));
}

function readStamp(root) {
  try {
    return JSON.parse(fs.readFileSync(join(root, 'dist', STAMP), 'utf8'));
  } catch (error) {
    // One that this user may not read is none for him either.
    const isNone = ['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code);
    if (isNone || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// ── The tree ────────────────────────────────────────────────────────────────────────────────────

function writeTree({ root, paths, aliases }, target) {
  if (nodeModule.stripTypeScriptTypes === undefined) {
    const { engines } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
    throw new BuildError(`Node ${engines?.node} builds, this is ${process.versions.node}.`);
  }
  const built = paths.filter((path) => !LEFT_OUT.test(path));
  const known = new Set(built);
  for (const folder of new Set(built.map((path) => dirname(path)))) {
    fs.mkdirSync(join(target, folder), { recursive: true });
  }
  for (const path of built) {
    const [from, to] = [join(root, 'src', path), join(target, named(path))];
    if (path.endsWith('.ts')) fs.writeFileSync(to, withoutTypes(path, from, known));
    else fs.copyFileSync(from, to);
  }
  const manifest = { type: 'module', imports: withinBuild(aliases) };
  fs.writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function withoutTypes(path, file, known) {
  let code;
  try {
    code = nodeModule.stripTypeScriptTypes(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BuildError(`src/${path}: ${error.message}`);
  }
  return code.replace(RELATIVE_TS, (_, quote, specifier) => {
    if (!known.has(posix.join(posix.dirname(path), specifier))) {
      throw new BuildError(`src/${path}: '${specifier}' names no file of the build.`);
    }
    return quote + named(specifier) + quote;
  });
}

/** dist/ is a package of its own to Node, so that `#engine` leads to what stands in it. */
function withinBuild(aliases) {
  return Object.fromEntries(
    Object.entries(aliases).map(([alias, path]) => {
      if (!path.startsWith('./src/')) {
        throw new BuildError(`package.json: '${alias}' leads to ${path}, which is not in src.`);
      }
      return [alias, named(path.replace('./src/', './'))];
    }),
  );
}

const named = (path) => path.replace(/\.ts$/, '.js');

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === SELF) {
  try {
    await build(dirname(dirname(SELF)));
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(`build: ${error.message}`);
    process.exitCode = 1;
  }
}
