/**
 * Makes the credentials of a cluster, once: passwords of MongoDB and Redis, the key that the members
 * of the replica set know each other by, and the addresses that the product connects to. What is
 * there stays as it is. Each kind of service has a folder of its own, and mounts no other.
 *
 *   node docker/init/makeSecrets.mjs FOLDER
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HOSTS = 'mongo1,mongo2,mongo3';
const OPTIONS = 'replicaSet=rs0&w=majority&journal=true&authSource=compliance';
/** Read by one service alone, whose user the maker does not know. */
const MODE = 0o444;

/** Keeps what is there: a password that is made anew locks everybody out. */
function keep(folder, name, make) {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, make(), { mode: MODE });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}

export function makeSecrets(root) {
  const [mongo, product, redis, setup] = ['mongo', 'product', 'redis', 'setup'].map((name) =>
    join(root, name),
  );
  const password = () => randomBytes(32).toString('hex');
  keep(mongo, 'keyfile', () => randomBytes(512).toString('base64'));
  keep(mongo, 'root-password', password);
  const runtime = keep(mongo, 'runtime-password', password);
  const owner = keep(mongo, 'setup-password', password);
  const url = (user, secret) => `mongodb://${user}:${secret}@${HOSTS}/compliance?${OPTIONS}`;
  keep(product, 'mongodb-url', () => url('runtime', runtime));
  keep(setup, 'mongodb-url', () => url('setup', owner));
  const redisPassword = keep(redis, 'password', password);
  keep(redis, 'redis.conf', () =>
    [
      'appendonly yes',
      'maxmemory-policy noeviction',
      'protected-mode yes',
      'bind * -::*',
      `requirepass ${redisPassword}`,
      'dir /data',
      '',
    ].join('\n'),
  );
  for (const folder of [product, setup]) {
    keep(folder, 'redis-url', () => `redis://:${redisPassword}@redis:6379`);
  }
}

const [, program, folder] = process.argv;
if (program === import.meta.filename) {
  if (folder === undefined) {
    console.error('expected a folder');
    process.exit(2);
  }
  makeSecrets(folder);
  console.log(`credentials are in ${folder}`);
}
