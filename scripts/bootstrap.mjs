/**
 * What `npm start` and `npm test` find missing on a bare machine, put there: a redis-server where
 * apt-get may be used, the locked packages (and with them the Node that runs the product), and
 * dist/ made of src/ (build.mjs). What would stop us is looked for before anything is downloaded.
 *
 * Two Nodes: the machine's, 20 or later, installs with its npm; the product runs on the one that
 * comes with the packages, or on the machine's where that is what package.json asks for.
 *
 * Runs before anything is installed, so: plain JavaScript for Node 20, no packages. Silent and a
 * tenth of a second when nothing is missing. Safe to interrupt: npm writes its own record of what
 * is installed last, and a half-written tree has none. Two at once wait for each other.
 */
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const BUNDLED_NODE = join(MODULES, '.bin', 'node');
const LOCK = join(ROOT, '.cache', 'bootstrap.lock');
const LOCK_WAIT_MS_MAX = 15 * 60_000;
/** Of the Node that installs; what the product and npm must be stands in package.json. */
const INSTALLER_NODE_MIN = 20;
/** Which script asks: `start` when run by hand. */
const ASKED_BY = (process.env.npm_lifecycle_event ?? 'prestart').replace(/^pre/, '');
/** The command line needs no Redis, tests do without one (and skip aloud), the service does not. */
const REDIS_NEED =
  Object.fromEntries([
    ...['build', 'cli', 'check', 'types', 'lint', 'format'].map((name) => [name, 'none']),
    ...['test', 'bench'].map((name) => [name, 'wish']),
  ])[ASKED_BY] ?? 'must';
const DEV_NEEDED = ['test', 'bench', 'drill', 'check', 'types', 'lint', 'format'].includes(
  ASKED_BY,
);
/** Tests run src/ as it stands; those of what users run come through here as users do. */
const BUILD_NEEDED = !DEV_NEEDED || ['bench', 'drill'].includes(ASKED_BY);

/** What stops us, as the sentence that the user reads. */
class Refusal extends Error {}

/** Known failures of npm, in the user's terms. The first that fits is shown. */
const NPM_FAILURES = [
  [
    /ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/,
    'the package registry cannot be found: this machine looks offline; connect it, or point npm at a mirror with `npm config set registry URL`',
  ],
  [
    /E407|tunneling socket|ERR_SOCKS|proxy/i,
    'the proxy refused the connection: check HTTPS_PROXY, or `npm config get https-proxy`',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_/,
    "the registry's certificate is not trusted here: set NODE_EXTRA_CA_CERTS to the file with your organisation's root certificate",
  ],
  [
    /ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENOTCACHED/,
    'the package registry does not answer: check the network or HTTPS_PROXY, then run the command again',
  ],
  [
    /E401|E403/,
    'the package registry refused the download: check the registry and its credentials in ~/.npmrc',
  ],
  [
    /E404|ETARGET/,
    'the package registry lacks a package of package-lock.json: use a registry that mirrors all of npmjs.org',
  ],
  [
    /EINTEGRITY/,
    'a package differs from its digest in package-lock.json, so nothing was installed: run `npm cache verify`, and distrust the mirror if it happens again',
  ],
  [/ENOSPC/, 'the disk is full'],
  [/EACCES|EPERM|EROFS/, `this user may not write to ${ROOT}`],
  [
    /EUSAGE/,
    'package.json and package-lock.json disagree: run `npm install` and commit the lockfile',
  ],
];

async function main() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < INSTALLER_NODE_MIN) {
    const needed = `Node ${INSTALLER_NODE_MIN} or later`;
    throw new Refusal(`${needed} is needed to install, this is ${process.versions.node}.`);
  }
  const isComplete = packagesComplete();
  if (!isComplete) refuseOldNpm();
  if (REDIS_NEED !== 'none' && (process.env.REDIS_URL ?? '') === '') await provideRedis();
  if (!isComplete) await withLock(installPackages);
  settleNode();
  if (BUILD_NEEDED && !(await isBuilt(ROOT))) await provideBuild();
}

// ── Versions ────────────────────────────────────────────────────────────────────────────────────

/** The least version that `engines` of package.json asks for, as in `>=22.19`. */
function versionNeeded(name) {
  const manifest = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return manifest.engines?.[name]?.replace('>=', '') ?? '0';
}

function isAtLeast(version, needed) {
  const [have, want] = [version, needed].map((text) => text.split('.').map(Number));
  const at = want.findIndex((part, index) => part !== (have[index] ?? 0));
  return at === -1 || (have[at] ?? 0) > want[at];
}

/** Older ones fail on our lockfile, and say that it is wrong. */
function refuseOldNpm() {
  const needed = versionNeeded('npm');
  const [command, ...first] = npmCommand();
  const { stdout } = spawnSync(command, [...first, '--version'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const version = /^\d+\.\d+\.\d+/m.exec(stdout ?? '')?.[0];
  if (version === undefined || isAtLeast(version, needed)) return;
  throw new Refusal(
    `npm ${needed} or later is needed, this is ${version}. Put a newer one in front of it: ` +
      '`npm install --prefix ~/.npm-11 npm@11`, then ' +
      '`export PATH=~/.npm-11/node_modules/.bin:$PATH` (or, as root, `npm install -g npm@11`).',
  );
}

// ── Packages ────────────────────────────────────────────────────────────────────────────────────

/**
 * npm writes node_modules/.package-lock.json when all else is in place, and `npm ci` removes it
 * first: if it holds every package of the lockfile, the installation is whole and current.
 */
function packagesComplete() {
  const installed = readPackages(join(MODULES, '.package-lock.json'));
  if (installed === undefined) return false;
  const wanted = readPackages(join(ROOT, 'package-lock.json')) ?? {};
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || !path.startsWith('node_modules/')) continue;
    const found = installed[path];
    if (found === undefined) {
      // Another platform's binary, or a development package that `start` can do without.
      if (entry.optional || entry.devOptional || (entry.dev && !DEV_NEEDED)) continue;
      return false;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return false;
  }
  return true;
}

function readPackages(path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function installPackages(claim) {
  if (packagesComplete()) return; // The one that held the lock before us did it.
  const withTools = DEV_NEEDED || hasTools();
  const what = withTools ? '' : ", without the developers' tools";
  console.error(`bootstrap: installing the packages of package-lock.json${what} …`);
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const kinds = ['--include=optional', withTools ? '--include=dev' : '--omit=dev'];
  const [command, ...first] = npmCommand();
  const { code, stderr } = await run(command, [...first, ...options, ...kinds], claim);
  if (code !== 0) {
    const known = NPM_FAILURES.find(([pattern]) => pattern.test(stderr));
    throw new Refusal(
      `npm ci failed: ${known?.[1] ?? `exit code ${code}; its own message is above`}.`,
    );
  }
  if (!packagesComplete()) {
    throw new Refusal(
      'npm ci ended without installing all of package-lock.json; run the command again.',
    );
  }
  nameUnverified();
  if (!withTools) removeUnused();
}

/** A mirror lacked them when the lockfile was made (completeLockfile.mjs). */
function nameUnverified() {
  const wanted = readPackages(join(ROOT, 'package-lock.json')) ?? {};
  const installed = readPackages(join(MODULES, '.package-lock.json')) ?? {};
  const names = Object.entries(wanted).flatMap(([path, { integrity, link, version }]) =>
    integrity === undefined && !link && version !== undefined && path in installed
      ? [path.replace('node_modules/', '')]
      : [],
  );
  if (names.length === 0) return;
  console.error(`bootstrap: package-lock.json has no digest to compare with: ${names.join(', ')}.`);
}

/** Whether this is a developer's tree: what a test installed is not taken away by a start. */
function hasTools() {
  const installed = readPackages(join(MODULES, '.package-lock.json')) ?? {};
  return Object.values(installed).some(({ dev }) => dev);
}

/**
 * Removes what nothing on this machine can load, some 250 MB: native servers for other systems, and
 * the headers of the Node that comes along. Not of a developer's tree, where tests look at them.
 */
function removeUnused() {
  const here = `_${process.platform}_${process.arch}_`;
  for (const folder of ['uws-pack/dist/bin', '@btc-vision/uwebsockets.js']) {
    for (const name of namesIn(join(MODULES, folder))) {
      if (!name.endsWith('.node') || name.includes(here)) continue;
      fs.rmSync(join(MODULES, folder, name));
    }
  }
  for (const name of namesIn(MODULES)) {
    if (!name.startsWith('node-')) continue;
    fs.rmSync(join(MODULES, name, 'include'), { force: true, recursive: true });
  }
}

function namesIn(folder) {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The npm that runs us, on the Node that it runs on: node_modules/.bin/node is about to go. */
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm?.endsWith('.js') && node !== undefined && !node.startsWith(MODULES)) return [node, npm];
  const found = findInPath('npm', [MODULES]);
  if (found === undefined) throw new Refusal('npm is not in PATH; it comes with Node.');
  return [found];
}

/** The product runs on node_modules/.bin/node, or on the system's where that is new enough. */
function settleNode() {
  if (fs.realpathSync(process.execPath).startsWith(MODULES + sep)) return; // We run on it.
  const needed = versionNeeded('node');
  if (!isAtLeast(process.versions.node, needed)) linkBundledNode();
  if (fs.existsSync(BUNDLED_NODE)) {
    if (spawnSync(BUNDLED_NODE, ['--version'], { timeout: 20_000 }).status === 0) return;
    // Built for another C library (Alpine): out of npm's PATH, so that the system's serves.
    fs.rmSync(BUNDLED_NODE);
  }
  if (isAtLeast(process.versions.node, needed)) return;
  throw new Refusal(
    `no Node comes with the packages for ${process.platform}-${process.arch}: ` +
      `install Node ${needed} or later (this is ${process.versions.node}) and run again.`,
  );
}

/** An npm before 10 takes the link away with the Nodes of other systems that it does not install. */
function linkBundledNode() {
  const name = `node-${process.platform}-${process.arch}`;
  if (fs.existsSync(BUNDLED_NODE) || !fs.existsSync(join(MODULES, name, 'bin', 'node'))) return;
  fs.mkdirSync(dirname(BUNDLED_NODE), { recursive: true });
  fs.symlinkSync(join('..', name, 'bin', 'node'), BUNDLED_NODE);
}

// ── The build ───────────────────────────────────────────────────────────────────────────────────

async function provideBuild() {
  try {
    fs.accessSync(ROOT, fs.constants.W_OK);
    await withLock(buildProduct);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new Refusal(
      `dist/ was not made of what is in src/, and this user may not write to ${ROOT}: ` +
        'let one who may run `npm run build` there.',
    );
  }
}

async function buildProduct(claim) {
  if (await isBuilt(ROOT)) return; // The one that held the lock before us did it.
  console.error('bootstrap: building dist/ from src/ …');
  const node = fs.existsSync(BUNDLED_NODE) ? BUNDLED_NODE : process.execPath;
  const script = join(ROOT, 'scripts', 'build.mjs');
  const { code } = await run(node, ['--disable-warning=ExperimentalWarning', script], claim);
  if (code !== 0) throw new Refusal('dist/ was not built; the message above says why.');
}

// ── Redis ───────────────────────────────────────────────────────────────────────────────────────

/**
 * As root: install without starting or enabling the packaged service. The service's own Redis would
 * be a stranger's, and nothing here uses it; our child has a socket and files of its own.
 */
const INSTALL_REDIS = `
set -e
marker='written by the bootstrap of compliance-platform'
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ] || grep -q "$marker" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\n# %s\\nexit 101\\n' "$marker" > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install redis-server; }
install || { dpkg --configure -a; apt-get -q update; install; }
if [ -d /run/systemd/system ]; then systemctl disable --quiet redis-server || true; fi
`;

const REDIS_WANTED =
  'Redis is needed: install it (Debian, Ubuntu: `sudo apt-get install redis-server`; ' +
  'macOS: `brew install redis`), or set REDIS_URL to one that you run.';

/** In PATH, where the supervisor will look for it. */
function redisServerFound() {
  return findInPath('redis-server') !== undefined;
}

/** Before the packages, so that nobody waits for those to learn that this is missing. */
async function provideRedis() {
  if (redisServerFound()) return;
  const asRoot = findInPath('apt-get') === undefined ? undefined : rootCommand();
  if (asRoot !== undefined && (await mayUseRoot(asRoot))) {
    await withLock((claim) => installRedis(asRoot, claim));
    if (redisServerFound()) return;
    if (REDIS_NEED === 'must')
      throw new Refusal(`apt-get could not install redis-server. ${REDIS_WANTED}`);
  }
  if (REDIS_NEED === 'must') throw new Refusal(REDIS_WANTED);
  console.error(`bootstrap: ${REDIS_WANTED} The tests that need it are skipped.`);
}

async function installRedis(asRoot, claim) {
  if (redisServerFound()) return; // The one that held the lock before us did it.
  console.error('bootstrap: installing redis-server with apt-get …');
  const [command, ...first] = [...asRoot, 'sh', '-c', INSTALL_REDIS];
  await run(command, first, claim);
}

/** [] as root, sudo where it asks no password, else undefined. */
function rootCommand() {
  if (process.getuid?.() === 0) return [];
  const sudo = findInPath('sudo');
  if (sudo === undefined) return undefined;
  return spawnSync(sudo, ['-n', 'true'], { timeout: 10_000 }).status === 0
    ? [sudo, '-n']
    : undefined;
}

/**
 * Asked of whoever sits there. Where nobody does (a service, a container, CI), root installs, and a
 * user becomes root only where BOOTSTRAP_SUDO=yes says so.
 */
async function mayUseRoot(asRoot) {
  if (asRoot.length > 0 && process.env.BOOTSTRAP_SUDO === 'yes') return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return asRoot.length === 0;
  const how = asRoot.length === 0 ? 'as root' : 'as root, by sudo';
  const question = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await question.question(
      `bootstrap: redis-server is missing. Install it ${how}, with apt-get? [Y/n] `,
    );
    return /^(y(es)?)?$/i.test(answer.trim());
  } finally {
    question.close();
  }
}

// ── Processes and the lock ──────────────────────────────────────────────────────────────────────

function findInPath(name, excluded = []) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder === '' || excluded.some((prefix) => folder.startsWith(prefix))) continue;
    const path = join(folder, name);
    try {
      fs.accessSync(path, fs.constants.X_OK);
      return path;
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code)) throw error;
    }
  }
  return undefined;
}

/** Output goes to stderr, so that `npm run --silent cli` keeps a clean stdout. */
function run(command, options, claim) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, options, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    claim(child.pid);
    let stderr = '';
    child.stdout.on('data', (chunk) => process.stderr.write(chunk));
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-65_536);
      process.stderr.write(chunk);
    });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      if (signal !== null || code === 130)
        reject(new Refusal('interrupted; run the command again.'));
      else resolve({ code, stderr });
    });
  });
}

/**
 * One at a time. The lock names our process and the installer that we started: a killed bootstrap
 * leaves its npm running, and until that has ended the tree is not ours to touch.
 */
async function withLock(work) {
  fs.mkdirSync(dirname(LOCK), { recursive: true });
  const waitUntil = Date.now() + LOCK_WAIT_MS_MAX;
  for (let waited = false; !tryLock(); waited = true) {
    if (!waited) console.error('bootstrap: another one is at work here; waiting for it …');
    if (Date.now() > waitUntil) throw new Refusal(`gave up waiting for ${LOCK}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    await work((pid) => fs.appendFileSync(LOCK, `${pid}\n`));
  } finally {
    fs.rmSync(LOCK, { force: true });
  }
}

function tryLock() {
  const ours = `${LOCK}.${process.pid}`;
  fs.writeFileSync(ours, `${process.pid}\n`);
  try {
    fs.linkSync(ours, LOCK); // Atomic, and the file is never seen without its pid.
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeIfDead();
    return false;
  } finally {
    fs.rmSync(ours, { force: true });
  }
}

/** Moves a dead lock aside; should a live one have taken its place meanwhile, puts that back. */
function removeIfDead() {
  if (anyAlive(LOCK)) return;
  const aside = `${LOCK}.dead.${process.pid}`;
  try {
    fs.renameSync(LOCK, aside);
    if (anyAlive(aside)) fs.linkSync(aside, LOCK);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(error.code)) throw error;
  }
  fs.rmSync(aside, { force: true });
}

function anyAlive(path) {
  let pids;
  try {
    pids = fs.readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
  return pids.some((pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return error.code === 'EPERM';
    }
  });
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`bootstrap: ${error.message}`);
  process.exitCode = 1;
}
