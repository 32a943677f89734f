/**
 * A newcomer on a bare Debian 13: a tree of that system, made by debootstrap with its own nodejs
 * and npm, and this repository as git would clone it. Its npm is refused by name before anything
 * is downloaded; with a newer one a person without root starts the product by the README's command,
 * pastes the line that it prints, and has an answer.
 *
 * It needs root, debootstrap and a mirror of Debian and of npm, and says so aloud where it lacks
 * them. The tree is kept in `.cache/debian13` for the next time.
 */
import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './cluster.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const ROOT = join(import.meta.dirname, '../..');
const TREE = join(ROOT, '.cache/debian13');
const MIRROR = 'http://deb.debian.org/debian';
const NPM = '11';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const PORT = 18_080;
const START_MS_MAX = 600_000;
const INSTALLED_MB_MAX = 350;
/** Whose home is in the tree; no name of the host's. */
const PERSON = 'newcomer';

export async function newcomer({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('newcomer', { isShort });
  const missing = isShort ? 'it takes minutes' : whatIsMissing();
  if (missing !== undefined) {
    findings.tell('a newcomer on Debian 13', `SKIPPED: ${missing}`);
    return findings.rows;
  }
  makeTree();
  joinNetwork();
  clone();
  refusedNpm(findings);
  await firstStart(findings);
  return findings.rows;
}

function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root, for a tree of its own';
  if (spawnSync('debootstrap', ['--version']).status !== 0) return 'it needs debootstrap';
  return undefined;
}

/** Runs in the tree, with no variable of ours but the authorities that this host trusts. */
function inside(line: string, user = 'root'): SpawnSyncReturns<string> {
  return spawnSync('unshare', lineOf(line, user), {
    encoding: 'utf8',
    timeout: START_MS_MAX,
  });
}

/** With processes of its own, which end with it: Node asks /proc what it is. */
const lineOf = (line: string, user: string): string[] => {
  const trusted = `export NODE_EXTRA_CA_CERTS=${CERTIFICATES}`;
  const apart = ['--mount', '--pid', '--fork', '--kill-child', `--root=${TREE}`, '--mount-proc'];
  return [...apart, 'su', '-', user, '-c', `${trusted}; ${line}`];
};

/** Names are found and mirrors trusted as on this host. */
function joinNetwork(): void {
  for (const file of ['/etc/resolv.conf', '/etc/hosts', CERTIFICATES]) {
    if (existsSync(file)) writeFileSync(join(TREE, file), readFileSync(file));
  }
}

function done(what: string, { status, stderr, stdout }: SpawnSyncReturns<string>): void {
  if (status !== 0) throw new Error(`${what}: ${`${stdout}${stderr}`.slice(-2_000)}`);
}

function makeTree(): void {
  const marker = join(TREE, 'made');
  if (existsSync(marker)) return;
  rmSync(TREE, { force: true, recursive: true });
  mkdirSync(TREE, { recursive: true });
  const words = ['--variant=minbase', '--include=ca-certificates,curl,uuid-runtime'];
  const made = spawnSync('debootstrap', [...words, 'trixie', TREE, MIRROR], { encoding: 'utf8' });
  done('debootstrap', made);
  joinNetwork();
  const packages = 'nodejs npm redis-server';
  const quiet = 'DEBIAN_FRONTEND=noninteractive';
  done(
    'apt-get',
    inside(`${quiet} apt-get install -y -qq --no-install-recommends ${packages} >/dev/null`),
  );
  done('useradd', inside(`useradd -m ${PERSON}`));
  done(
    'a newer npm',
    inside(`npm install --silent --prefix /home/${PERSON}/.local npm@${NPM}`, PERSON),
  );
  writeFileSync(marker, '');
}

/** What git has, and nothing that lies about here. */
function clone(): void {
  const place = join(TREE, 'home', PERSON, 'clone');
  rmSync(place, { force: true, recursive: true });
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, place]);
  done('chown', inside(`chown -R ${PERSON}: /home/${PERSON}/clone`));
}

function refusedNpm(findings: Findings): void {
  const own = inside('npm --version', PERSON).stdout.trim();
  const { status, stderr, stdout } = inside('cd clone && npm start', PERSON);
  const text = `${stdout}${stderr}`;
  const isInstalled = existsSync(join(TREE, 'home', PERSON, 'clone/node_modules'));
  findings.judge(
    'Debian 13’s own npm is refused by name, before anything is downloaded',
    `npm ${own}, exit ${status}, packages ${isInstalled ? 'there' : 'none'}`,
    status !== 0 && text.includes(own) && !isInstalled,
  );
}

async function firstStart(findings: Findings): Promise<void> {
  const path = `PATH=/home/${PERSON}/.local/node_modules/.bin:$PATH`;
  const line = `cd clone && ${path} PORT=${PORT} exec npm start`;
  const child = spawn('unshare', lineOf(line, PERSON), { detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const firstRun = join(TREE, 'home', PERSON, 'clone/data/first-run.json');
  try {
    const isUp = () =>
      fetch(`http://127.0.0.1:${PORT}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const isOver = async () => child.exitCode !== null || (existsSync(firstRun) && (await isUp()));
    const seconds = ((await until('the first start', isOver, START_MS_MAX)) / 1_000).toFixed(0);
    if (child.exitCode !== null) throw new Error(`npm start ended: ${text.slice(-2_000)}`);
    const { curl } = JSON.parse(readFileSync(firstRun, 'utf8')) as { curl: string };
    const answer = inside(`cd clone && ${curl.replaceAll('\\\n', ' ')}`, PERSON).stdout;
    findings.judge(
      'a person without root starts by the README’s command, pastes the line, has an answer',
      `ready after ${seconds} s with all downloads, ${/"decision":"(\w+)"/.exec(answer)?.[1]}`,
      answer.includes('"decision":"MATCH_DIRECT_SANCTIONS"'),
    );
    const size = inside('du -sm clone/node_modules', PERSON).stdout;
    const megabytes = Number.parseInt(size, 10);
    findings.judge(
      `what a start installs is at most ${INSTALLED_MB_MAX} MB`,
      `${megabytes} MB`,
      megabytes <= INSTALLED_MB_MAX,
    );
  } finally {
    if (child.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, 'SIGTERM');
      await once(child, 'exit');
    }
  }
}
