/**
 * What `npm start` and `npm test` find missing on a bare machine, put there: the locked packages
 * (and with them the Node that runs the product), dist/ made of src/ (build.mjs), and a
 * redis-server where apt-get may be used.
 *
 * Runs before anything is installed, so: plain JavaScript for Node 20, no packages. Silent and a
 * tenth of a second when nothing is missing. Safe to interrupt: npm writes its own record of what
 * is installed last, and a half-written tree has none. Two at once wait for each other.
 */
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const BUNDLED_NODE = join(MODULES, '.bin', 'node');
const LOCK = join(ROOT, '.cache', 'bootstrap.lock');
const LOCK_WAIT_MS_MAX = 15 * 60_000;
const NODE_MIN = [22, 18];
/** Which script asks: `start` when run by hand. */
const ASKED_BY = (process.env.npm_lifecycle_event ?? 'prestart').replace(/^pre/, '');
/** The command line needs no Redis, tests do without one (and skip aloud), the service does not. */
const REDIS_NEED =
  { build: 'none', cli: 'none', test: 'wish', bench: 'wish', check: 'none' }[ASKED_BY] ?? 'must';
const DEV_NEEDED = ['test', 'bench', 'check'].includes(ASKED_BY);
/** Tests run src/ as it stands; those of what users run come through here as users do. */
const BUILD_NEEDED = !['test', 'check'].includes(ASKED_BY);

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
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Refusal(`Node 20 or later is needed to install, this is ${process.versions.node}.`);
  }
  if (!packagesComplete()) await withLock(installPackages);
  settleNode();
  if (BUILD_NEEDED && !(await isBuilt(ROOT))) await provideBuild();
  if (REDIS_NEED !== 'none' && (process.env.REDIS_URL ?? '') === '' && !redisServerFound()) {
    await withLock(provideRedis);
  }
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
  console.error('bootstrap: installing the packages of package-lock.json …');
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const dev = DEV_NEEDED ? ['--include=dev'] : [];
  const [command, ...first] = npmCommand();
  const { code, stderr } = await run(
    command,
    [...first, ...options, '--include=optional', ...dev],
    claim,
  );
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
  if (fs.existsSync(BUNDLED_NODE)) {
    if (spawnSync(BUNDLED_NODE, ['--version'], { timeout: 20_000 }).status === 0) return;
    // Built for another C library (Alpine): out of npm's PATH, so that the system's serves.
    fs.rmSync(BUNDLED_NODE);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Refusal(
    `no Node comes with the packages for ${process.platform}-${process.arch}: ` +
      `install Node ${NODE_MIN.join('.')} or later (this is ${process.versions.node}) and run again.`,
  );
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

async function provideRedis(claim) {
  if (redisServerFound()) return;
  const asRoot = rootCommand();
  if (asRoot !== undefined && findInPath('apt-get') !== undefined) {
    console.error('bootstrap: installing redis-server with apt-get …');
    const [command, ...first] = [...asRoot, 'sh', '-c', INSTALL_REDIS];
    await run(command, first, claim);
    if (redisServerFound()) return;
    if (REDIS_NEED === 'must')
      throw new Refusal(`apt-get could not install redis-server. ${REDIS_WANTED}`);
  }
  if (REDIS_NEED === 'must') throw new Refusal(REDIS_WANTED);
  console.error(`bootstrap: ${REDIS_WANTED} The tests that need it are skipped.`);
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
